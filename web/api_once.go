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

	"countersign/internal/fault"

	"github.com/labstack/echo/v4"
)

const (
	idempotencyKey = "Idempotency-Key"
	// replayed marks an answer that was given before.
	replayed   = "Idempotency-Replayed"
	mostKeyLen = 200
)

// once makes a call with an Idempotency-Key act once, however often it is sent.
// Only what succeeded is remembered: a call that was refused did nothing and
// may be tried again under the same key.
func (s *server) once(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		key := c.Request().Header.Get(idempotencyKey)
		if key == "" {
			return next(c)
		}
		if len(key) > mostKeyLen || strings.ContainsFunc(key, unprintable) {
			return fault.New(fault.Invalid, "An %s may have at most %d printable characters.", idempotencyKey, mostKeyLen)
		}
		print, err := fingerprint(c.Request())
		if err != nil {
			return err
		}
		ctx, person := c.Request().Context(), s.person(c).ID
		status, body, found, err := s.store.Reserve(ctx, person, key, print)
		if err != nil {
			return err
		}
		if found {
			c.Response().Header().Set(replayed, "true")
			return c.JSONBlob(status, body)
		}
		return s.remember(c, person, key, next)
	}
}

// remember runs the call and stores what it answered. It runs to its end even if
// nobody waits for the answer any more: the next one who asks has to be told
// what has been done. Where nobody knows that, after a panic or an error of
// ours, the key stays taken.
func (s *server) remember(c echo.Context, person, key string, next echo.HandlerFunc) error {
	ctx := context.WithoutCancel(c.Request().Context())
	c.SetRequest(c.Request().WithContext(ctx))
	tee := &tee{ResponseWriter: c.Response().Writer}
	c.Response().Writer = tee
	err := next(c)
	c.Response().Writer = tee.ResponseWriter
	status, body := c.Response().Status, tee.body.Bytes()
	if without := c.Get(keptKey); without != nil && err == nil {
		body, err = json.Marshal(without)
	}
	if err != nil {
		if problemOf(err).status == http.StatusInternalServerError {
			return err
		}
		status, body = 0, nil // refused, so nothing has been done
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
func keep(c echo.Context, without any) { c.Set(keptKey, without) }

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
