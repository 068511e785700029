package agent_test

import (
	"strings"
	"testing"

	"countersign/internal/agent/llm/fakeopenai"
	"countersign/internal/planning"
)

// approved runs a session up to the approval of the plan that submit makes.
func approved(t *testing.T, turns ...fakeopenai.Turn) *bench {
	t.Helper()
	b := newBench(t, append([]fakeopenai.Turn{fakeopenai.Calls(submit("p"))}, turns...)...)
	b.file("a.txt", "old\n")
	b.begin(planning.ModePlan)
	b.rests(planning.StatusInReview)
	b.verdict(planning.VerdictApprove, "")
	return b
}

func TestPlan_P20_ApprovedFilesAreWrittenWithoutAsking(t *testing.T) {
	b := approved(t, fakeopenai.Calls(writeFile("w", "a.txt", "new\n")), fakeopenai.Text("done"))
	s := b.rests(planning.StatusDone)
	if got := b.text("a.txt"); got != "new\n" {
		t.Errorf("a.txt = %q", got)
	}
	if len(s.Permissions) != 0 {
		t.Errorf("asked: %v", s.Permissions)
	}
	if len(s.Changes) != 1 || !s.Changes[0].InPlan {
		t.Errorf("changes: %+v", s.Changes)
	}
}

func TestPlan_P24_OutsideTheScopeAsks(t *testing.T) {
	cases := map[string]struct {
		answer planning.PermissionAnswer
		reason string
		text   string // of b.txt afterwards
		result string
	}{
		"once":    {planning.AnswerOnce, "", "out\n", ""},
		"session": {planning.AnswerSession, "", "out\n", ""},
		"refuse":  {planning.AnswerRefuse, "Leave b.txt to *me*.", "(none)", "Leave b.txt to *me*."},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			b := approved(t, fakeopenai.Calls(writeFile("out", "b.txt", "out\n"), writeFile("in", "a.txt", "in\n")), fakeopenai.Text("done"))
			s := b.rests(planning.StatusWaiting)
			if p := s.OpenPermissions(); len(p) != 1 || p[0].Paths[0] != "b.txt" || !strings.Contains(p[0].Reason, "1 file in the approved plan") {
				t.Errorf("open requests: %+v", p)
			}
			if b.text("b.txt") != "(none)" || b.text("a.txt") != "in\n" {
				t.Errorf("while asked: b.txt %q, a.txt %q", b.text("b.txt"), b.text("a.txt"))
			}
			b.answer(c.answer, c.reason)
			s = b.rests(planning.StatusDone)
			if got := b.text("b.txt"); got != c.text {
				t.Errorf("b.txt = %q, want %q", got, c.text)
			}
			if got := b.results()["out"]; !strings.Contains(got, c.result) {
				t.Errorf("result %q lacks %q", got, c.result)
			}
			for _, change := range s.Changes {
				if change.InPlan != (change.Path == "a.txt") {
					t.Errorf("%s in the plan: %v", change.Path, change.InPlan)
				}
			}
		})
	}
}

func TestPlan_P25_BackToPlanModeKeepsWhatIsDone(t *testing.T) {
	b := approved(t,
		fakeopenai.Calls(fakeopenai.Call{ID: "t", Name: "update_plan", Arguments: map[string]any{
			"merge": true, "steps": []map[string]string{{"step": "Edit a.txt", "status": "completed"}}}}, writeFile("out", "b.txt", "x")),
		fakeopenai.Calls(submit("p2")))
	b.rests(planning.StatusWaiting)
	b.answer(planning.AnswerReplan, "Think again.")
	s := b.rests(planning.StatusInReview)
	if s.Mode != planning.ModePlan || b.text("b.txt") != "(none)" {
		t.Errorf("mode %q, b.txt %q", s.Mode, b.text("b.txt"))
	}
	if got := b.results()["out"]; !strings.Contains(got, "Think again.") {
		t.Errorf("result %q", got)
	}
	b.model.Add(fakeopenai.Text("done"))
	b.verdict(planning.VerdictApprove, "")
	s = b.rests(planning.StatusDone)
	if s.Todos[0].Status != planning.TodoCompleted || s.Todos[1].Status != planning.TodoPending {
		t.Errorf("list after the second approval: %v", s.Todos)
	}
}

func TestPlan_P29_NormalModeAsksForEveryChange(t *testing.T) {
	b := newBench(t,
		fakeopenai.Calls(fakeopenai.Call{ID: "r", Name: "list_dir", Arguments: map[string]any{"path": "."}}, writeFile("w1", "a.txt", "1")),
		fakeopenai.Calls(writeFile("w2", "a.txt", "2"), shell("c", "echo 3 > c.txt")),
		fakeopenai.Text("done"))
	b.begin(planning.ModeNormal)
	b.rests(planning.StatusWaiting)
	b.answer(planning.AnswerSession, "")
	s := b.rests(planning.StatusWaiting)
	if b.text("a.txt") != "2" {
		t.Errorf("a.txt = %q: a file that was allowed for the session is asked about again", b.text("a.txt"))
	}
	if p := s.OpenPermissions(); len(p) != 1 || p[0].Command != "echo 3 > c.txt" {
		t.Fatalf("open requests: %+v", p)
	}
	b.answer(planning.AnswerRefuse, "No shell, please.")
	b.rests(planning.StatusDone)
	if got := b.results()["c"]; !strings.Contains(got, "No shell, please.") || b.text("c.txt") != "(none)" {
		t.Errorf("result %q, c.txt %q", got, b.text("c.txt"))
	}
}

