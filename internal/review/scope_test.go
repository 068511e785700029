package review

import (
	"strings"
	"testing"

	"countersign/internal/fault"
	"countersign/internal/planning"
)

func (d *desk) scope(by Person, files, commands []string) ([]planning.Event, error) {
	p := d.plan()
	return EditScope(d.s, by, NewScope{Version: p.Version, Files: files, Commands: commands, Base: p.SHA256})
}

func TestReview_R7_AnEditedScopeIsPartOfTheHash(t *testing.T) {
	d := newDesk(t, 1)
	before := d.submit(firstPlan, "a.go")
	_, err := d.scope(guest, []string{"b.go"}, nil)
	wantCode(t, "a viewer", err, fault.Forbidden)
	d.ok(d.scope(chen, []string{" b.go ", "web/"}, []string{"go test ./..."}))
	p := d.plan()
	if p.SHA256 == before.SHA256 || p.SHA256 != planning.Hash(p.Markdown, p.Scope) {
		t.Error("the hash does not cover the new scope")
	}
	if !p.Scope.HasFile("web/x.js") || p.Scope.HasFile("a.go") || !p.Scope.HasCommand("go test ./...") {
		t.Errorf("scope %+v", p.Scope)
	}
	if e := d.lastEdit(); e.Op != planning.EditScope || e.By.Name != "Chen" || e.Scopes.Before.Files[0] != "a.go" {
		t.Errorf("edit %+v", e)
	}
	_, err = Decide(d.s, bo, NewDecision{Version: 1, Verdict: planning.VerdictApprove, SHA256: before.SHA256})
	wantCode(t, "approve the scope that was", err, fault.Conflict)
	d.ok(d.verdict(bo, planning.VerdictApprove, ""))
	if result := d.plan().Decision.Result; !strings.Contains(result, "What may be changed and run was set by Chen:\n```\n{\n  \"files\": [\n    \"b.go\",\n    \"web/\"\n  ],\n  \"commands\": [\n    \"go test ./...\"\n  ]\n}\n```\n") ||
		strings.Contains(result, "final text") {
		t.Errorf("the agent gets\n%s", result)
	}
}

func TestReview_P27_AScopeThatAReviewerSetIsHeldAgainstTheNextVersion(t *testing.T) {
	d := newDesk(t, 1)
	d.submit(firstPlan, "a.go")
	d.ok(d.scope(chen, []string{"b.go"}, nil))
	d.has("What the plan may change and run was set by Chen. Submit it with exactly this:\n```\n{\n  \"files\": [\n    \"b.go\"\n  ],\n  \"commands\": []\n}\n```\n")
	for _, c := range []struct {
		file   string
		broken bool
	}{{"a.go", true}, {"b.go", false}, {"c.go", true}} {
		d.ok(d.verdict(ana, planning.VerdictRequestChanges, ""))
		d.submit(firstPlan, c.file)
		if k := d.plan().ScopeKeep; k == nil || k.By != "Chen" || k.Broken != c.broken {
			t.Errorf("with %s: %+v, want broken %v", c.file, k, c.broken)
		}
	}
	d.ok(d.scope(bo, []string{"d.go"}, nil))
	d.ok(d.undo(bo, d.lastEdit()))
	if k := d.plan().ScopeKeep; k == nil || k.By != "Chen" || !k.Broken || d.plan().Scope.Files[0] != "c.go" {
		t.Errorf("after an undo: %+v, %v", k, d.plan().Scope)
	}
}

func TestReview_R6_TwoPeopleSetTheScope(t *testing.T) {
	d := newDesk(t, 1)
	p := d.submit(firstPlan, "a.go")
	seen := p.Scope
	d.ok(d.edit(bo, NewEdit{Op: planning.EditRewrite, Step: d.step(1).ID, Markdown: "1. Else"}))
	_, err := EditScope(d.s, chen, NewScope{Version: 1, Files: []string{"c.go"}, Base: p.SHA256})
	wantCode(t, "a script that saw an older plan", err, fault.Conflict)
	d.ok(EditScope(d.s, chen, NewScope{Version: 1, Files: []string{"c.go"}, Base: p.SHA256, Seen: &seen}))
	first := d.lastEdit()
	_, err = EditScope(d.s, bo, NewScope{Version: 1, Files: []string{"b.go"}, Base: p.SHA256, Seen: &seen})
	wantCode(t, "the second save", err, fault.Conflict)
	f, _ := fault.As(err)
	now := f.Current.(map[string]any)
	if now["by"] != "Chen" || now["files"].([]string)[0] != "c.go" || !strings.Contains(f.Message, "Chen") {
		t.Errorf("%q, %v", f.Message, now)
	}
	d.ok(d.scope(bo, []string{"b.go", "c.go"}, nil))
	_, err = d.undo(chen, first)
	wantCode(t, "undo below a later scope", err, fault.Conflict)
	d.ok(d.undo(bo, d.lastEdit()))
	d.ok(d.undo(chen, first))
	if !d.plan().Scope.Same(seen) || !strings.Contains(d.plan().Markdown, "1. Else") {
		t.Errorf("%v\n%s", d.plan().Scope, d.plan().Markdown)
	}
}

// Who took a change to the scope back has changed it last, not who made the
// one that is in force again.
func TestReview_R6_AScopeThatWasPutBackNamesWhoDid(t *testing.T) {
	d := newDesk(t, 1)
	d.submit(firstPlan, "a.go")
	d.ok(d.scope(chen, []string{"c.go"}, nil))
	d.ok(d.scope(bo, []string{"b.go"}, nil))
	p := d.plan()
	d.ok(d.undo(bo, d.lastEdit()))
	_, err := EditScope(d.s, ana, NewScope{Version: 1, Files: []string{"d.go"}, Base: p.SHA256, Seen: &p.Scope})
	wantCode(t, "a scope that was put back", err, fault.Conflict)
	f, _ := fault.As(err)
	if now := f.Current.(map[string]any); now["by"] != "Bo" || now["files"].([]string)[0] != "c.go" || !strings.Contains(f.Message, "Bo") {
		t.Errorf("%q, %v", f.Message, now)
	}
}

func TestReview_R7_ScopesAreCheckedAsThePlansOwn(t *testing.T) {
	d := newDesk(t, 1)
	d.submit(firstPlan, "a.go")
	for what, c := range map[string]struct {
		files, commands []string
		field           string
	}{
		"absolute":   {[]string{"/etc/passwd"}, nil, "files"},
		"outside":    {[]string{"../x"}, nil, "files"},
		"git":        {[]string{".git/hooks/pre-commit"}, nil, "files"},
		"everything": {[]string{"."}, nil, "files"},
		"bad glob":   {[]string{"a[.go"}, nil, "files"},
		"no command": {nil, []string{" "}, "commands"},
		"too many":   {make([]string, planning.MaxScope+1), nil, "files"},
		"the same":   {[]string{"a.go"}, nil, "files"},
	} {
		_, err := d.scope(bo, c.files, c.commands)
		wantCode(t, what, err, fault.Invalid)
		if f, _ := fault.As(err); f != nil && f.Field != c.field {
			t.Errorf("%s: field %q", what, f.Field)
		}
	}
}
