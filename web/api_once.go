package web

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"countersign/internal/fault"
	"countersign/internal/planning"

	"github.com/labstack/echo/v4"
)

const (
	idempotencyKey = "Idempotency-Key"
	// replayed marks an answer that was given before.
	replayed   = "Idempotency-Replayed"
	mostKeyLen = 200
)

// memory is how calls under a key are told apart, and their answers kept.
type memory struct {
	print func(*http.Request) (string, error)
	// kept is what to keep of an answer that was written; status 0 keeps nothing.
	kept  func(c echo.Context, written []byte) (status int, body []byte, err error)
	again func(c echo.Context, status int, body []byte) error
	// patience is how long to wait for the answer to a first call that is still
	// under way.
	patience time.Duration
}

// once makes a call with an Idempotency-Key act once, however often it is sent.
// Only what succeeded is remembered: a call that was refused did nothing and
// may be tried again under the same key.
func (s *server) once(next echo.HandlerFunc) echo.HandlerFunc {
	return s.onceIn(memory{print: fingerprint, kept: keptJSON, again: jsonAgain}, next)
}

// jsonAgain escapes once more: an answer may have been kept before that was done.
func jsonAgain(c echo.Context, status int, body []byte) error {
	return c.JSONBlob(status, planning.EscapeJSON(body))
}

func keptJSON(c echo.Context, written []byte) (int, []byte, error) {
	status := c.Response().Status
	if without := c.Get(keptKey); without != nil {
		body, err := json.Marshal(without)
		return status, body, err
	}
	return status, written, nil
}

func (s *server) onceIn(m memory, next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		key := c.Request().Header.Get(idempotencyKey)
		if key == "" {
			return next(c)
		}
		if len(key) > mostKeyLen || strings.ContainsFunc(key, unprintable) {
			return fault.New(fault.Invalid, "An %s may have at most %d printable characters.", idempotencyKey, mostKeyLen)
		}
		print, err := m.print(c.Request())
		if err != nil {
			return err
		}
		person := s.person(c).ID
		status, body, found, err := s.reserve(c.Request().Context(), m, person, key, print)
		if err != nil {
			return err
		}
		if found {
			c.Response().Header().Set(replayed, "true")
			return m.again(c, status, body)
		}
		return s.remember(c, m, person, key, next)
	}
}

// reserve claims a key, or returns the answer that was given under it. The claim
// does not end with the request: one that nobody knows of would stay for good.
func (s *server) reserve(ctx context.Context, m memory, person, key, print string) (status int, body []byte, found bool, err error) {
	for end := time.Now().Add(m.patience); ; {
		status, body, found, err = s.store.Reserve(context.WithoutCancel(ctx), person, key, print)
		if !fault.Is(err, fault.Conflict) || !time.Now().Before(end) {
			return status, body, found, err
		}
		select {
		case <-ctx.Done():
			return 0, nil, false, ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// remember runs the call and stores what it answered. It runs to its end even if
// nobody waits for the answer any more: the next one who asks has to be told
// what has been done. Where nobody knows that, after a panic or an error of
// ours, the key stays taken.
func (s *server) remember(c echo.Context, m memory, person, key string, next echo.HandlerFunc) error {
	ctx := context.WithoutCancel(c.Request().Context())
	c.SetRequest(c.Request().WithContext(ctx))
	tee := &tee{ResponseWriter: c.Response().Writer}
	c.Response().Writer = tee
	err := next(c)
	c.Response().Writer = tee.ResponseWriter
	var status int // refused, so nothing has been done
	var body []byte
	if err == nil {
		status, body, err = m.kept(c, tee.body.Bytes())
	}
	if err != nil && problemOf(err).status == http.StatusInternalServerError {
		return err
	}
	if settleErr := s.store.Settle(ctx, person, key, status, body); settleErr != nil {
		s.log.ErrorContext(ctx, "keep the answer to a request", "request", requestID(c), "err", settleErr)
	}
	return err
}

// keptKey is where a handler leaves what is to be remembered of its answer.
const keptKey = "kept"

// keep has an answer remembered without the secret that it shows once: secrets
// are stored as hashes only. Who asks again under the same key gets this.
func keep(c echo.Context, without any) {
	c.Set(keptKey, without)
	shownOnce(c)
}

// tee keeps what is written through it.
type tee struct {
	http.ResponseWriter
	body bytes.Buffer
}

func (t *tee) Write(p []byte) (int, error) {
	t.body.Write(p)
	return t.ResponseWriter.Write(p)
}

// fingerprint tells one request from another under the same key.
func fingerprint(r *http.Request) (string, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return "", fault.Wrap(err, fault.BadRequest, "The request broke off before its end.")
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	h := sha256.New()
	fmt.Fprintf(h, "%s %s %d\n", r.Method, r.URL.RequestURI(), len(body))
	h.Write(body)
	return hex.EncodeToString(h.Sum(nil)), nil
}
