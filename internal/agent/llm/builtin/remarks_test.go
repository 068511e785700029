package builtin

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/internal/planning"
)

func contains(t *testing.T, text string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

// "Skip PATH", as people write it, on the plan and on any step.
func TestRevise_P14_SkipPath(t *testing.T) {
	files := map[string]string{"a.go": "OldName\n", "my notes.md": "OldName\n", "b/b.go": "OldName\n", "vendor/v.go": "OldName\n"}
	for _, c := range []struct {
		body string
		left []string
	}{
		{"skip b/b.go", []string{"a.go", "my notes.md", "vendor/v.go"}},
		{"skip \"my notes.md\"", []string{"a.go", "b/b.go", "vendor/v.go"}},
		{"Please skip `my notes.md` and `b/b.go`.", []string{"a.go", "vendor/v.go"}},
		{"skip 'my notes.md', vendor/", []string{"a.go", "b/b.go"}},
		{"skip b/b.go\nskip vendor/", []string{"a.go", "my notes.md"}},
		{"skip b/b.go. Skip “my notes.md”! And leave vendor alone.", []string{"a.go"}},
	} {
		for _, step := range []int{0, 1, 3} {
			_, d := reviewing(t, files, task1)
			d.comment("Ana", step, "", c.body)
			p := d.next(t)
			if diff := cmp.Diff(c.left, p.Scope.Files); diff != "" {
				t.Errorf("%q on step %d: %s\n%s", c.body, step, diff, p.Markdown)
			}
		}
	}
}

// A line of a file, from anywhere in the review.
func TestRevise_P14_LinesOfAFile(t *testing.T) {
	only3 := "## Step 2: Rename in `a.go`\n\n```diff\n@@ line 3 @@\n-func OldName() {}\n+func NewName() {}\n```\n\n"
	for _, body := range []string{
		"Do not touch line 5 of a.go.", "skip lines 4-9 in `a.go`", "leave a.go:5 alone", "a.go line 5 should stay", "please don't change a.go, line 5",
		"不要改 a.go 的第 5 行", "skip line 5 of \"a.go\" and nothing else",
	} {
		_, d := reviewing(t, small, task1)
		d.comment("Ana", 0, "", body)
		p := d.next(t)
		if strings.Contains(body, "else") {
			contains(t, p.Markdown, "The built-in planner can't do this; it changed nothing.")
			continue
		}
		if diff := cmp.Diff(only3, steps(p.Markdown)[1]); diff != "" {
			t.Errorf("%q: %s", body, diff)
		}
		said := "Left out: line 5 of `a.go`."
		if isChinese(body) {
			said = "已去掉：第 5 行（`a.go`）。"
		}
		contains(t, p.Markdown, said)
	}
	for body, want := range map[string]string{
		"skip line 77 of a.go": "The step has no such line.", "skip line 3 of nowhere/x.go": "No step is about `nowhere/x.go`.",
		"skip lines 3 and 5 of a.go": "Left out: `a.go`.", "skip line 5 of the function": "The built-in planner can't do this; it changed nothing.",
	} {
		_, d := reviewing(t, small, task1)
		d.comment("Ana", 1, "", body)
		contains(t, d.next(t).Markdown, want)
	}
}

// A note that comes with the approval, or while the plan is carried out: what
// it leaves out is left out, and the report never says that more was done.
func TestCarryOut_R9_NotesAreAnsweredHonestly(t *testing.T) {
	for note, want := range map[string]string{
		"Do not touch line 5 of a.go.":         "done.",
		"skip line 77 of a.go":                 "nothing in the plan is about this.",
		"skip docs/":                           "nothing in the plan is about this.",
		"only *.go":                            "the built-in planner can't do this.",
		"skip vendor/. Make it faster, please": "done in part; the rest the built-in planner can't do.",
	} {
		s, d := reviewing(t, small, task1)
		d.decide("Ana", planning.VerdictApprove, note)
		report := s.run()
		contains(t, report, fmt.Sprintf("- Ana: “%s” — %s", plain(note), want))
		wantA := "package p\n\nfunc NewName() {}\n\nvar x = NewName\n"
		if strings.Contains(note, "line 5") {
			wantA = "package p\n\nfunc NewName() {}\n\nvar x = OldName\n"
			contains(t, report, "`a.go`: 1 line Line 5 left alone, as somebody asked meanwhile.", "Changed: 5 lines.")
			if done, all := s.done(); done != all {
				t.Errorf("%d of %d done", done, all)
			}
		}
		if s.file("a.go") != wantA {
			t.Errorf("%q: %q", note, s.file("a.go"))
		}
	}
}

func TestCarryOut_R9_ANoteThatComesTooLate(t *testing.T) {
	s, d := reviewing(t, small, task1)
	d.decide("Ana", planning.VerdictApprove, "")
	for !strings.Contains(s.file("a.go"), "NewName") {
		for _, c := range s.turn().Calls {
			s.result(c.ID, s.call(c))
		}
	}
	s.say("skip a.go")
	s.say("skip vendor/")
	report := s.run()
	contains(t, report, "“skip a.go” — too late: the change had been made.", "“skip vendor/” — done.", "`a.go`: 2 lines", "Steps done: 3 of 4.")
	if s.file("vendor/v/v.go") != small["vendor/v/v.go"] {
		t.Error("the note was not obeyed")
	}
}

// The report counts what this run changed, and apart from it what was so
// before.
func TestReport_R11_WhatWasDoneBeforeIsNotCounted(t *testing.T) {
	s, d := reviewing(t, small, task1)
	d.decide("Ana", planning.VerdictApprove, "")
	put(t, s, "README.md", "See NewName.\n")
	put(t, s, "a.go", strings.Replace(small["a.go"], "func OldName", "func NewName", 1))
	report := s.run()
	contains(t, report, "Steps done: 4 of 4. Changed: 4 lines. Already as planned before: 2 lines.",
		"- `README.md`: 1 line already as planned before", "- `a.go`: 1 line\n- `a.go`: 1 line already as planned before\n")
	if strings.Contains(report, "- `README.md`: 1 line\n") {
		t.Error(report)
	}
}

// An edit whose outcome nobody knew counts as this run's, since it is.
func TestReport_R11_AnInterruptedEditCounts(t *testing.T) {
	s, d := reviewing(t, small, task1)
	d.decide("Ana", planning.VerdictApprove, "")
	cut := false
	s.cut = func(c planning.ToolCall) bool {
		now := !cut && edits("a.go")(c)
		cut = cut || now
		return now
	}
	if report := s.run(); !cut || !strings.Contains(report, "Steps done: 4 of 4. Changed: 6 lines.") || strings.Contains(report, "before") {
		t.Error(report)
	}
}

// A comment that stays open comes with every round; what it asked for by number
// is not done a second time to other steps.
func TestRevise_R4_CommentsOfEarlierRounds(t *testing.T) {
	_, d := reviewing(t, small, task1)
	d.comment("Ana", 0, "", "skip step 1")
	p := d.next(t)
	left := p.Scope.Files
	d.comment("Bo", 1, "", "ok")
	p = d.next(t)
	if diff := cmp.Diff(left, p.Scope.Files); diff != "" {
		t.Error(diff)
	}
	contains(t, p.Markdown, "- Ana, on the plan: “skip step 1” — Answered in an earlier version.", "- Bo, on step 1: “ok” — Noted.")
	// What is said on in the same thread is new.
	d.must(replyTo(d, "t1", "skip vendor/"))
	if p = d.next(t); slices.Contains(p.Scope.Files, "vendor/v/v.go") {
		t.Error(p.Markdown)
	}
}

// Replacing with nothing is a deletion.
func TestPlan_DeleteAText(t *testing.T) {
	for task, want := range map[string]string{
		`replace "obsolete " with ""`:          "the code\nobsoletely\n",
		`replace “obsolete ” with “” in *.txt`: "the code\nobsoletely\n",
		`change obsolete to ""`:                "the  code\nobsoletely\n",
		`将“obsolete ”替换为“”`:                    "the code\nobsoletely\n",
	} {
		s := newSession(t, map[string]string{"a.txt": "the obsolete code\nobsoletely\n"})
		s.say(task)
		s.run()
		p := s.plan().Plan
		if !strings.HasPrefix(p, "# Delete `obsolete") && !strings.HasPrefix(p, "# 删除 `obsolete") {
			t.Errorf("%s: %s", task, p)
		}
		s.approve("")
		report := s.run()
		if s.file("a.txt") != want {
			t.Errorf("%s: %q\n%s", task, s.file("a.txt"), report)
		}
	}
	s := newSession(t, map[string]string{"a.txt": "x\n"})
	s.say(`replace "" with "x"`)
	contains(t, s.run(), "I am the built-in planner.")
	s.say(`replace "y" with "x", "x" with ""`)
	s.run()
	contains(t, s.plan().Plan, "# Replace `y` with `x`, Delete `x`", "Wherever `x` stands, it is deleted;")
}

// What a message asks for that the first plan can't mind is said in the plan.
func TestPlan_MessageAboutALine(t *testing.T) {
	s := newSession(t, small)
	s.say(task1)
	for _, c := range s.turn().Calls {
		s.result(c.ID, s.call(c))
	}
	s.say("skip line 5 of a.go")
	s.run()
	contains(t, s.plan().Plan, "I did not understand “skip line 5 of a.go”")
}
