package agent_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"countersign/internal/agent/llm/fakeopenai"
	"countersign/internal/agent/sandbox"
	"countersign/internal/planning"
	"countersign/internal/trial"
)

func needsLayer(t *testing.T) {
	t.Helper()
	if s := sandbox.Detect(); !s.Overlay {
		trial.Lacks(t, s.Reason)
	}
}

// generates is a command that writes one file of the plan and two that are not
// in it, and counts, outside of what is kept, nothing.
const generates = "echo in > a.txt; echo out > b.txt; printf 'x\\0y' > bin; rm c.txt; echo evil >> .git/config; echo ran"

// asked runs such a command, listed or not, up to the question.
func asked(t *testing.T, listed bool) *bench {
	t.Helper()
	needsLayer(t)
	plan := submit("p")
	if listed {
		plan.Arguments.(map[string]any)["commands"] = []string{generates}
	}
	b := newBench(t, fakeopenai.Calls(plan), fakeopenai.Calls(shell("c", generates)))
	for name, text := range map[string]string{"a.txt": "old\n", "b.txt": "before\n", "c.txt": "gone soon\n"} {
		b.file(name, text)
	}
	if err := os.Mkdir(filepath.Join(b.dir, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	b.file(".git/config", "c\n")
	b.begin(planning.ModePlan)
	b.rests(planning.StatusInReview)
	b.verdict(planning.VerdictApprove, "")
	b.rests(planning.StatusWaiting)
	return b
}

// ends lets the model end the session and returns the result of the command.
func (b *bench) ends(answer planning.PermissionAnswer, reason string) string {
	b.t.Helper()
	b.model.Add(fakeopenai.Text("done"))
	b.answer(answer, reason)
	b.rests(planning.StatusDone)
	return b.results()["c"]
}

// kept fails unless nothing is left of what was put by.
func (b *bench) keptNothing() {
	b.t.Helper()
	if entries, _ := os.ReadDir(b.held()); len(entries) != 0 {
		b.t.Errorf("left behind: %v", entries)
	}
}

func (b *bench) files(want map[string]string) {
	b.t.Helper()
	for name, text := range want {
		if got := b.text(name); got != text {
			b.t.Errorf("%s = %q, want %q", name, got, text)
		}
	}
}

func TestPlan_P24_ACommandIsAskedAboutWithWhatItWouldHaveWritten(t *testing.T) {
	for name, listed := range map[string]bool{"a command of the plan": true, "another command": false} {
		t.Run(name, func(t *testing.T) {
			b := asked(t, listed)
			s, _ := b.db.State(t.Context(), b.id)
			if len(s.OpenPermissions()) != 1 || s.Run.Wait != planning.WaitPermission {
				t.Fatalf("open requests: %+v, waits for %q", s.OpenPermissions(), s.Run.Wait)
			}
			p := s.OpenPermissions()[0]
			if got := strings.Join(p.Paths, " "); got != "b.txt bin c.txt" || p.Command != "" {
				t.Errorf("asked about %q, command %q", got, p.Command)
			}
			for _, part := range []string{"@@ b.txt: changed @@", "-before\n+out\n", "bin is no text", "3 bytes afterwards", "@@ c.txt: deleted @@", "-gone soon\n"} {
				if !strings.Contains(p.Detail, part) {
					t.Errorf("the question lacks %q: %s", part, p.Detail)
				}
			}
			if !strings.Contains(p.Reason, "echo in > a.txt") || !strings.Contains(p.Reason, "3 files that the approved plan does not list") {
				t.Errorf("the reason is %q", p.Reason)
			}
			b.files(map[string]string{"a.txt": "in\n", "b.txt": "before\n", "bin": "(none)", "c.txt": "gone soon\n", ".git/config": "c\n"})
		})
	}
}

func TestPlan_P24_WhatACommandWroteIsAllowed(t *testing.T) {
	for _, answer := range []planning.PermissionAnswer{planning.AnswerOnce, planning.AnswerSession} {
		b := asked(t, true)
		result := b.ends(answer, "")
		b.files(map[string]string{"a.txt": "in\n", "b.txt": "out\n", "bin": "x\x00y", "c.txt": "(none)", ".git/config": "c\n"})
		for _, part := range []string{"[exit 0", "ran\n", "[Changed: a.txt]", ".git/config (protected)", "Ana, was asked", "[Now in the workspace: b.txt, bin, c.txt]"} {
			if !strings.Contains(result, part) {
				t.Errorf("%s: the result lacks %q: %s", answer, part, result)
			}
		}
		s, _ := b.db.State(t.Context(), b.id)
		for _, c := range s.Changes {
			if c.InPlan != (c.Path == "a.txt") {
				t.Errorf("%s in the plan: %v", c.Path, c.InPlan)
			}
		}
		if len(s.Changes) != 4 || s.Permissions[0].Held != nil {
			t.Errorf("changes %+v, permission %+v", s.Changes, s.Permissions[0])
		}
		if g := s.Grants(); (len(g.Files) == 3) != (answer == planning.AnswerSession) || len(g.Commands) != 0 {
			t.Errorf("%s grants %+v", answer, g)
		}
		b.keptNothing()
	}
}

func TestPlan_P24_WhatACommandWroteIsRefused(t *testing.T) {
	b := asked(t, false)
	result := b.ends(planning.AnswerRefuse, "Leave b.txt to *me*.")
	b.files(map[string]string{"a.txt": "in\n", "b.txt": "before\n", "bin": "(none)", "c.txt": "gone soon\n"})
	for _, part := range []string{"[exit 0", "ran\n", "thrown away: b.txt, bin, c.txt]", "Refused by Ana. Leave b.txt to *me*."} {
		if !strings.Contains(result, part) {
			t.Errorf("the result lacks %q: %s", part, result)
		}
	}
	b.keptNothing()
}

func TestPlan_P24_P25_WhatACommandWroteSendsBackToPlanning(t *testing.T) {
	b := asked(t, true)
	b.model.Add(fakeopenai.Calls(submit("p2")))
	b.answer(planning.AnswerReplan, "Plan b.txt too.")
	s := b.rests(planning.StatusInReview)
	if s.Mode != planning.ModePlan || len(s.Plans) != 2 {
		t.Errorf("mode %q, %d plans", s.Mode, len(s.Plans))
	}
	b.files(map[string]string{"a.txt": "in\n", "b.txt": "before\n"})
	if got := b.results()["c"]; !strings.Contains(got, "goes back to plan mode") || !strings.Contains(got, "Plan b.txt too.") {
		t.Errorf("the result is %q", got)
	}
	b.keptNothing()
}

func TestPlan_P24_AFileThatChangedMeanwhileIsLeftAlone(t *testing.T) {
	b := asked(t, true)
	b.file("b.txt", "a person's\n")
	b.file("bin", "a person's too\n")
	result := b.ends(planning.AnswerOnce, "")
	b.files(map[string]string{"b.txt": "a person's\n", "bin": "a person's too\n", "c.txt": "(none)"})
	for _, part := range []string{"[Now in the workspace: c.txt]", "[Not written after all: b.txt (it has changed since the question), bin (it has"} {
		if !strings.Contains(result, part) {
			t.Errorf("the result lacks %q: %s", part, result)
		}
	}
	for _, c := range recordsOf[planning.FileChanged](b) {
		if c.Path == "b.txt" || c.Path == "bin" {
			t.Errorf("recorded: %+v", c)
		}
	}
}

func TestPlan_P24_ContentsThatWereTamperedWithAreNotWritten(t *testing.T) {
	b := asked(t, true)
	err := filepath.WalkDir(b.held(), func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		return os.WriteFile(name, []byte("something else"), 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
	result := b.ends(planning.AnswerOnce, "")
	b.files(map[string]string{"b.txt": "before\n", "bin": "(none)", "c.txt": "(none)"})
	if !strings.Contains(result, "b.txt (its text is no longer there") {
		t.Errorf("the result is %q", result)
	}
}
