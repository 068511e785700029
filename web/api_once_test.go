package web

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"countersign/internal/fault"
	"countersign/internal/review"

	"github.com/labstack/echo/v4"
)

// What is sent twice under one key acts once.
func TestAPI_IdempotencyKey(t *testing.T) {
	r := newRig(t)
	key := header("Idempotency-Key: k-1")
	first := r.api("POST", "/sessions", createBody{Task: "x"}, key).is(201)
	again := r.api("POST", "/sessions", createBody{Task: "x"}, key).is(201)
	if first.body != again.body || again.Header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("the second answer is %s", again.body)
	}
	r.api("POST", "/sessions", createBody{Task: "y"}, key).fails(409, fault.Conflict, "")
	r.person("Rae", review.RoleReviewer, "other")
	r.do("POST", apiPrefix+"/sessions", strings.NewReader(`{"task":"z"}`), as("other"), key).is(201) // keys are a person's own
	if n := len(read[sessionsView](r.api("GET", "/sessions", nil)).Sessions); n != 2 {
		t.Errorf("%d sessions, want 2", n)
	}
	r.api("POST", "/sessions", createBody{Task: "x"}, header("Idempotency-Key: "+strings.Repeat("k", 201))).fails(422, fault.Invalid, "")
}

// A call that was refused did nothing, so its key is free again.
func TestAPI_IdempotencyKeyOfARefusedCall(t *testing.T) {
	r := newRig(t)
	path := "/sessions/" + r.begin() + "/resume"
	key := header("Idempotency-Key: k-2")
	r.api("POST", path, nil, key).fails(409, fault.Conflict, "")
	r.api("POST", strings.Replace(path, "resume", "pause", 1), nil).is(200)
	first := r.api("POST", path, nil, key).is(200).says(`"status":"planning"`)
	again := r.api("POST", path, nil, key).is(200) // the answer from before, not a second resume
	if again.body != first.body {
		t.Errorf("the second answer is %s", again.body)
	}
}

// After an error of ours nobody knows what was done, so it is not done again.
func TestAPI_IdempotencyKeyAfterAnErrorOfOurs(t *testing.T) {
	r := newRig(t)
	calls := 0
	r.web.echo.POST(apiPrefix+"/boom", r.web.server.once(func(echo.Context) error {
		calls++
		return errors.New("half done")
	}))
	r.api("POST", "/boom", nil, "Idempotency-Key: k-4").fails(500, fault.Internal, "")
	r.api("POST", "/boom", nil, "Idempotency-Key: k-4").fails(409, fault.Conflict, "")
	if calls != 1 {
		t.Errorf("called %d times", calls)
	}
}

func TestAPI_IdempotencyKeySentAtOnce(t *testing.T) {
	r := newRig(t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if a := r.api("POST", "/sessions", createBody{Task: "x"}, "Idempotency-Key: k-3"); a.StatusCode != 201 && a.StatusCode != 409 {
				t.Errorf("status %d: %s", a.StatusCode, a.body)
			}
		})
	}
	wg.Wait()
	if n := len(read[sessionsView](r.api("GET", "/sessions", nil)).Sessions); n != 1 {
		t.Errorf("%d sessions", n)
	}
}
