package planning

import (
	"slices"

	"countersign/internal/fault"
	"countersign/internal/planning/document"
)

// PlanEdit is a change to one block of a plan version.
type PlanEdit struct {
	Op       EditOp
	Step     string // the block; unused for an insertion
	After    string // for an insertion or a move: the block it is to follow; empty: before the first step
	Markdown string // for a rewrite or an insertion: the new text
	By       string // name of the person, for the pin
}

// ApplyEdit applies a reviewer's change to the newest plan version. Only the bytes
// of that block change, and every other block keeps its id. It fails with
// fault.NotFound for a block that isn't there and with fault.Invalid for a
// text that would change other blocks.
func ApplyEdit(s State, e PlanEdit) (StepEdited, error) {
	p, ok := s.Plan()
	if !ok {
		return StepEdited{}, fault.New(fault.NotFound, "There is no plan yet.")
	}
	at, after, err := e.locate(p)
	if err != nil {
		return StepEdited{}, err
	}
	doc := document.Parse(p.Markdown)
	source, err := e.apply(doc, at, after)
	if err != nil {
		return StepEdited{}, err
	}
	edited := document.Parse(source)
	out := StepEdited{
		Op: e.Op, Version: p.Version, Base: p.SHA256, Markdown: source, Scope: p.Scope,
		SHA256: Hash(source, p.Scope), Blocks: e.relabel(s, p, edited, at, after),
	}
	e.describe(&out, p, source, at)
	return out, nil
}

// locate finds the block and the one it is to follow; -1 means none.
func (e PlanEdit) locate(p Plan) (at, after int, err error) {
	index := func(id string) int {
		return slices.IndexFunc(p.Blocks, func(b Block) bool { return b.ID == id })
	}
	at, after = index(e.Step), index(e.After)
	if at < 0 && e.Op != EditInsert {
		return 0, 0, fault.New(fault.NotFound, "This step is not in the plan any more.")
	}
	if after < 0 && e.After != "" {
		return 0, 0, fault.New(fault.NotFound, "The step to put it after is not in the plan any more.").At("after")
	}
	return at, after, nil
}

func (e PlanEdit) apply(doc document.Document, at, after int) (string, error) {
	switch e.Op {
	case EditRewrite:
		return doc.Replace(at, e.Markdown)
	case EditInsert:
		return doc.InsertAfter(after, e.Markdown)
	case EditDelete:
		return doc.Remove(at)
	case EditMove:
		return doc.Move(at, after)
	default:
		return "", fault.New(fault.Invalid, "%q is not a way to edit a plan.", string(e.Op)).At("op")
	}
}

// relabel gives the blocks of the edited text their ids. The order that the
// edit should lead to is known; where the text came out otherwise (two texts
// around a deleted step are one block now), blocks are found by their bytes.
func (e PlanEdit) relabel(s State, p Plan, edited document.Document, at, after int) []Block {
	expected := e.expected(p, len(edited.Blocks), at, after)
	blocks := make([]Block, len(edited.Blocks))
	used := map[string]bool{}
	if e.Op == EditDelete {
		used[p.Blocks[at].ID] = true // its id is gone with it, also if another block has the same bytes
	}
	next := s.NextBlock
	for i, b := range edited.Blocks {
		old, found := expectedBlock(expected, len(edited.Blocks), i)
		if expected == nil || len(expected) != len(edited.Blocks) {
			old, found = sameBytes(p, edited.Text(i), used)
		}
		if !found {
			old = Block{ID: blockID(next), Change: ChangeNew, Pinned: e.By}
			next++
		}
		used[old.ID] = true
		if e.Op == EditRewrite && old.ID == p.Blocks[at].ID {
			old.Pinned, old.Broken = e.By, false
		}
		old.Block = b
		blocks[i] = old
	}
	return blocks
}

// expected is the old blocks in the order that the edit leads to, with zero
// values for new ones. n is how many blocks there are now: a rewrite may have
// made several of one.
func (e PlanEdit) expected(p Plan, n, at, after int) []Block {
	blocks := slices.Clone(p.Blocks)
	switch e.Op {
	case EditRewrite:
		if extra := n - len(blocks); extra > 0 {
			blocks = slices.Insert(blocks, at+1, make([]Block, extra)...)
		}
	case EditInsert:
		blocks = slices.Insert(blocks, insertAt(p, after), make([]Block, max(n-len(blocks), 0))...)
	case EditDelete:
		blocks = slices.Delete(blocks, at, at+1)
	case EditMove:
		moved := blocks[at]
		to := insertAt(p, after)
		blocks = slices.Insert(blocks, to, moved)
		if at >= to {
			at++
		}
		blocks = slices.Delete(blocks, at, at+1)
	}
	return blocks
}

// insertAt is the index for a block that follows after; -1 stands for the
// place before the first step.
func insertAt(p Plan, after int) int {
	if after >= 0 {
		return after + 1
	}
	i := slices.IndexFunc(p.Blocks, func(b Block) bool { return b.Kind == document.Step })
	if i < 0 {
		return len(p.Blocks)
	}
	return i
}

func expectedBlock(expected []Block, n, i int) (Block, bool) {
	if len(expected) != n || expected[i].ID == "" {
		return Block{}, false
	}
	return expected[i], true
}

func sameBytes(p Plan, text string, used map[string]bool) (Block, bool) {
	for _, b := range p.Blocks {
		if !used[b.ID] && p.Text(b) == text {
			return b, true
		}
	}
	return Block{}, false
}

// describe fills in what the history shows: which step, and its text before
// and after.
func (e PlanEdit) describe(out *StepEdited, p Plan, source string, at int) {
	if at >= 0 {
		was := p.Blocks[at]
		out.Step, out.Number, out.Title = was.ID, was.Origin, was.Title
		out.Before = p.Text(was)
	}
	now := Plan{Markdown: source, Blocks: out.Blocks}
	switch e.Op {
	case EditRewrite:
		if b, ok := now.Block(out.Step); ok {
			out.After = now.Text(b)
		}
	case EditInsert:
		for _, b := range out.Blocks {
			if _, had := p.Block(b.ID); !had {
				out.Step, out.Title, out.After = b.ID, b.Title, now.Text(b)
				break
			}
		}
	case EditMove:
		out.Before = ""
	}
}
