package agent_test

import (
	"strings"
	"testing"

	"countersign/internal/agent/llm/fakeopenai"
	"countersign/internal/planning"
	"countersign/internal/review"
)

func TestPlan_P2_P4_WritingIsRefusedAndNobodyIsAsked(t *testing.T) {
	b := newBench(t,
		fakeopenai.Calls(writeFile("w", "a.txt", "changed"), fakeopenai.Call{ID: "r", Name: "read_file", Arguments: map[string]any{"path": "a.txt"}}),
		fakeopenai.Calls(submit("p")))
	b.file("a.txt", "old")
	b.begin(planning.ModePlan)
	s := b.rests(planning.StatusInReview)

	if got := b.text("a.txt"); got != "old" {
		t.Errorf("a.txt = %q, it was changed while planning", got)
	}
	if len(s.Permissions) != 0 {
		t.Error("somebody was asked")
	}
	names := toolNames(b.model.Requests()[0])
	for _, forbidden := range []string{"write_file", "edit_file"} {
		if strings.Contains(names, forbidden) {
			t.Errorf("the request offers %s: %s", forbidden, names)
		}
	}
	got := b.results()
	if !strings.Contains(got["w"], "plan mode") || !strings.Contains(got["w"], "submit_plan") {
		t.Errorf("the refusal says %q", got["w"])
	}
	if !strings.Contains(got["r"], "old") {
		t.Errorf("reading beside it gave %q", got["r"])
	}
	denied := 0
	for _, f := range recordsOf[planning.ToolFinished](b) {
		if f.Outcome == planning.OutcomeDenied {
			denied++
		}
	}
	if denied != 1 {
		t.Errorf("%d refusals are recorded, want 1", denied)
	}
}

func TestPlan_P6_ShellWritesNothingWhilePlanning(t *testing.T) {
	b := newBench(t,
		fakeopenai.Calls(shell("c", "echo x > a.txt; echo y > new.txt; cat a.txt")),
		fakeopenai.Calls(submit("p")))
	b.file("a.txt", "old\n")
	b.begin(planning.ModePlan)
	b.rests(planning.StatusInReview)
	if a, n := b.text("a.txt"), b.text("new.txt"); a != "old\n" || n != "(none)" {
		t.Errorf("a.txt = %q, new.txt = %q", a, n)
	}
	if len(b.results()["c"]) == 0 {
		t.Error("the command has no result")
	}
}

func TestPlan_P9_APlanWithoutTitleBothersNobody(t *testing.T) {
	var turns []fakeopenai.Turn
	bad := []string{"", "do it", "## x", "#x", "# "}
	for i, plan := range bad {
		turns = append(turns, fakeopenai.Calls(fakeopenai.Call{
			ID: string(rune('a' + i)), Name: "submit_plan", Arguments: map[string]any{"plan": plan},
		}))
	}
	b := newBench(t, append(turns, fakeopenai.Calls(submit("good")))...)
	b.begin(planning.ModePlan)
	s := b.rests(planning.StatusInReview)
	if len(s.Plans) != 1 {
		t.Errorf("%d versions, want 1", len(s.Plans))
	}
	for id, result := range b.results() {
		if !strings.Contains(result, "#") {
			t.Errorf("the error for plan %s does not say what is missing: %q", id, result)
		}
	}
}

func TestPlan_P10_PlainTextInPlanMode(t *testing.T) {
	t.Run("without a title it waits for a message", func(t *testing.T) {
		b := newBench(t, fakeopenai.Text("What do you mean?"), fakeopenai.Calls(submit("p")))
		b.begin(planning.ModePlan)
		if s := b.rests(planning.StatusWaiting); s.Run.Wait != planning.WaitMessage || len(s.Plans) != 0 {
			t.Errorf("waits for %q with %d plans", s.Run.Wait, len(s.Plans))
		}
		b.say("this")
		b.rests(planning.StatusInReview)
	})
	t.Run("with a title it is a plan", func(t *testing.T) {
		b := newBench(t, fakeopenai.Text("# Title\n\n1. Step\n"), fakeopenai.Text("Sorry?"))
		b.begin(planning.ModePlan)
		s := b.rests(planning.StatusInReview)
		if p, _ := s.Plan(); p.Title != "Title" || len(p.Scope.Files) != 0 {
			t.Errorf("plan %q with scope %v", p.Title, p.Scope)
		}
		b.verdict(planning.VerdictRequestChanges, "Name the files.")
		b.rests(planning.StatusWaiting)
		last := b.model.Requests()[1].Last()
		if last.Role != "user" || !strings.Contains(last.Content, "Name the files.") {
			t.Errorf("the feedback came as %s: %q", last.Role, last.Content)
		}
	})
}

