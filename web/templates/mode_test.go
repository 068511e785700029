package templates

import (
	"context"
	"strings"
	"testing"

	"countersign/internal/planning"

	"github.com/PuerkitoBio/goquery"
)

// inStatus makes a state that has this status.
func inStatus(t *testing.T, status planning.Status, mode planning.Mode) planning.State {
	t.Helper()
	s := planning.State{ID: "s", Mode: mode, Run: planning.Run{Phase: planning.PhaseRunning}}
	if mode == planning.ModeExecuting {
		s.Plans = []planning.Plan{{Version: 1, Status: planning.PlanApproved}}
	}
	switch status {
	case planning.StatusInReview:
		s.Plans = append(s.Plans, planning.Plan{Version: len(s.Plans) + 1, Status: planning.PlanInReview})
	case planning.StatusWaiting:
		s.Run = planning.Run{Phase: planning.PhaseParked, Wait: planning.WaitMessage}
	case planning.StatusPaused:
		s.Run.Phase = planning.PhasePaused
	case planning.StatusFailed:
		s.Run.Phase = planning.PhaseFailed
	case planning.StatusDone:
		s.Run.Phase = planning.PhaseFinished
	}
	if got := s.Status(); got != status {
		t.Fatalf("the state for %s in %s mode has the status %s", status, mode, got)
	}
	return s
}

// TestModeChip_OnlyReadOnlyModeIsLocked: the lock stands for read-only mode and for nothing else, in
// every status and mode.
func TestModeChip_OnlyReadOnlyModeIsLocked(t *testing.T) {
	const plan, executing, normal = planning.ModePlan, planning.ModeExecuting, planning.ModeNormal
	for _, c := range []struct {
		status planning.Status
		mode   planning.Mode
		change func(*planning.State)
		words  string
	}{
		{planning.StatusPlanning, plan, nil, "Plan mode · read-only"},
		{planning.StatusPlanning, plan, func(s *planning.State) { s.Queued = executing }, "Approved, about to run"},
		{planning.StatusInReview, plan, nil, "Plan mode · read-only"},
		{planning.StatusInReview, executing, nil, "Plan v2 to review"},
		{planning.StatusInReview, normal, nil, "Plan v1 to review"},
		{planning.StatusExecuting, executing, nil, "Running plan v1"},
		{planning.StatusExecuting, normal, nil, "Working"},
		{planning.StatusWaiting, plan, nil, "Waits for a message"},
		{planning.StatusWaiting, executing, nil, "Waits for a message"},
		{planning.StatusWaiting, normal, nil, "Waits for a message"},
		{planning.StatusWaiting, executing, func(s *planning.State) {
			s.Run.Wait, s.Permissions = planning.WaitPermission, []planning.Permission{{}}
		}, "Asks for permission"},
		{planning.StatusPaused, plan, nil, "Paused"},
		{planning.StatusPaused, executing, nil, "Paused"},
		{planning.StatusPaused, normal, nil, "Paused"},
		{planning.StatusFailed, plan, nil, "Stopped by an error"},
		{planning.StatusFailed, executing, nil, "Stopped by an error"},
		{planning.StatusFailed, normal, nil, "Stopped by an error"},
		{planning.StatusDone, plan, nil, "✓ Done"},
		{planning.StatusDone, executing, nil, "✓ Done as planned"},
		{planning.StatusDone, normal, nil, "✓ Done"},
		{planning.StatusDone, executing, func(s *planning.State) { s.Run.Unfinished = 2 }, "Unfinished: 2 items"},
		{planning.StatusDone, executing, func(s *planning.State) { s.Changes = []planning.FileChange{{Path: "b"}} }, "Done, 1 file outside the plan"},
		{planning.StatusDone, plan, func(s *planning.State) { s.Plans = []planning.Plan{{Version: 1, Status: planning.PlanAbandoned}} }, "Stopped by a person"},
		// A plan that was sent back and then dropped was not carried out.
		{planning.StatusDone, normal, func(s *planning.State) {
			s.Plans = []planning.Plan{{Version: 1, Status: planning.PlanChangesRequested}}
		}, "✓ Done"},
	} {
		s := inStatus(t, c.status, c.mode)
		if c.change != nil {
			c.change(&s)
		}
		var out strings.Builder
		if err := modeChip(s).Render(context.Background(), &out); err != nil {
			t.Fatal(err)
		}
		doc, err := goquery.NewDocumentFromReader(strings.NewReader(out.String()))
		if err != nil {
			t.Fatal(err)
		}
		what := string(c.status) + " in " + string(c.mode) + " mode"
		if got := strings.TrimSpace(doc.Find("#mode").Text()); got != c.words {
			t.Errorf("%s: %q, want %q", what, got, c.words)
		}
		if locked, want := doc.Find("svg, .lock").Length() > 0, strings.Contains(c.words, "read-only"); locked != want {
			t.Errorf("%s, %q: locked %v, want %v", what, c.words, locked, want)
		}
		if moves := doc.Find(".pulse").Length() > 0; moves && s.Run.Phase != planning.PhaseRunning {
			t.Errorf("%s, %q: it looks as if it ran", what, c.words)
		}
	}
}
