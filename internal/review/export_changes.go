package review

import (
	"github.com/aymanbagabas/go-udiff"

	"countersign/internal/planning"
)

// changes writes each changed file with what became of it from the first
// change to the last.
func (h *history) changes() {
	if len(h.state.Changes) == 0 {
		return
	}
	texts := h.changedTexts()
	h.part("## Changed files")
	for _, c := range h.state.Changes {
		place := "in the plan"
		if !c.InPlan {
			place = "not in the plan"
		}
		h.part("### %s", code(c.Path))
		h.part("%s, %s.", fate(c), place)
		first, last := texts[c.First], texts[c.Last]
		for _, omitted := range []string{first.Omitted, last.Omitted} {
			if omitted != "" {
				h.part("No diff: %s.", inline(omitted))
				break
			}
		}
		if first.Omitted != "" || last.Omitted != "" {
			continue
		}
		if diff := udiff.Unified("a/"+c.Path, "b/"+c.Path, first.Before, last.After); diff != "" {
			h.fence("diff", diff)
		} else {
			h.part("The text is as it was.")
		}
	}
}

// changedTexts finds the records that hold the texts.
func (h *history) changedTexts() map[int64]planning.FileChanged {
	wanted := map[int64]bool{}
	for _, c := range h.state.Changes {
		wanted[c.First], wanted[c.Last] = true, true
	}
	texts := map[int64]planning.FileChanged{}
	for _, r := range h.records {
		if !wanted[r.Seq] {
			continue
		}
		if payload, err := r.Payload(); err == nil {
			if p, ok := payload.(planning.FileChanged); ok {
				texts[r.Seq] = p
			}
		}
	}
	return texts
}

func fate(c planning.FileChange) string {
	switch {
	case !c.Existed && c.Exists:
		return "New"
	case c.Existed && !c.Exists:
		return "Deleted"
	case !c.Existed:
		return "Made and deleted again"
	}
	return "Changed"
}
