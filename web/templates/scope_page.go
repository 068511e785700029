package templates

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"countersign/internal/planning"
)

// ScopePage is where a reviewer sets the scope of the newest plan version.
type ScopePage struct {
	Page
	State    planning.State
	Plan     planning.Plan
	Files    string   // what stands in the field, one a line
	Commands []string // each in a field of its own, since one may have several lines
	More     string   // new commands, one a line
	Problem  string
	Conflict *EditConflict // nil unless somebody else has set it meanwhile
}

func (p ScopePage) root() string { return "/sessions/" + p.State.ID + "/" }

// seen is the scope as the page shows it, for the form to send along.
func (p ScopePage) seen() string {
	text, err := json.Marshal(p.Plan.Scope)
	if err != nil { // strings always encode
		return ""
	}
	return string(text)
}

func (p ScopePage) fileRows() string { return rowsOf(p.Files + "\n") }

// rowsOf is how many rows a field for a text has.
func rowsOf(text string) string {
	return strconv.Itoa(min(max(strings.Count(text, "\n")+1, 1), 14))
}

// scopeText is a scope as plain text.
func scopeText(ctx context.Context, s planning.Scope) string {
	if len(s.Files) == 0 && len(s.Commands) == 0 {
		return tr(ctx, "Nothing")
	}
	return strings.Join(append(append([]string{}, s.Files...), s.Commands...), "\n")
}
