package templates

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"countersign/internal/planning"
)

// The sentences that depend on a number or a state. Each is whole, so that it
// can be put into another language as it stands.

func count(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return fmt.Sprintf(many, n)
}

func openComments(n int) string {
	return count(n, "1 open comment", "%d open comments")
}

func rewrites(n int) string {
	return count(n, "1 change by reviewers", "%d changes by reviewers")
}

func approvals(n, needed int) string {
	if needed == 1 {
		return count(n, "1 approval", "%d approvals")
	}
	return fmt.Sprintf("%d of %d approvals", n, needed)
}

// approveWords is the button for the nth approval of those needed.
func approveWords(n, needed int) string {
	if n < needed {
		return fmt.Sprintf("Approve (%d of %d)", n, needed)
	}
	return "Approve & run"
}

func stepsAndFiles(steps, files int) string {
	s := count(steps, "1 step", "%d steps")
	return s + " · " + count(files, "1 file", "%d files")
}

func filesInPlan(n int) string {
	return count(n, "May write · 1 file", "May write · %d files")
}

// longCommand says how much there is to read before a long command is allowed;
// it is empty for one that can be seen at a glance.
func longCommand(command string) string {
	lines, size := strings.Count(strings.TrimRight(command, "\n"), "\n")+1, utf8.RuneCountInString(command)
	if lines <= 10 && size <= 600 {
		return ""
	}
	if lines == 1 {
		return fmt.Sprintf("A long command: %d characters. All of it is shown.", size)
	}
	return fmt.Sprintf("A long command: %d lines, %d characters. All of it is shown.", lines, size)
}

func lostFiles(n int) string {
	return count(n, "May write 1 file that no step names any more", "May write %d files that no step names any more")
}

func notKept(n int) string {
	return count(n, "The model did not keep 1 thing that reviewers wrote", "The model did not keep %d things that reviewers wrote")
}

func moreLines(n int) string {
	return count(n, "1 more line", "%d more lines")
}

func outside(n int) string {
	return count(n, "1 file outside the plan", "%d files outside the plan")
}

func unfinished(n int) string {
	return count(n, "Unfinished: 1 item", "Unfinished: %d items")
}

func answersOf(answered, all, version int) string {
	return fmt.Sprintf("answers %d of %d comments on v%d", answered, all, version)
}

// finished says in a few words how a session ended.
func finished(s planning.Summary) (class, words string) {
	switch {
	case s.Abandoned:
		return "", "Stopped by a person"
	case s.Unfinished > 0:
		return "warn", unfinished(s.Unfinished)
	case s.Outside > 0:
		return "warn", "Done, " + outside(s.Outside)
	case s.Mode == planning.ModeExecuting:
		return "ok", "✓ Done as planned"
	default:
		return "ok", "✓ Done"
	}
}

func todoLine(s planning.Summary) string {
	done := fmt.Sprintf("%d of %d items", s.TodoDone(), len(s.Todos))
	switch {
	case s.Changed == 0:
		return done + " · no files changed"
	case s.Outside > 0:
		return done + " · " + count(s.Changed, "1 file changed", "%d files changed") + ", " + outside(s.Outside)
	case s.PlanVersion > 0 && s.Changed == 1:
		return done + " · 1 file, in the plan"
	case s.PlanVersion > 0:
		return done + fmt.Sprintf(" · %d files, all in the plan", s.Changed)
	default:
		return done + " · " + count(s.Changed, "1 file changed", "%d files changed")
	}
}

// doing says what a session is up to, for its chip.
func doing(s planning.Summary) (class, words string) {
	switch {
	case s.Status == planning.StatusPlanning:
		return "lock", "Exploring, read-only"
	case len(s.Todos) > 0:
		return "live", fmt.Sprintf("Step %d of %d", min(s.TodoDone()+1, len(s.Todos)), len(s.Todos))
	case s.Mode == planning.ModeExecuting:
		return "live", fmt.Sprintf("Running plan v%d", s.PlanVersion)
	default:
		return "live", "Working"
	}
}

// waits says what a session waits for, for its chip.
func waits(s planning.Summary) (class, words string) {
	switch {
	case s.Status == planning.StatusInReview:
		return "warn", fmt.Sprintf("Plan v%d to review", s.PlanVersion)
	case s.Status == planning.StatusPaused:
		return "", "Paused"
	case s.Status == planning.StatusFailed:
		return "bad", "Stopped by an error"
	case s.Wait == planning.WaitPermission:
		return "live", "Asks for permission"
	default:
		return "live", "Waits for a message"
	}
}
