package agent_test

import (
	"strings"
	"testing"

	"countersign/internal/agent/llm/fakeopenai"
	"countersign/internal/planning"
)

func TestPlan_P24_AQuestionShowsTheChangeOfWhatIsOnDisk(t *testing.T) {
	b := approved(t, fakeopenai.Calls(writeFile("out", "b.txt", "one\ntwo\n")), fakeopenai.Text("done"))
	b.file("b.txt", "one\n2\n")
	s := b.rests(planning.StatusWaiting)
	p := s.OpenPermissions()[0]
	if !strings.Contains(p.Detail, " one\n-2\n+two\n") {
		t.Errorf("the question shows %q", p.Detail)
	}
	b.answer(planning.AnswerOnce, "")
	b.rests(planning.StatusDone)
	if got := b.text("b.txt"); got != "one\ntwo\n" {
		t.Errorf("b.txt = %q", got)
	}
}

func TestPlan_P24_AFileThatChangedSinceTheQuestionIsNotWritten(t *testing.T) {
	for _, answer := range []planning.PermissionAnswer{planning.AnswerOnce, planning.AnswerSession} {
		b := approved(t, fakeopenai.Calls(writeFile("out", "b.txt", "one\ntwo\n")), fakeopenai.Text("done"))
		b.rests(planning.StatusWaiting)
		b.file("b.txt", "a person's\n")
		b.restart() // what was seen is in the log
		b.answer(answer, "")
		b.rests(planning.StatusDone)
		if got := b.text("b.txt"); got != "a person's\n" {
			t.Errorf("%s: b.txt = %q", answer, got)
		}
		if got := b.results()["out"]; !strings.Contains(got, "has changed since a person was asked") {
			t.Errorf("%s: the model is told %q", answer, got)
		}
	}
}

func TestPlan_P24_NobodyIsAskedAboutWhatCanNotSucceed(t *testing.T) {
	edit := fakeopenai.Call{ID: "e", Name: "edit_file", Arguments: map[string]any{"path": "b.txt", "old": "x", "new": "y"}}
	b := approved(t, fakeopenai.Calls(edit), fakeopenai.Text("done"))
	s := b.rests(planning.StatusDone)
	if len(s.Permissions) != 0 || !strings.Contains(b.results()["e"], "does not exist") {
		t.Errorf("asked %+v, result %q", s.Permissions, b.results()["e"])
	}
}

func TestPlan_P20_ConfirmEveryShowsTheChangeOfAnApprovedFile(t *testing.T) {
	b := newBench(t, fakeopenai.Calls(submit("p")), fakeopenai.Calls(writeFile("w", "a.txt", "new\n")), fakeopenai.Text("done"))
	b.agent.Settings.Policy.ConfirmAll = true
	b.file("a.txt", "old\n")
	b.begin(planning.ModePlan)
	b.rests(planning.StatusInReview)
	b.verdict(planning.VerdictApprove, "")
	s := b.rests(planning.StatusWaiting)
	if p := s.OpenPermissions(); len(p) != 1 || !strings.Contains(p[0].Detail, "-old\n+new\n") {
		t.Fatalf("asked: %+v", p)
	}
	b.answer(planning.AnswerOnce, "")
	if s = b.rests(planning.StatusDone); b.text("a.txt") != "new\n" || len(s.Permissions) != 1 {
		t.Errorf("a.txt = %q after %d questions", b.text("a.txt"), len(s.Permissions))
	}
}
