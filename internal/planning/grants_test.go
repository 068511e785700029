package planning

import (
	"testing"

	"countersign/internal/fault"
)

// wantsFile is a session that asks for permission to write web/page.go.
func wantsFile(t *testing.T) State {
	t.Helper()
	return session(t, append(created(ModeNormal), ModelMessage{Calls: []ToolCall{{ID: "c1", Name: "write_file"}}},
		PermissionAsked{ID: "p1", Call: "c1", Tool: "write_file", Paths: []string{"web/page.go"}}, RunParked{Wait: WaitPermission})...)
}

func TestPermission_P29_FilesByPattern(t *testing.T) {
	s := wantsFile(t)
	for pattern, has := range map[string]string{"web/": "web/a/b.go", "web/*.go": "web/b.go", "**/*.go": "x/y.go", "web/page.go": "web/page.go"} {
		events, err := AnswerPermission(s, ana, "p1", AnswerSession, "", pattern)
		if err != nil {
			t.Errorf("%s: %v", pattern, err)
			continue
		}
		g := apply(t, s, events).Grants()
		if !g.HasFile("web/page.go") || !g.HasFile(has) || g.HasFile("docs/a.md") || g.HasFile("web/.git/x.go") || len(g.Files) != 0 || len(g.Tools) != 0 {
			t.Errorf("%s allows %+v", pattern, g)
		}
	}
	for _, c := range []struct {
		answer  PermissionAnswer
		pattern string
	}{
		{AnswerSession, "docs/"}, {AnswerSession, "../x"}, {AnswerSession, "."}, {AnswerSession, "[a"}, {AnswerSession, " "}, {AnswerOnce, "web/"},
	} {
		_, err := AnswerPermission(s, ana, "p1", c.answer, "", c.pattern)
		if f, ok := fault.As(err); !ok || f.Code != fault.Invalid || f.Field != "patterns" {
			t.Errorf("%s %q: %v", c.answer, c.pattern, err)
		}
	}
	command := session(t, append(created(ModeNormal), PermissionAsked{ID: "p1", Call: "c1", Tool: "shell", Command: "make"})...)
	if _, err := AnswerPermission(command, ana, "p1", AnswerSession, "", "**"); !fault.Is(err, fault.Invalid) {
		t.Errorf("a pattern for a command: %v", err)
	}
}

func TestPermission_P29_WhatIsRememberedCanBeWithdrawn(t *testing.T) {
	s := wantsFile(t)
	if _, err := WithdrawPermission(s, ana, "p1"); !fault.Is(err, fault.Conflict) {
		t.Errorf("an open request: %v", err)
	}
	events, err := AnswerPermission(s, ana, "p1", AnswerSession, "")
	if err != nil {
		t.Fatal(err)
	}
	s = apply(t, s, events)
	if g := s.Granted(); len(g) != 1 || g[0].By != ana || g[0].Files[0] != "web/page.go" || g[0].At.IsZero() {
		t.Fatalf("granted: %+v", g)
	}
	before := s
	events, err = WithdrawPermission(s, bo, "p1")
	if err != nil {
		t.Fatal(err)
	}
	s = apply(t, s, events)
	if s.Grants().HasFile("web/page.go") || len(s.Granted()) != 0 || len(before.Granted()) != 1 {
		t.Errorf("withdrawn: %+v", s.Granted())
	}
	if s.Calls[0].State != CallAllowed {
		t.Errorf("the call that was allowed is %s", s.Calls[0].State)
	}
	if _, err := WithdrawPermission(s, ana, "p1"); !fault.Is(err, fault.Conflict) {
		t.Errorf("twice: %v", err)
	}
	if _, err := WithdrawPermission(s, ana, "p9"); !fault.Is(err, fault.NotFound) {
		t.Errorf("none: %v", err)
	}
}
