package planning

import (
	"slices"
	"strings"

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
	return e.on(p, s.NextBlock)
}

// on applies the edit to a version; next is the number of the first new block.
func (e PlanEdit) on(p Plan, next int) (StepEdited, error) {
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
		SHA256: Hash(source, p.Scope), Blocks: e.relabel(p, edited, next, at, after), PlanTitle: edited.Title,
		Redo: &Redo{After: e.After, Typed: e.Markdown, Next: next},
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
// around a deleted step are one block now), blocks are found by what is
// written in them.
func (e PlanEdit) relabel(p Plan, edited document.Document, next, at, after int) []Block {
	blocks := e.expected(p, len(edited.Blocks), at, after)
	if len(blocks) != len(edited.Blocks) {
		blocks = e.found(p, edited, at)
	}
	for i, b := range edited.Blocks {
		known := blocks[i].ID != ""
		if !known {
			blocks[i] = Block{ID: e.putBack(p, edited.Text(i)), Change: ChangeNew}
			if blocks[i].ID == "" {
				blocks[i].ID = blockID(next)
				next++
			}
		}
		blocks[i].Block = b
		rewritten := e.Op == EditRewrite && (!known || blocks[i].ID == p.Blocks[at].ID)
		if rewritten || e.Op == EditInsert && !known {
			blocks[i].Pinned, blocks[i].Keep, blocks[i].Broken = e.By, edited.Text(i), false
		}
	}
	return blocks
}

// putBack is the id of the step that the model had left out, and that is put
// in again as it was; empty for any other text.
func (e PlanEdit) putBack(p Plan, text string) string {
	for _, u := range p.Unkept {
		if _, there := p.Block(u.Step); e.Op == EditInsert && u.OfText() && !there && SameText(u.Text, text) {
			return u.Step
		}
	}
	return ""
}

// found looks for every block's old self: one with the same text, or else, for
// texts that were joined, one that it begins with.
func (e PlanEdit) found(p Plan, edited document.Document, at int) []Block {
	blocks := make([]Block, len(edited.Blocks))
	used := map[string]bool{}
	if e.Op == EditDelete {
		used[p.Blocks[at].ID] = true // its id is gone with it, also if another block says the same
	}
	match := func(same func(old, now string) bool) {
		for i, b := range edited.Blocks {
			if blocks[i].ID != "" {
				continue
			}
			now := strings.TrimSpace(edited.Text(i))
			for _, old := range p.Blocks {
				if !used[old.ID] && old.Kind == b.Kind && same(strings.TrimSpace(p.Text(old)), now) {
					blocks[i], used[old.ID] = old, true
					break
				}
			}
		}
	}
	match(func(old, now string) bool { return old == now })
	match(func(old, now string) bool { return old != "" && strings.HasPrefix(now, old+"\n") })
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

// describe fills in what the history and the feedback tell: which step, its
// text before and after, and which blocks the new text makes up.
func (e PlanEdit) describe(out *StepEdited, p Plan, source string, at int) {
	if at >= 0 {
		was := p.Blocks[at]
		out.Step, out.Number, out.Title = was.ID, was.Origin, was.Title
		out.Before = p.Text(was)
	}
	if e.Op == EditMove {
		out.Before = ""
	}
	if e.Op != EditRewrite && e.Op != EditInsert {
		return
	}
	now := Plan{Markdown: source, Blocks: out.Blocks}
	for _, b := range out.Blocks {
		if _, had := p.Block(b.ID); had && b.ID != out.Step {
			continue
		}
		if out.Step == "" {
			out.Step, out.Title = b.ID, b.Title
		}
		out.Made = append(out.Made, b.ID)
		out.After += now.Text(b)
	}
}