func TestPlan_P13_OtherCallsOfTheBatchStayUnderPlanMode(t *testing.T) {
	b := newBench(t,
		fakeopenai.Calls(submit("p"), writeFile("w", "a.txt", "too early")),
		fakeopenai.Text("done"))
	b.file("a.txt", "old")
	b.begin(planning.ModePlan)
	b.rests(planning.StatusInReview)
	b.verdict(planning.VerdictApprove, "")
	s := b.rests(planning.StatusDone)
	if got := b.text("a.txt"); got != "old" {
		t.Errorf("a.txt = %q", got)
	}
	got := b.results()
	if !strings.Contains(got["w"], "plan mode") || !strings.HasPrefix(got["p"], "Approved by Ana.") {
		t.Errorf("results: %q", got)
	}
	if s.Mode != planning.ModeExecuting {
		t.Errorf("mode = %q", s.Mode)
	}
	requests := b.model.Requests()
	if names := toolNames(requests[1]); !strings.Contains(names, "write_file") || strings.Contains(names, "submit_plan") {
		t.Errorf("tools in execution: %s", names)
	}
}

func TestPlan_P8_P14_P18_FeedbackRound(t *testing.T) {
	b := newBench(t, fakeopenai.Calls(submit("p1")), fakeopenai.Calls(submit("p2")), fakeopenai.Text("done"))
	b.begin(planning.ModePlan)
	s := b.rests(planning.StatusInReview)
	p, _ := s.Plan()
	const comment = "Not like this: keep *both*\nand the `x`."
	b.do(func(s planning.State) ([]planning.Event, error) {
		return review.Comment(s, bo, review.NewComment{Thread: "t1", Version: 1, Step: p.Steps()[0].ID, Body: comment})
	})
	b.verdict(planning.VerdictRequestChanges, "")
	b.until("version 2", func(s planning.State) bool { return len(s.Plans) == 2 && s.InReview() })
	if got := b.results()["p1"]; !strings.Contains(got, comment) {
		t.Errorf("the feedback lacks the comment word for word: %q", got)
	}
	b.rests(planning.StatusInReview)
	b.verdict(planning.VerdictApprove, "")
	b.rests(planning.StatusDone)

	requests := b.model.Requests()
	for i, planning := range []bool{true, true, false} {
		system := requests[i].System()
		if got := strings.Count(system, "plan mode"); got != map[bool]int{true: 1, false: 0}[planning] {
			t.Errorf("request %d has the planning section %d times", i, got)
		}
		if says := strings.Contains(strings.ToLower(string(requests[i].Raw)), "approved"); says == planning {
			t.Errorf("request %d says \"approved\": %v", i, says)
		}
	}
	if len(requests[2].Messages()) <= len(requests[1].Messages()) {
		t.Error("P21: the conversation did not carry over")
	}
}

func TestPlan_P22_ReversalWithinATurnLeavesNoEvent(t *testing.T) {
	release := make(chan struct{})
	b := newBench(t,
		fakeopenai.Turn{From: func(fakeopenai.Request) fakeopenai.Turn { <-release; return fakeopenai.Text("looked around") }},
		fakeopenai.Calls(submit("p")))
	b.begin(planning.ModePlan)
	b.model.Await(1)
	b.say("/plan off")
	b.say("/plan something else")
	close(release)
	b.rests(planning.StatusInReview)
	if changes := recordsOf[planning.ModeChanged](b); len(changes) != 0 {
		t.Errorf("mode changes: %v", changes)
	}
	last := b.model.Requests()[1].Last()
	if last.Content != "something else" {
		t.Errorf("the last message is %q", last.Content)
	}
}

func TestPlan_P22_OffLandsAtTheNextStep(t *testing.T) {
	release := make(chan struct{})
	b := newBench(t,
		fakeopenai.Turn{From: func(fakeopenai.Request) fakeopenai.Turn {
			<-release
			return fakeopenai.Calls(writeFile("w", "a.txt", "x"))
		}},
		fakeopenai.Text("done"))
	b.begin(planning.ModePlan)
	b.model.Await(1)
	b.say("/plan off")
	close(release)
	s := b.rests(planning.StatusDone)
	if got := b.results()["w"]; !strings.Contains(got, "plan mode") {
		t.Errorf("the call that was under way got %q", got)
	}
	if s.Mode != planning.ModeNormal || len(recordsOf[planning.ModeChanged](b)) != 1 {
		t.Errorf("mode %q after %v", s.Mode, recordsOf[planning.ModeChanged](b))
	}
}
