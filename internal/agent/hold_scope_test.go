package agent_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"countersign/internal/agent/llm/fakeopenai"
	"countersign/internal/planning"
)

func TestPlan_P24_NoQuestionWhereNothingLiesOutside(t *testing.T) {
	needsLayer(t)
	for name, command := range map[string]string{
		"a file of the plan":    "echo new > a.txt",
		"nothing":               "cat a.txt",
		".git":                  "echo evil >> .git/config; mkdir -p sub/.git; echo evil > sub/.git/config",
		"what git ignores":      "mkdir out; echo x > out/x; echo x > y.log",
		"a link and a pipe":     "ln -s /etc/passwd link; mkfifo pipe",
		"the same text":         "touch b.txt; cp b.txt t; mv t b.txt",
		"more than can be kept": "head -c 9000000 /dev/zero > big",
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, fakeopenai.Calls(submit("p")), fakeopenai.Calls(shell("c", command)), fakeopenai.Text("done"))
			b.file("a.txt", "old\n")
			b.file("b.txt", "b\n")
			b.file(".gitignore", "out/\n*.log\n")
			if err := os.Mkdir(filepath.Join(b.dir, ".git"), 0o755); err != nil {
				t.Fatal(err)
			}
			b.begin(planning.ModePlan)
			b.rests(planning.StatusInReview)
			b.verdict(planning.VerdictApprove, "")
			if s := b.rests(planning.StatusDone); len(s.Permissions) != 0 {
				t.Errorf("asked: %+v", s.Permissions)
			}
			if strings.HasPrefix(name, "more") && !strings.Contains(b.results()["c"], "big (not in the plan, and too much to be kept") {
				t.Errorf("the result is %q", b.results()["c"])
			}
			b.files(map[string]string{"out/x": "(none)", "y.log": "(none)", ".git/config": "(none)", "big": "(none)"})
		})
	}
}

// What was allowed for the session is not asked about again, and only that.
func TestPlan_P24_AllowedForTheSession(t *testing.T) {
	needsLayer(t)
	b := approved(t, fakeopenai.Calls(shell("c", "echo 1 > b.txt")), fakeopenai.Calls(shell("d", "echo 2 > b.txt; echo 2 > c.txt")), fakeopenai.Text("done"))
	b.rests(planning.StatusWaiting)
	b.answer(planning.AnswerSession, "")
	s := b.rests(planning.StatusWaiting)
	if p := s.OpenPermissions()[0]; strings.Join(p.Paths, " ") != "c.txt" || b.text("b.txt") != "2\n" {
		t.Errorf("asked about %q, b.txt %q", p.Paths, b.text("b.txt"))
	}
	b.answer(planning.AnswerRefuse, "")
	b.rests(planning.StatusDone)
	b.files(map[string]string{"b.txt": "2\n", "c.txt": "(none)"})
}

func TestPlan_P24_T9_TwoCommandsOfOneTurn(t *testing.T) {
	needsLayer(t)
	b := approved(t,
		fakeopenai.Calls(shell("c", "echo 1 > b.txt"), writeFile("w", "a.txt", "new\n"), shell("d", "cat b.txt; echo 2 > b.txt")),
		fakeopenai.Text("done"))
	s := b.rests(planning.StatusWaiting)
	if n := len(s.OpenPermissions()); n != 2 {
		t.Fatalf("%d questions", n)
	}
	b.answer(planning.AnswerOnce, "")
	b.until("the first file", func(s planning.State) bool { return s.Calls[0].State == planning.CallDone })
	b.answer(planning.AnswerOnce, "")
	b.rests(planning.StatusDone)
	b.files(map[string]string{"a.txt": "new\n", "b.txt": "1\n"}) // the second was made of a b.txt that is no more
	got := b.results()
	if !strings.Contains(got["c"], "[Now in the workspace: b.txt]") || !strings.Contains(got["d"], "b.txt (it has changed since the question)") {
		t.Errorf("results: %q", got)
	}
	b.keptNothing()
}

// A person pauses the session while the question is open, answers, and lets it
// go on.
func TestPlan_P24_PausedBetweenAnswerAndWriting(t *testing.T) {
	b := asked(t, true)
	b.db.SetOnCommit(func(planning.State, []planning.Record) {}) // the answer is in, nothing has moved yet
	b.answer(planning.AnswerOnce, "")
	b.do(func(s planning.State) ([]planning.Event, error) { return planning.Pause(s, ana.Actor()) })
	b.restart()
	b.files(map[string]string{"b.txt": "before\n"})
	b.model.Add(fakeopenai.Text("done"))
	b.resume()
	b.rests(planning.StatusDone)
	b.files(map[string]string{"b.txt": "out\n"})
}

// Only the plan's commands have the network; for another one the model can
// have a person asked beforehand.
func TestPlan_P24_AskingBeforehand(t *testing.T) {
	needsLayer(t)
	first := shell("c", "echo x > b.txt; ls /sys/class/net")
	first.Arguments.(map[string]any)["ask"] = true
	b := approved(t, fakeopenai.Calls(first), fakeopenai.Text("done"))
	s := b.rests(planning.StatusWaiting)
	if p := s.OpenPermissions()[0]; p.Command == "" || p.Held != nil || b.text("b.txt") != "(none)" {
		t.Fatalf("asked: %+v", p)
	}
	b.answer(planning.AnswerOnce, "")
	s = b.rests(planning.StatusDone)
	if b.text("b.txt") != "x\n" || len(s.Permissions) != 1 {
		t.Errorf("b.txt %q after %d questions", b.text("b.txt"), len(s.Permissions))
	}
}
