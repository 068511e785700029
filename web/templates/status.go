package templates

import (
	"context"
	"strings"
	"unicode/utf8"

	"countersign/internal/planning"
)

// The words for what a session is at. Facts of equal weight stand beside each
// other, with a point between them; each is whole in itself.

// longCommand says how much there is to read before a long command is allowed;
// it is empty for one that can be seen at a glance.
func longCommand(ctx context.Context, command string) string {
	lines, size := strings.Count(strings.TrimRight(command, "\n"), "\n")+1, utf8.RuneCountInString(command)
	switch {
	case lines <= 10 && size <= 600:
		return ""
	case lines == 1:
		return tr(ctx, "A long command: %d characters. All of it is shown.", size)
	}
	return tr(ctx, "A long command: %d lines, %d characters. All of it is shown.", lines, size)
}

// finished says in a few words how a session ended.
func finished(ctx context.Context, s planning.Summary) (class, words string) {
	switch {
	case s.Abandoned:
		return "", tr(ctx, "Stopped by a person")
	case s.Unfinished > 0:
		return "warn", tr(ctx, "Unfinished: %d items", s.Unfinished)
	case s.Outside > 0:
		return "warn", tr(ctx, "Done, %d files outside the plan", s.Outside)
	case s.Mode == planning.ModeExecuting:
		return "ok", tr(ctx, "✓ Done as planned")
	default:
		return "ok", tr(ctx, "✓ Done")
	}
}

func todoLine(ctx context.Context, s planning.Summary) string {
	facts := []string{tr(ctx, "%d of %d items", s.TodoDone(), len(s.Todos))}
	switch {
	case s.Changed == 0:
		facts = append(facts, tr(ctx, "no files changed"))
	case s.Outside > 0:
		facts = append(facts, tr(ctx, "%d files changed", s.Changed), tr(ctx, "%d files outside the plan", s.Outside))
	case s.PlanVersion > 0:
		facts = append(facts, tr(ctx, "%d files, all in the plan", s.Changed))
	default:
		facts = append(facts, tr(ctx, "%d files changed", s.Changed))
	}
	return strings.Join(facts, " · ")
}

// doing says what a session is up to, for its chip.
func doing(ctx context.Context, s planning.Summary) (class, words string) {
	switch {
	case s.Status == planning.StatusPlanning && guided(ctx):
		return "live", tr(ctx, "Exploring, by guidance only")
	case s.Status == planning.StatusPlanning:
		return "lock", tr(ctx, "Exploring, read-only")
	case len(s.Todos) > 0:
		return "live", tr(ctx, "Step %d of %d", min(s.TodoDone()+1, len(s.Todos)), len(s.Todos))
	case s.Mode == planning.ModeExecuting:
		return "live", tr(ctx, "Running plan v%d", s.PlanVersion)
	default:
		return "live", tr(ctx, "Working")
	}
}

// waits says what a session waits for, for its chip.
func waits(ctx context.Context, s planning.Summary) (class, words string) {
	switch {
	case s.Status == planning.StatusInReview:
		return "warn", tr(ctx, "Plan v%d to review", s.PlanVersion)
	case s.Status == planning.StatusPaused:
		return "", tr(ctx, "Paused")
	case s.Status == planning.StatusFailed:
		return "bad", tr(ctx, "Stopped by an error")
	case s.Wait == planning.WaitPermission:
		return "live", tr(ctx, "Asks for permission")
	case s.Question != "":
		return "live", tr(ctx, "Asks a question")
	default:
		return "live", tr(ctx, "Waits for a message")
	}
}
