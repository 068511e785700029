package templates

import (
	"context"
	"slices"

	"countersign/internal/planning"
)

// authors are the reviewers who had a hand in a block.
type authors struct {
	added string // who inserted it, in this version or one before
	moved string // who moved it in this version
	fresh bool   // its text was written in this version, so the model has not had it yet
}

// authors are those of each block, from the edits of this version and those
// before.
func (p PlanPage) authors() map[string]authors {
	list := map[string]authors{}
	for _, v := range p.State.Plans[:min(p.Plan.Version, len(p.State.Plans))] {
		here := v.Version == p.Plan.Version
		for _, e := range v.Standing() {
			for _, id := range append(slices.Clip(e.Made), e.Step) {
				list[id] = list[id].after(e, here)
			}
		}
	}
	return list
}

// after takes in one more edit; here tells whether it is of this version.
func (a authors) after(e planning.Edit, here bool) authors {
	switch {
	case e.Op == planning.EditInsert:
		a.added = e.By.Name
		a.fresh = here
	case e.Op == planning.EditRewrite:
		a.fresh = here
	case e.Op == planning.EditMove && here:
		a.moved = e.By.Name
	}
	return a
}

// words say whose text a block is. Pinned is who wrote it as it stands.
func (a authors) words(ctx context.Context, pinned string) string {
	added := visible(a.added)
	pinned = visible(pinned)
	said := tr(ctx, "rewritten by %s", pinned)
	switch added {
	case "":
	case pinned:
		said = tr(ctx, "added by %s", pinned)
	default:
		said = tr(ctx, "added by %s, rewritten by %s", added, pinned)
	}
	if a.fresh {
		return said
	}
	return said + " · " + tr(ctx, "kept word for word")
}

func brokenWords(ctx context.Context, a authors) string {
	if a.added != "" {
		return tr(ctx, "the model changed this added step")
	}
	return tr(ctx, "the model changed this rewritten step")
}
