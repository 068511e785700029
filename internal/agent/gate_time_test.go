package agent_test

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"countersign/internal/agent"
	"countersign/internal/agent/llm/builtin"
	"countersign/internal/agent/llm/fakeopenai"
	"countersign/internal/agent/sandbox"
	"countersign/internal/planning"
)

// What waits for people waits until they decide: in a year of the bubble's own
// clock every timer that could decide for them would have run.
func TestGate_R8_NoTimeDecides(t *testing.T) {
	sandbox.Detect() // starts processes, which know another clock
	for name, c := range map[string]struct {
		mode planning.Mode
		rest planning.Status
	}{
		"a plan in review":            {planning.ModePlan, planning.StatusInReview},
		"a question for a permission": {planning.ModeNormal, planning.StatusWaiting},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := &bench{t: t, model: &fakeopenai.Server{}, dir: t.TempDir(), path: t.TempDir() + "/test.db"}
				b.moved = sync.NewCond(&b.mu)
				b.open()
				defer b.db.Close()
				defer b.runner.Stop(t.Context())
				b.agent.Models = func(string) (agent.Model, error) { return builtin.New(), nil }
				b.file("a.txt", "Greeter\n")
				b.beginWith(c.mode, "Rename Greeter to Welcomer")
				before := b.rests(c.rest)
				time.Sleep(365 * 24 * time.Hour)
				synctest.Wait()
				after, err := b.db.State(t.Context(), b.id)
				if err != nil {
					t.Fatal(err)
				}
				if after.Seq != before.Seq || after.Status() != c.rest || b.text("a.txt") != "Greeter\n" {
					t.Errorf("a year later: %s at %d, before %s at %d; a.txt is %q", after.Status(), after.Seq, before.Status(), before.Seq, b.text("a.txt"))
				}
			})
		})
	}
}
