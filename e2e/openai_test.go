package e2e

import (
	"net/http"
	"strings"
	"testing"

	"countersign/internal/agent/llm/fakeopenai"
)

func call(id, name string, arguments any) fakeopenai.Call {
	return fakeopenai.Call{ID: id, Name: name, Arguments: arguments}
}

type object = map[string]any

// scripted starts a server whose sessions talk to a scripted model. Reminders of
// an unfinished list are answered beside the script: most scripts leave one.
func scripted(t *testing.T, work string, turns ...fakeopenai.Turn) (*server, *fakeopenai.Server) {
	t.Helper()
	model := fakeopenai.New(t, turns...)
	model.Aside = func(r fakeopenai.Request) (fakeopenai.Turn, bool) {
		said := r.Messages()
		last := len(said) - 2 // behind it stands the list
		return fakeopenai.Text("I am done."), last >= 0 && strings.HasPrefix(said[last].Content, "You say that you are done")
	}
	s := &server{t: t, data: t.TempDir(), work: work, args: []string{"--model", "openai:x"},
		env: []string{"OPENAI_API_KEY=k", "OPENAI_BASE_URL=" + model.URL}}
	s.start()
	t.Cleanup(s.kill)
	return s, model
}

const aPlan = "# Change the file\n\n1. Edit a.txt\n2. Look at the result\n"

func submitPlan(id string) fakeopenai.Call {
	return call(id, "submit_plan", object{"plan": aPlan, "files": []string{"a.txt"}})
}

// TestMainJob_OpenAI is a whole session with a model that tries what it may
// not: rows P2, P4, P6, P8, P9, P13, P14, P18, P20, P24, T7, T8, T9.
func TestMainJob_OpenAI(t *testing.T) {
	t.Parallel()
	work := workspace(t, map[string]string{"a.txt": "old\n", "f": "f\n"})
	s, model := scripted(t, work,
		fakeopenai.Calls(call("read", "read_file", object{"path": "a.txt"})),
		fakeopenai.Calls(call("write", "write_file", object{"path": "a.txt", "content": "too early\n"})),
		fakeopenai.Calls(call("sh", "shell", object{"command": "echo x > f"})),
		fakeopenai.Calls(call("untitled", "submit_plan", object{"plan": "do it"})),
		fakeopenai.Calls(submitPlan("plan1")),
		fakeopenai.Calls(submitPlan("plan2"), call("both", "write_file", object{"path": "a.txt", "content": "beside the plan\n"})),
		fakeopenai.Calls(call("in", "write_file", object{"path": "a.txt", "content": "new\n"}), call("out", "write_file", object{"path": "b.txt", "content": "outside\n"})),
		fakeopenai.Text("All done."),
	)
	id := s.task("change a", nil)
	s.status(id, "in_review")
	if read(t, work, "a.txt") != "old\n" || read(t, work, "f") != "f\n" {
		t.Fatalf("changed while planning: a.txt %q, f %q", read(t, work, "a.txt"), read(t, work, "f"))
	}
	if asked := of[object](t, s.events(id), "permission.asked"); len(asked) != 0 {
		t.Errorf("P2: somebody was asked: %v", asked)
	}

	p := s.plan(id, 1)
	const comment = "Why *this* file?\nSay so."
	s.must(http.StatusCreated, "POST", "/sessions/"+id+"/plans/1/threads", object{"step": p.Steps[0].ID, "body": comment})
	feedback := s.must(http.StatusOK, "GET", "/sessions/"+id+"/plans/1/feedback", nil)
	if status, answer := s.decide(id, p, "request_changes", ""); status != http.StatusOK {
		t.Fatalf("request changes: %d %v", status, answer)
	}
	eventually(t, "version 2", func() bool {
		return len(of[object](t, s.events(id), "plan.submitted")) == 2
	})
	s.status(id, "in_review")
	if got := read(t, work, "a.txt"); got != "old\n" {
		t.Fatalf("P13: the write beside the second plan happened: %q", got)
	}
	if status, answer := s.decide(id, s.plan(id, 2), "approve", ""); status != http.StatusOK {
		t.Fatalf("approve: %d %v", status, answer)
	}
	waiting := s.status(id, "waiting")
	if read(t, work, "a.txt") != "new\n" || exists(work, "b.txt") {
		t.Errorf("P24: a.txt %q, b.txt exists: %v", read(t, work, "a.txt"), exists(work, "b.txt"))
	}
	permission := waiting["permissions"].([]any)[0].(object)
	s.must(http.StatusOK, "POST", "/sessions/"+id+"/permissions/"+permission["id"].(string), object{"answer": "refuse", "reason": "Keep to the plan."})
	s.status(id, "done")
	if exists(work, "b.txt") {
		t.Error("P24: a refused write happened")
	}
	checkRequests(t, model.Requests(), comment, feedbackText(feedback))
}

func feedbackText(answer object) string {
	for _, key := range []string{"feedback", "text"} {
		if text, ok := answer[key].(string); ok {
			return text
		}
	}
	return ""
}

