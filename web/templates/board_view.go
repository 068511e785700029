package templates

import "countersign/internal/planning"

// BoardPage is the dashboard.
type BoardPage struct {
	Page
	Sessions []planning.Summary
	Mine     []Waiting // those that wait for the person
	Task     TaskForm
	// Sample is the sample workspace and SampleTask something to try there;
	// both are empty if there is none.
	Sample, SampleTask string
	Builtin            bool   // the built-in planner answers
	Shell              string // why commands can't run while planning; empty if they can
}

// TaskForm is a new session as the form has it, with what is wrong.
type TaskForm struct {
	Workspaces []string // to choose from, the default first
	Task       string
	Workspace  string
	Mode       string
	Model      string
	Approvals  string
	Problems   map[string]string // by field; "" is for the form as a whole
}

func (f TaskForm) problem(field string) string { return f.Problems[field] }

// other is what is wrong with fields that the short form doesn't show.
func (f TaskForm) other(shown ...string) string {
	for field, p := range f.Problems {
		known := false
		for _, s := range shown {
			known = known || s == field
		}
		if !known {
			return p
		}
	}
	return ""
}

// groups sorts the sessions by what they are to this person.
func (p BoardPage) groups() map[string][]Waiting {
	mine := map[string]Waiting{}
	for _, w := range p.Mine {
		mine[w.Summary.ID] = w
	}
	groups := map[string][]Waiting{}
	for _, s := range p.Sessions {
		w, needed := mine[s.ID]
		w.Summary = s
		group := w.group()
		if needed && s.Damage == nil {
			group = "waiting"
		}
		groups[group] = append(groups[group], w)
	}
	return groups
}