func TestPlan_P3_AllowedForTheSessionStillRefusedInPlanMode(t *testing.T) {
	b := newBench(t,
		fakeopenai.Calls(writeFile("w1", "a.txt", "1")), fakeopenai.Text("done"),
		fakeopenai.Calls(writeFile("w2", "a.txt", "2")), fakeopenai.Calls(submit("p")))
	b.begin(planning.ModeNormal)
	b.rests(planning.StatusWaiting)
	b.answer(planning.AnswerSession, "")
	b.rests(planning.StatusDone)
	b.say("/plan change it")
	b.rests(planning.StatusInReview)
	if got := b.text("a.txt"); got != "1" {
		t.Errorf("a.txt = %q", got)
	}
}

func TestTodo_T5_TwoReplacingCallsInOneTurn(t *testing.T) {
	list := func(id, step string, merge bool) fakeopenai.Call {
		return fakeopenai.Call{ID: id, Name: "update_plan", Arguments: map[string]any{
			"merge": merge, "steps": []map[string]string{{"step": step, "status": "pending"}}}}
	}
	b := newBench(t,
		fakeopenai.Calls(list("a", "one", false), list("b", "two", false), fakeopenai.Call{ID: "r", Name: "list_dir", Arguments: map[string]any{"path": "."}}),
		fakeopenai.Calls(list("c", "three", true), list("d", "four", true)),
		fakeopenai.Calls(submit("p")))
	b.begin(planning.ModePlan)
	s := b.rests(planning.StatusInReview)
	got := b.results()
	for _, id := range []string{"a", "b"} {
		if !strings.Contains(got[id], "neither") {
			t.Errorf("call %s got %q", id, got[id])
		}
	}
	if len(s.Todos) != 2 || s.Todos[0].Text != "three" || s.Todos[1].Text != "four" {
		t.Errorf("list: %v", s.Todos)
	}
	if strings.Contains(got["r"], "neither") {
		t.Error("another tool of the turn was refused")
	}
}

func TestTodo_T7_T8_TheListIsAtTheTailOnce(t *testing.T) {
	update := fakeopenai.Call{ID: "u", Name: "update_plan", Arguments: map[string]any{
		"merge": true, "steps": []map[string]string{{"step": "Edit a.txt", "status": "in_progress"}}}}
	b := approved(t, fakeopenai.Calls(update), fakeopenai.Text("done"))
	s := b.rests(planning.StatusDone)
	plan, _ := s.Plan()
	for i, step := range plan.Steps() {
		if s.Todos[i].ID != step.ID {
			t.Errorf("item %d has id %s, its step %s", i, s.Todos[i].ID, step.ID)
		}
	}
	requests := b.model.Requests()
	for i, r := range requests[1:] {
		count := 0
		for _, m := range r.Messages() {
			count += strings.Count(m.Content, "Current to-do list:")
		}
		if count != 1 || !strings.HasPrefix(r.Last().Content, "Current to-do list:") {
			t.Errorf("request %d has the list %d times, its end is %q", i+1, count, r.Last().Content)
		}
	}
	if last := requests[2].Last().Content; !strings.Contains(last, "[>] Edit a.txt") {
		t.Errorf("the newest list is %q", last)
	}
	if got := b.results()["u"]; strings.Contains(got, "Check it") || strings.Contains(got, "\n") {
		t.Errorf("T7: the receipt is %q", got)
	}
	before, after := requests[1].Messages(), requests[2].Messages()
	for i, m := range before[:len(before)-1] { // all but the list
		if m.Content != after[i].Content || m.Role != after[i].Role {
			t.Errorf("message %d of the prefix changed", i)
		}
	}
}

func TestTodo_T9_BrokenAndUnknownCallsGetAResult(t *testing.T) {
	b := newBench(t,
		fakeopenai.Calls(
			fakeopenai.Call{ID: "a", Name: "read_file", Arguments: `{"path":`},
			fakeopenai.Call{ID: "b", Name: "teleport", Arguments: "{}"},
			fakeopenai.Call{ID: "c", Name: "read_file", Arguments: map[string]any{"path": "missing.txt"}},
			fakeopenai.Call{ID: "d", Name: "read_file", Arguments: map[string]any{"file": "a"}}),
		fakeopenai.Calls(submit("p")))
	b.begin(planning.ModePlan)
	b.rests(planning.StatusInReview)
	got := b.results()
	for _, id := range []string{"a", "b", "c", "d"} {
		if got[id] == "" {
			t.Errorf("call %s has no result", id)
		}
	}
	if !strings.Contains(got["b"], "read_file") {
		t.Errorf("the answer to an unknown tool does not name those there are: %q", got["b"])
	}
}
