package builtin

import (
	"fmt"
	"strings"
	"testing"

	"countersign/internal/planning"
)

// A crash in the middle of an edit, before or after it reached the disk: the
// file is looked at again, and only what is missing is done.
func TestCarryOut_S4_OutcomeUnknown(t *testing.T) {
	for _, happened := range []bool{true, false} {
		t.Run(fmt.Sprint("happened ", happened), func(t *testing.T) {
			s, d := reviewing(t, small, task1)
			d.decide("Ana", planning.VerdictApprove, "")
			first, tried := true, 0
			cut := func(c planning.ToolCall) bool {
				if !edits("a.go")(c) {
					return false
				}
				tried++
				was := first
				first = false
				return was
			}
			if happened {
				s.cut = cut
			} else {
				s.refuse = func(c planning.ToolCall) string {
					if cut(c) {
						return "The outcome is unknown: the server went down while this ran."
					}
					return ""
				}
			}
			report := s.run()
			if have := s.file("a.go"); have != "package p\n\nfunc NewName() {}\n\nvar x = NewName\n" {
				t.Errorf("%q", have)
			}
			if want := map[bool]int{true: 1, false: 2}[happened]; tried != want {
				t.Errorf("it was edited %d times, want %d", tried, want)
			}
			if done, all := s.done(); done != all || !strings.Contains(report, "Steps done: 4 of 4. Changed: 6 lines.") {
				t.Errorf("%d of %d: %s", done, all, report)
			}
		})
	}
}

// A rename whose new text holds the old one is not done twice after a crash.
func TestCarryOut_S4_NotDoneTwice(t *testing.T) {
	s, d := reviewing(t, map[string]string{"a.txt": "x Old\nx Old\n"}, `replace "Old" with "OldOld"`)
	d.decide("Ana", planning.VerdictApprove, "")
	first := true
	s.cut = func(c planning.ToolCall) bool {
		was := first && c.Name == "edit_file"
		first = first && !was
		return was
	}
	s.run()
	if have := s.file("a.txt"); have != "x OldOld\nx OldOld\n" {
		t.Errorf("%q", have)
	}
}

func TestPlan_S4_SubmissionUnknown(t *testing.T) {
	s := newSession(t, small)
	s.say(task1)
	for range 3 {
		s.run()
		s.plan()
		s.result(s.messages[len(s.messages)-1].Calls[0].ID, outcome{"The outcome is unknown: the server went down.", true})
	}
	if text := s.run(); !strings.Contains(text, "My plan was not taken") {
		t.Error(text)
	}
}
