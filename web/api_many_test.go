package web

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"

	"countersign/internal/planning"
	"countersign/internal/review"
)

// P17: forty decisions from eight people at once have exactly one outcome, the
// one that everybody is told, and nobody else is told that theirs counted.
func TestAPI_P17_FortyDecisionsAtOnce(t *testing.T) {
	for _, needed := range []int{1, 3} {
		t.Run(fmt.Sprintf("%d approvals", needed), func(t *testing.T) {
			r := newRig(t, func(c *Config) { c.Approvals = needed })
			id := r.begin()
			p := r.submit(id, samplePlan)
			verdicts := []planning.Verdict{planning.VerdictApprove, planning.VerdictApprove, planning.VerdictRequestChanges, planning.VerdictApprove, planning.VerdictAbandon}
			var people []string
			for i := range 8 {
				token := fmt.Sprint("token-", i)
				r.person(fmt.Sprint("Person ", i), review.RoleApprover, token)
				people = append(people, token)
			}
			start, answers := make(chan struct{}), make(chan answer, 40)
			var all sync.WaitGroup
			for i, token := range people {
				for j := range verdicts {
					verdict := verdicts[(i+j)%len(verdicts)]
					all.Go(func() {
						<-start
						answers <- r.api("POST", "/sessions/"+id+"/plans/1/decision", decisionBody{Verdict: verdict, SHA256: p.SHA256}, as(token))
					})
				}
			}
			close(start)
			all.Wait()
			close(answers)
			checkOneOutcome(r, id, needed, answers)
		})
	}
}

func checkOneOutcome(r *rig, id string, needed int, answers <-chan answer) {
	r.t.Helper()
	records, err := r.db.Records(context.Background(), id, 0, 1000)
	r.must(err)
	var decided []planning.ReviewDecided
	approved := map[string]bool{}
	for _, rec := range records {
		payload, err := rec.Payload()
		r.must(err)
		switch p := payload.(type) {
		case planning.ReviewDecided:
			decided = append(decided, p)
		case planning.ReviewApproved:
			if approved[rec.Actor.ID] || len(decided) > 0 {
				r.t.Errorf("an approval by %s counts twice, or after the decision", rec.Actor.Name)
			}
			approved[rec.Actor.ID] = true
		}
	}
	if len(decided) != 1 {
		r.t.Fatalf("%d outcomes", len(decided))
	}
	if decided[0].Verdict == planning.VerdictApprove && len(approved) != needed {
		r.t.Errorf("approved by %d people, %d are needed", len(approved), needed)
	}
	var taken int
	for a := range answers {
		switch a.StatusCode {
		case http.StatusOK:
			taken++
		case http.StatusConflict:
		default:
			r.t.Errorf("status %d: %s", a.StatusCode, a.body)
		}
	}
	want := len(approved)
	if decided[0].Verdict != planning.VerdictApprove {
		want++ // the decision is one of its own
	}
	if taken != want {
		r.t.Errorf("%d were told that theirs counted; in the log are %d", taken, want)
	}
	end := r.planNow(id, 1)
	statuses := []planning.PlanStatus{planning.PlanApproved, planning.PlanChangesRequested, planning.PlanAbandoned}
	if !slices.Contains(statuses, end.Status) || end.Decision == nil || end.Decision.Verdict != decided[0].Verdict {
		r.t.Errorf("the plan is %s, decided %+v", end.Status, end.Decision)
	}
}
