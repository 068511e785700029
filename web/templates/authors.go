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

// authors looks a block up in the edits of this version and those before.
func (p PlanPage) authors(id string) authors {
	var a authors
	for _, v := range p.State.Plans[:min(p.Plan.Version, len(p.State.Plans))] {
		for _, e := range v.Standing() {
			if e.Step != id && !slices.Contains(e.Made, id) {
				continue
			}
			here := v.Version == p.Plan.Version
			switch {
			case e.Op == planning.EditInsert:
				a.added = e.By.Name
				a.fresh = here
			case e.Op == planning.EditRewrite:
				a.fresh = here
			case e.Op == planning.EditMove && here:
				a.moved = e.By.Name
			}
		}
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
