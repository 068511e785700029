package web

import (
	"strings"
	"testing"

	"countersign/internal/fault"
	"countersign/internal/planning"
)

// TestInput_NULIsNamed: a NUL character in any text is refused by its name, and
// by no sentence about something else.
func TestInput_NULIsNamed(t *testing.T) {
	r := newRig(t)
	id := r.begin()
	p := r.submit(id, samplePlan)
	version := "/sessions/" + id + "/plans/1"
	thread := read[struct{ ID string }](r.api("POST", version+"/threads", map[string]any{"body": "x"}).is(201)).ID
	asking := r.begin()
	r.agent(asking,
		planning.ModelMessage{Calls: []planning.ToolCall{{ID: "c", Name: "shell", Arguments: "{}"}}, Seen: 2},
		planning.PermissionAsked{ID: "ask", Call: "c", Tool: "shell", Command: "make"})
	type body = map[string]any
	const bad = "a\x00b"
	for _, c := range []struct {
		method, path, field string
		body                body
	}{
		{"POST", "/sessions", "task", body{"task": bad}},
		{"POST", "/sessions", "title", body{"task": "x", "title": bad}},
		{"POST", "/sessions", "workspace", body{"task": "x", "workspace": bad}},
		{"POST", "/sessions", "model", body{"task": "x", "model": bad}},
		{"POST", "/sessions/" + id + "/messages", "text", body{"text": bad}},
		{"POST", version + "/threads", "body", body{"body": bad}},
		{"POST", version + "/threads", "quote", body{"body": "x", "quote": bad}},
		{"POST", "/threads/" + thread + "/replies", "body", body{"body": bad}},
		{"PUT", version + "/steps/" + stepID(p, 1), "markdown", body{"markdown": bad, "base": p.SHA256}},
		{"POST", version + "/steps", "markdown", body{"markdown": bad, "base": p.SHA256}},
		{"POST", version + "/decision", "note", body{"verdict": "approve", "sha256": p.SHA256, "note": bad}},
		{"POST", "/sessions/" + asking + "/permissions/ask", "reason", body{"answer": "refuse", "reason": bad}},
	} {
		message := r.api(c.method, c.path, c.body).fails(422, fault.Invalid, c.field)
		if !strings.Contains(message, "NUL character") || strings.Contains(message, "UTF-8") || strings.ContainsRune(message, 0) {
			t.Errorf("%s %s, %s: %q", c.method, c.path, c.field, message)
		}
	}
	b := r.browse(r.owner)
	b.open("/").submit("#compose", "task", bad).sees("#task-problem", "NUL character")
	b.open("/sessions/"+id+"/edit?step="+stepID(p, 1)).submit("#edit-form", "markdown", bad).sees("#edit-problem", "NUL character")
}
