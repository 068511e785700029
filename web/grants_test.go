package web

import (
	"net/http"
	"testing"

	"countersign/internal/fault"
	"countersign/internal/planning"
	"countersign/internal/review"
)

// wantsFile lets the agent of a session ask for permission to write a file.
func (r *rig) wantsFile(session, path string) {
	r.t.Helper()
	r.agent(session, planning.ModelMessage{Calls: []planning.ToolCall{{ID: "c", Name: "write_file"}}},
		planning.PermissionAsked{ID: "p1", Call: "c", Tool: "write_file", Paths: []string{path}}, planning.RunParked{Wait: planning.WaitPermission})
}

func TestPermission_P29_PatternsAndWithdrawalOnThePage(t *testing.T) {
	r := newRig(t)
	id := r.begin()
	r.wantsFile(id, "web/page.go")
	b := r.browse(r.owner).open("/sessions/"+id+"/activity").sees("#allow-p1", "everything below web/").lacks("#grants")
	b.submit("#allow-p1 form", "files", "own", "pattern", "docs/*", "answer", "session")
	if b.status != http.StatusUnprocessableEntity {
		t.Fatalf("status %d", b.status)
	}
	b.sees("#pattern-p1-problem", "does not match it").sees(`#pattern-p1[value="docs/*"]`)
	b.open("/sessions/"+id+"/activity").submit("#allow-p1 form", "files", "own", "pattern", "web/*.go", "answer", "session")
	b.sees("#grant-p1", "web/*.go", "Olivia").lacks("#ask-p1")
	r.browse(r.person("Bo", review.RoleReviewer, "bo")).open("/sessions/"+id+"/activity").sees("#grant-p1", "web/*.go").lacks("#grant-p1 form")
	b.submit("#grant-p1 form").lacks("#grants").sees("#feed", "Olivia withdrew what was allowed")
	b.open("/sessions/"+id+"/history").sees("#log", "web/*.go", "Olivia withdrew what was allowed")

	other := r.begin()
	r.wantsFile(other, "web/page.go")
	b.open("/sessions/"+other+"/activity").submit("#allow-p1 form", "files", "web/", "answer", "session").sees("#grant-p1", "web/")
	exact := r.begin()
	r.wantsFile(exact, "web/page.go")
	b.open("/sessions/"+exact+"/activity").submit("#allow-p1 form", "answer", "session").sees("#grant-p1", "web/page.go")
	if g := b.state(exact).Granted(); len(g[0].Patterns) != 0 {
		t.Errorf("granted %+v", g)
	}
}

func TestPermission_P29_PatternsAndWithdrawalByTheAPI(t *testing.T) {
	r := newRig(t)
	r.team()
	id := r.begin()
	r.wantsFile(id, "web/page.go")
	path := "/sessions/" + id + "/permissions/p1"
	r.api("POST", path, permissionBody{Answer: planning.AnswerSession, Patterns: []string{"docs/"}}).fails(422, fault.Invalid, "patterns")
	got := read[sessionView](r.api("POST", path, permissionBody{Answer: planning.AnswerSession, Patterns: []string{"web/**"}}).is(200))
	if len(got.Grants) != 1 || got.Grants[0].Patterns[0] != "web/**" || got.Grants[0].By.Name != "Olivia" {
		t.Fatalf("grants: %+v", got.Grants)
	}
	r.api("DELETE", path, nil, as("chen")).fails(403, fault.Forbidden, "")
	if got = read[sessionView](r.api("DELETE", path, nil, as("bo")).is(200)); len(got.Grants) != 0 {
		t.Errorf("grants: %+v", got.Grants)
	}
	r.api("DELETE", path, nil).fails(409, fault.Conflict, "")
	r.api("DELETE", "/sessions/"+id+"/permissions/p9", nil).fails(404, fault.NotFound, "")
}

// What the settings allow is listed with what people have allowed, and can be
// withdrawn in the settings only.
func TestPermission_P24_WhatTheSettingsAllowOnThePage(t *testing.T) {
	r := newRig(t, func(c *Config) {
		c.Allowed = planning.Grants{Commands: []string{"go test ./..."}, Patterns: []string{"docs/**"}, Tools: []string{"docs__write"}}
	})
	id := r.begin()
	b := r.browse(r.owner).open("/sessions/"+id+"/activity").lacks("#grants form").
		sees("#grants .standing:nth-child(1)", "go test ./...", "allowed by the settings").
		sees("#grants .standing:nth-child(2)", "docs/**").sees("#grants .standing:nth-child(3)", "docs__write").
		sees("#grants", "While planning none of it counts.")
	r.wantsFile(id, "web/page.go")
	b.open("/sessions/"+id+"/activity").submit("#allow-p1 form", "answer", "session")
	b.sees("#grants li:first-child", "web/page.go", "Olivia").sees("#grants li:first-child form").sees("#grants .standing", "go test ./...")
}
