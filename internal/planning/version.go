package planning

import (
	"countersign/internal/planning/document"
)

// NewVersion makes the next plan version from what a model submitted. Blocks
// that continue one of the version before keep its id, so that threads and
// rewrites follow them; where a block was split or merged, the version says
// where the threads go. Its errors are meant for the model.
func NewVersion(s State, markdown string, scope Scope) (PlanSubmitted, error) {
	if err := document.CheckPlan(markdown); err != nil {
		return PlanSubmitted{}, err
	}
	doc := document.Parse(markdown)
	p := PlanSubmitted{
		Version: len(s.Plans) + 1, Title: doc.Title, Markdown: markdown, Scope: scope,
		SHA256: Hash(markdown, scope), Blocks: make([]Block, len(doc.Blocks)),
	}
	old, had := s.Plan()
	for i, b := range doc.Blocks {
		p.Blocks[i] = Block{Block: b, Origin: b.Number}
		if had {
			p.Blocks[i].Change = ChangeNew
		}
	}
	heirs := heirs{}
	for _, kind := range []document.Kind{document.Step, document.Text} {
		continueBlocks(old, doc, p.Blocks, kind, heirs)
	}
	s.recall(Plan{Markdown: markdown, Blocks: p.Blocks})
	s.restore(Plan{Markdown: markdown, Blocks: p.Blocks})
	p.number(s.NextBlock)
	p.Threads = s.placeThreads(Plan{Markdown: markdown, Blocks: p.Blocks}, heirs)
	return p, nil
}

// number gives ids to the blocks that have none.
func (p *PlanSubmitted) number(next int) {
	for i := range p.Blocks {
		if p.Blocks[i].ID == "" {
			p.Blocks[i].ID = blockID(next)
			next++
		}
	}
}

// heirs are, for each block of the version before by its id, the indexes of
// the new blocks that hold it: the one that continues it first, if there is
// one, then those that took over a part of it.
type heirs map[string][]int

// continueBlocks finds, for the blocks of one kind, which block of the old
// version each continues, and marks how it changed.
func continueBlocks(old Plan, doc document.Document, blocks []Block, kind document.Kind, heirs heirs) {
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
	descent := document.Trace(from, to)
	for n, m := range descent.Old {
		if m >= 0 {
			was := fromBlock[m]
			if was.Broken && old.Status == PlanApproved { // it was approved as the model had it
				was.Pinned, was.Keep = "", ""
			}
			blocks[toIndex[n]].continues(was, from[m].Text, to[n].Text)
		}
	}
	for m, list := range descent.Heirs {
		for _, n := range list {
			heirs[fromBlock[m].ID] = append(heirs[fromBlock[m].ID], toIndex[n])
		}
	}
}

// continues makes a block what was another one in the version before.
func (b *Block) continues(was Block, from, to string) {
	b.ID, b.Change = was.ID, ChangeText
	if SameText(from, to) {
		b.Change = ChangeNone
	}
	if was.Number != b.Number {
		b.Was = was.Number
	}
	b.pin(was, to)
}

// pin takes over what reviewers wrote, and notes whether the model kept it.
func (b *Block) pin(was Block, text string) {
	b.Pinned, b.Keep = was.Pinned, was.Keep
	b.Broken = was.Pinned != "" && !SameText(was.Keep, text)
}

// SameText compares two blocks as a reader would: the blank lines around a
// block and the number of the step in front of it belong to its place, not to
// its text.
func SameText(a, b string) bool {
	return a == b || document.WithoutNumber(a) == document.WithoutNumber(b)
}
