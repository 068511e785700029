package planning

import (
	"countersign/internal/planning/document"
)

// NewVersion makes the next plan version from what a model submitted. Blocks
// that continue one of the version before keep its id, so that threads and
// rewrites follow them. Its errors are meant for the model.
func NewVersion(s State, markdown string, scope Scope) (PlanSubmitted, error) {
	if err := document.CheckPlan(markdown); err != nil {
		return PlanSubmitted{}, err
	}
	doc := document.Parse(markdown)
	p := PlanSubmitted{
		Version: len(s.Plans) + 1, Title: doc.Title, Markdown: markdown, Scope: scope,
		SHA256: Hash(markdown, scope), Blocks: make([]Block, len(doc.Blocks)),
	}
	for i, b := range doc.Blocks {
		p.Blocks[i] = Block{Block: b, Origin: b.Number}
	}
	if old, had := s.Plan(); had {
		for _, kind := range []document.Kind{document.Step, document.Text} {
			continueBlocks(old, doc, p.Blocks, kind)
		}
	}
	next := s.NextBlock
	for i := range p.Blocks {
		if p.Blocks[i].ID == "" {
			p.Blocks[i].ID = blockID(next)
			next++
		}
	}
	return p, nil
}

// continueBlocks finds, for the blocks of one kind, which block of the old
// version each continues, and marks how it changed.
func continueBlocks(old Plan, doc document.Document, blocks []Block, kind document.Kind) {
	var from, to []document.Piece
	var fromBlock []Block
	var toIndex []int
	for _, b := range old.Blocks {
		if b.Kind == kind {
			from = append(from, document.Piece{Title: b.Title, Text: old.Text(b)})
			fromBlock = append(fromBlock, b)
		}
	}
	for i, b := range blocks {
		if b.Kind == kind {
			to = append(to, document.Piece{Title: b.Title, Text: doc.Text(i)})
			toIndex = append(toIndex, i)
		}
	}
	for n, m := range document.Align(from, to) {
		b := &blocks[toIndex[n]]
		if m < 0 {
			b.Change = ChangeNew
			continue
		}
		was := fromBlock[m]
		b.ID, b.Change = was.ID, ChangeText
		if SameText(from[m].Text, to[n].Text) {
			b.Change = ChangeNone
		}
		if was.Number != b.Number {
			b.Was = was.Number
		}
		b.Pinned, b.Keep = was.Pinned, was.Keep
		b.Broken = was.Pinned != "" && !SameText(was.Keep, to[n].Text)
	}
}

// SameText compares two blocks as a reader would: the blank lines around a
// block and the number of the step in front of it belong to its place, not to
// its text.
func SameText(a, b string) bool {
	return a == b || document.WithoutNumber(a) == document.WithoutNumber(b)
}
