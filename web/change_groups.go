package web

import (
	"slices"

	"countersign/internal/planning"
	"countersign/web/templates"
)

// changesByFile is one group of all files, each from its first change to its
// last.
func changesByFile(st planning.State) []templates.ChangeGroup {
	var all templates.ChangeGroup
	for _, c := range st.Changes {
		f := templates.FileDiff{Path: c.Path, ChangeSpan: wholeSpan(c)}
		for _, id := range c.Todos {
			f.Todos = append(f.Todos, todoText(st, id))
		}
		all.Files = append(all.Files, f)
	}
	return []templates.ChangeGroup{all}
}

// changesByStep is a group for each item of the to-do list, then one for each
// that is not in it any more, and one for what changed while none was in
// progress. A file that one item changed, then another, then the first again,
// is in the first's group twice, so that nothing stands under the wrong one.
func changesByStep(st planning.State) []templates.ChangeGroup {
	groups := make([]templates.ChangeGroup, 0, len(st.Todos)+1)
	var ids []string
	for _, t := range st.Todos {
		ids = append(ids, t.ID)
		groups = append(groups, templates.ChangeGroup{Step: true, Title: t.Text, Status: t.Status})
	}
	loose := templates.ChangeGroup{Step: true}
	for _, c := range st.Changes {
		for _, span := range c.Spans {
			f := templates.FileDiff{Path: c.Path, ChangeSpan: span}
			if span.Todo == "" {
				loose.Files = append(loose.Files, f)
				continue
			}
			i := slices.Index(ids, span.Todo)
			if i < 0 {
				i = len(ids)
				ids = append(ids, span.Todo)
				groups = append(groups, templates.ChangeGroup{Step: true, Title: todoText(st, span.Todo)})
			}
			groups[i].Files = append(groups[i].Files, f)
		}
	}
	if len(loose.Files) > 0 {
		groups = append(groups, loose)
	}
	return groups
}

// todoText names an item of the to-do list by its text, or by its id if it is
// not in the list any more.
func todoText(st planning.State, id string) string {
	i := slices.IndexFunc(st.Todos, func(t planning.Todo) bool { return t.ID == id })
	if i < 0 {
		return id
	}
	return st.Todos[i].Text
}