// checkRequests holds what the model's server received against the rows.
func checkRequests(t *testing.T, requests []fakeopenai.Request, comment, feedback string) {
	t.Helper()
	if len(requests) != 8 {
		t.Fatalf("%d requests, want 8", len(requests))
	}
	for i, r := range requests {
		planning := i < 6
		names := " "
		for _, tool := range r.Tools() {
			names += tool.Name + " "
		}
		for tool, offered := range map[string]bool{"write_file": !planning, "edit_file": !planning, "submit_plan": planning, "read_file": true, "update_plan": true} {
			if strings.Contains(names, " "+tool+" ") != offered {
				t.Errorf("P4: request %d: %s offered: %v; tools:%s", i, tool, !offered, names)
			}
		}
		if strings.Contains(r.System(), "plan mode") != planning {
			t.Errorf("P8: request %d: planning prompt there: %v", i, !planning)
		}
		if planning && strings.Contains(strings.ToLower(string(r.Raw)), "approved") {
			t.Errorf("P18: request %d says \"approved\" before anyone did", i)
		}
		checkConversation(t, i, r)
	}
	results := map[string]string{}
	for _, m := range requests[7].Messages() {
		if m.Role == "tool" {
			results[m.ToolCallID] = m.Content
		}
	}
	for id, want := range map[string]string{
		"read": "old", "write": "plan mode", "untitled": "#", "plan1": comment, "both": "plan mode",
		"plan2": "Approved by ", "out": "Keep to the plan.",
	} {
		if !strings.Contains(results[id], want) {
			t.Errorf("the result of %s is %q and lacks %q", id, results[id], want)
		}
	}
	if feedback == "" || strings.TrimSpace(results["plan1"]) != strings.TrimSpace(feedback) {
		t.Errorf("R3: the page showed\n%s\nthe model got\n%s", feedback, results["plan1"])
	}
}

// checkConversation: one result for each call (T9), the list once and last (T7).
func checkConversation(t *testing.T, i int, r fakeopenai.Request) {
	t.Helper()
	calls, results, lists := 0, map[string]int{}, 0
	for _, m := range r.Messages() {
		calls += len(m.ToolCalls)
		if m.Role == "tool" {
			results[m.ToolCallID]++
		}
		lists += strings.Count(m.Content, "Current to-do list:")
	}
	for id, n := range results {
		if n != 1 {
			t.Errorf("T9: request %d: call %s has %d results", i, id, n)
		}
	}
	if len(results) != calls {
		t.Errorf("T9: request %d: %d calls, %d results", i, calls, len(results))
	}
	want := 0
	if i >= 6 { // T8: the approval has filled the list
		want = 1
	}
	if lists != want || want == 1 && !strings.HasPrefix(r.Last().Content, "Current to-do list:") {
		t.Errorf("T7: request %d has the list %d times, its last message is %.60q", i, lists, r.Last().Content)
	}
}

// TestModel_Faults: whatever the model's server does, the session says so in
// one sentence, and Resume goes on (S7).
func TestModel_Faults(t *testing.T) {
	t.Parallel()
	faults := map[string]fakeopenai.Turn{
		"401":         {Status: http.StatusUnauthorized, Error: "bad key"},
		"404":         {Status: http.StatusNotFound, Error: "no such model"},
		"HTML":        {Status: http.StatusNotFound, Body: "<html><title>Not here</title></html>"},
		"HTML as 200": {Body: "<html><title>Sign in</title></html>"},
	}
	for name, fault := range faults {
		t.Run(name, func(t *testing.T) {
			s, model := scripted(t, workspace(t, map[string]string{"a.txt": "old\n"}))
			model.Otherwise(fault)
			id := s.task("change a", nil)
			var failed object
			eventually(t, "the failure", func() bool {
				failed = s.must(http.StatusOK, "GET", "/sessions/"+id, nil)
				return failed["status"] == "failed"
			})
			messages := of[struct{ Message string }](t, s.events(id), "run.failed")
			if len(messages) != 1 || messages[0].Message == "" || strings.Contains(messages[0].Message, "<html>") {
				t.Errorf("the session says %+v", messages)
			}
			model.Otherwise(fakeopenai.Calls(submitPlan("p")))
			s.must(http.StatusOK, "POST", "/sessions/"+id+"/resume", nil)
			s.status(id, "in_review")
		})
	}
}

func TestModel_BrokenArgumentsAreToldToTheModel(t *testing.T) {
	t.Parallel()
	s, model := scripted(t, workspace(t, nil),
		fakeopenai.Calls(call("bad", "read_file", `{"path": "a`)),
		fakeopenai.Calls(submitPlan("p")))
	id := s.task("x", nil)
	s.status(id, "in_review")
	if last := model.Requests()[1].Last(); last.Role != "tool" || last.Content == "" {
		t.Errorf("the model got %+v", last)
	}
}
