package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"countersign/internal/trial"
)

// TestFault_20_SIGTERMUnderLoad: the server ends well while people comment,
// and what it acknowledged is there after the next start.
func TestFault_20_SIGTERMUnderLoad(t *testing.T) {
	rounds := trial.Often(1, 20)
	s := newServer(t, workspace(t, map[string]string{"a.txt": "Alpha\n"}))
	id := s.task("rename Alpha to Beta", nil)
	s.status(id, "in_review")
	acknowledged := map[string]bool{}
	var longest time.Duration
	for round := range rounds {
		start := make(chan struct{}, 1)
		var mu sync.Mutex
		var all sync.WaitGroup
		for w := range 8 {
			all.Go(func() {
				for n := 0; ; n++ {
					body := fmt.Sprintf("comment %d-%d-%d", round, w, n)
					if !s.comments(id, body) {
						return
					}
					mu.Lock()
					if acknowledged[body] = true; len(acknowledged) >= 40*(round+1) {
						select {
						case start <- struct{}{}:
						default:
						}
					}
					mu.Unlock()
				}
			})
		}
		<-start
		begun := time.Now()
		if code := s.stop(); code != 0 {
			t.Errorf("exit code %d", code)
		}
		longest = max(longest, time.Since(begun))
		all.Wait()
		s.start()
	}
	stored := map[string]bool{}
	for _, e := range s.events(id) {
		var p struct{ Body string }
		if err := json.Unmarshal(e.Data, &p); err == nil {
			stored[p.Body] = true
		}
	}
	for body := range acknowledged {
		if !stored[body] {
			t.Errorf("%q was acknowledged and is not there", body)
		}
	}
	if longest > 10*time.Second && trial.Long() {
		t.Errorf("it took %v", longest)
	}
	trial.Figures(t, "%d times, exit code 0 within %d ms, %d acknowledged comments, 0 lost", rounds, longest.Milliseconds(), len(acknowledged))
}

// comments says something about the plan, and whether it was acknowledged. The
// server may be gone.
func (s *server) comments(id, body string) bool {
	data, err := json.Marshal(object{"body": body})
	if err != nil {
		panic(err)
	}
	r, err := http.NewRequest(http.MethodPost, s.base+"/api/v1/sessions/"+id+"/plans/1/threads", bytes.NewReader(data))
	if err != nil {
		panic(err)
	}
	r.Header.Set("Authorization", "Bearer "+ownerToken)
	r.Header.Set("Content-Type", "application/json")
	res, err := client.Do(r)
	if err != nil {
		return false
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, res.Body)
	return res.StatusCode == http.StatusCreated
}
