package webhook

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"code.dny.dev/ssrf"
)

// The headers of a message.
const (
	headerSignature = "Countersign-Signature"
	headerDelivery  = "Countersign-Delivery" // the message's id
	headerEvent     = "Countersign-Event"
)

// maxHeader is how much of an answer is read, in bytes. Nothing of its body is.
const maxHeader = 64 << 10

// outcome is how an attempt ended: it was taken if err is nil.
type outcome struct {
	err     error
	trouble Trouble       // err for people
	gone    bool          // the target wants no more messages, ever
	busy    bool          // it asked to be left alone
	after   time.Duration // it asked to wait so long
}

// newClient makes the client of one target. Each message gets a connection of
// its own, so that each address is looked at.
func newClient(t Target) *http.Client {
	dialer := &net.Dialer{}
	if !t.AllowPrivate {
		dialer.Control = guard.Safe
	}
	return &http.Client{
		Transport: &http.Transport{
			Proxy:                  nil, // a proxy would look the address up itself, behind the guard's back
			DialContext:            dialer.DialContext,
			DisableKeepAlives:      true,
			DisableCompression:     true,
			MaxResponseHeaderBytes: maxHeader,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// post makes one attempt to deliver a message.
func (l *line) post(ctx context.Context, m Message, body []byte) outcome {
	ctx, cancel := context.WithTimeout(ctx, l.limit)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, l.URL, bytes.NewReader(body))
	if err != nil {
		return outcome{err: plain(err), trouble: Unreachable}
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "Countersign")
	r.Header.Set(headerDelivery, m.ID)
	r.Header.Set(headerEvent, string(m.Event))
	if l.Secret != "" {
		r.Header.Set(headerSignature, sign(l.Secret, time.Now(), body))
	}
	answer, err := l.client.Do(r)
	if err != nil {
		return outcome{err: plain(err), trouble: troubleOf(err)}
	}
	answer.Body.Close()
	return judge(answer)
}

// judge reads an answer's status. A redirect is a failure: the message was
// meant for the address in the settings and for no other.
func judge(answer *http.Response) outcome {
	code := answer.StatusCode
	out := outcome{err: fmt.Errorf("answered %d", code), trouble: Trouble(answered + strconv.Itoa(code))}
	switch {
	case code >= 200 && code < 300:
		return outcome{}
	case code == http.StatusTooManyRequests || code == http.StatusServiceUnavailable:
		out.busy, out.after = true, retryAfter(answer.Header)
	case code >= 300 && code < 400:
		out.err = fmt.Errorf("answered %d, a redirect, which is not followed", code)
	case code == http.StatusGone:
		out.gone = true
	}
	return out
}

// sign is the header by which a receiver knows who wrote: the HMAC-SHA256 of
// the time, a full stop and the body. The time is signed as well, so that a
// receiver can refuse an old message that somebody sends again.
func sign(secret string, at time.Time, body []byte) string {
	t := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(t + "."))
	mac.Write(body)
	return "t=" + t + ",v1=" + hex.EncodeToString(mac.Sum(nil))
}

// plain is the cause of an error without the address, which may be a secret.
func plain(err error) error {
	var at *url.Error
	if errors.As(err, &at) {
		err = at.Err
	}
	switch {
	case errors.Is(err, ssrf.ErrProhibitedIP):
		return errors.New("its name leads to an address that is not on the public internet; allow_private lets it")
	case errors.Is(err, context.DeadlineExceeded):
		return errors.New("it did not answer in time")
	}
	return err
}

// retryAfter reads how long a server asks to wait, as RFC 9110 section 10.2.3
// has it: seconds or a date. What can't be read, or has passed, is nought; more
// than a day is a day.
func retryAfter(h http.Header) time.Duration {
	value := strings.TrimSpace(h.Get("Retry-After"))
	if s, err := strconv.ParseUint(value, 10, 32); err == nil {
		return min(time.Duration(s)*time.Second, patience)
	}
	until, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	return max(0, min(time.Until(until), patience))
}
