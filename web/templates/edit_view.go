package templates

import (
	"context"

	"countersign/internal/planning"
	"countersign/internal/planning/document"
)

// EditPage changes one block of the plan: rewrite, insert behind it, move it,
// or delete it.
type EditPage struct {
	Page
	State    planning.State
	Plan     planning.Plan
	Block    planning.Block // what the edit is about; for an insertion, the block before
	Op       planning.EditOp
	Text     string // what stands in the field
	Base     string // SHA-256 of the plan that the person saw
	Seen     string // the block's text that the person saw
	Problem  string
	Conflict *EditConflict
}

// EditConflict is what somebody else made of the block in the meantime.
type EditConflict struct {
	Message string
	By      string // empty if nobody in particular
	Theirs  string
}

func (p EditPage) root() string { return "/sessions/" + p.State.ID + "/" }

func (p EditPage) back() string { return p.root() + "plan#" + p.Block.ID }

func (p EditPage) heading(ctx context.Context) string {
	switch p.Op {
	case planning.EditInsert:
		return tr(ctx, "Insert a step")
	case planning.EditDelete:
		return tr(ctx, "Delete “%s”", p.name(ctx))
	case planning.EditMove:
		return tr(ctx, "Move “%s”", p.name(ctx))
	default:
		return tr(ctx, "Rewrite “%s”", p.name(ctx))
	}
}

func (p EditPage) name(ctx context.Context) string {
	if p.Block.Title != "" {
		return visible(p.Block.Title)
	}
	return tr(ctx, "this part")
}

// others are the steps that a step can be moved behind.
func (p EditPage) others() []planning.Block {
	var list []planning.Block
	for _, b := range p.Plan.Steps() {
		if b.ID != p.Block.ID {
			list = append(list, b)
		}
	}
	return list
}

// before is the step that stands before the block, or empty.
func (p EditPage) before() string {
	last := ""
	for _, b := range p.Plan.Steps() {
		if b.ID == p.Block.ID {
			return last
		}
		last = b.ID
	}
	return last
}

func (p EditPage) isStep() bool { return p.Block.Kind == document.Step }

// draft is the key under which a script keeps what is typed here.
func (p EditPage) draft() string { return string(p.Op) + ":" + p.Block.ID }
