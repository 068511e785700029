package agent_test

import (
	"strings"
	"testing"

	"countersign/internal/agent/llm/fakeopenai"
	"countersign/internal/planning"
)

func TestPlan_P24_S4_ARestartLosesNothingAndRunsNothingTwice(t *testing.T) {
	b := asked(t, true)
	before, _ := b.db.State(t.Context(), b.id)
	after := b.restart()
	if after.Seq != before.Seq || after.Status() != planning.StatusWaiting {
		t.Fatalf("after the restart: %s at %d, before at %d", after.Status(), after.Seq, before.Seq)
	}
	b.file("a.txt", "a person's\n") // a second run would write it again
	result := b.ends(planning.AnswerOnce, "")
	b.files(map[string]string{"a.txt": "a person's\n", "b.txt": "out\n", "bin": "x\x00y", "c.txt": "(none)"})
	if !strings.Contains(result, "ran\n") || !strings.Contains(result, "[Now in the workspace: b.txt, bin, c.txt]") {
		t.Errorf("the result is %q", result)
	}
}

// The answer was recorded, and the server went down before anything was done.
func TestPlan_P24_S4_ARestartBetweenAnswerAndWriting(t *testing.T) {
	b := asked(t, true)
	b.db.SetOnCommit(func(planning.State, []planning.Record) {}) // nothing runs on
	b.answer(planning.AnswerOnce, "")
	if s := b.restart(); s.Status() != planning.StatusPaused {
		t.Fatalf("after the restart: %s", s.Status())
	}
	b.files(map[string]string{"b.txt": "before\n"})
	b.model.Add(fakeopenai.Text("done"))
	b.resume()
	b.rests(planning.StatusDone)
	b.files(map[string]string{"b.txt": "out\n", "c.txt": "(none)"})
	b.keptNothing()
}

// The server went down while the files were put in place: the changes were
// recorded, one of them happened.
func TestPlan_P24_S4_ARestartWhileWriting(t *testing.T) {
	b := asked(t, true)
	b.db.SetOnCommit(func(planning.State, []planning.Record) {})
	b.answer(planning.AnswerOnce, "")
	for _, p := range []planning.Payload{
		planning.ToolStarted{Call: "c", Name: "shell"},
		planning.FileChanged{Call: "c", Path: "b.txt", Existed: true, Exists: true, Before: "before\n", After: "out\n", Added: 1, Removed: 1},
		planning.FileChanged{Call: "c", Path: "c.txt", Existed: true, Before: "gone soon\n", Removed: 1},
	} {
		b.do(func(planning.State) ([]planning.Event, error) {
			return []planning.Event{{Actor: planning.System, Payload: p}}, nil
		})
	}
	b.file("b.txt", "out\n")
	s := b.restart()
	if s.Status() != planning.StatusPaused || s.Calls[0].State != planning.CallDone {
		t.Fatalf("after the restart: %s, call %s", s.Status(), s.Calls[0].State)
	}
	changes := recordsOf[planning.FileChanged](b)
	if last := changes[len(changes)-1]; len(changes) != 4 || last.Path != "c.txt" || last.Before != "" || !last.Exists {
		t.Errorf("changes in the log: %+v", changes)
	}
	b.model.Add(fakeopenai.Text("done"))
	b.resume()
	b.rests(planning.StatusDone)
	if got := b.results()["c"]; !strings.Contains(got, "ran\n") || !strings.Contains(got, "unknown which of them are") {
		t.Errorf("the result is %q", got)
	}
}
