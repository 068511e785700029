package openai

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"

	"countersign/internal/agent"
)

var (
	errHTML = errors.New("a web page instead of a model's answer")
	errIdle = errors.New("the server said nothing for too long")
)

// host names the server in messages; never more of the URL, which may hold a
// password or a key.
func (c *Client) host() string { return c.url.Host }

func (c *Client) fail(temporary bool, err error, format string, args ...any) *agent.ModelError {
	return &agent.ModelError{Message: fmt.Sprintf(format, args...), Temporary: temporary, Err: c.hide(err)}
}

// explain makes an error of the network or the stream one for people. The end
// of the caller's context stays what it is.
func (c *Client) explain(w *watch, err error) error {
	if outer := w.outer.Err(); outer != nil {
		return outer
	}
	var already *agent.ModelError
	var bad *badFrame
	switch {
	case errors.As(err, &already):
		return already
	case w.stalled() && w.heard:
		return c.fail(true, errIdle, "%s stopped in the middle of an answer: nothing has come for %s.", c.host(), w.idle)
	case w.stalled():
		return c.fail(true, errIdle, "%s has not answered within %s.", c.host(), w.idle)
	case errors.Is(err, errHTML):
		return c.fail(false, err, "%s answered with a web page instead of a model's answer. Check OPENAI_BASE_URL; it usually ends in /v1.", c.host())
	case errors.Is(err, errTooLong):
		return c.fail(false, err, "%s sent more than 10 MB in one turn; the answer was dropped.", c.host())
	case errors.Is(err, errCut):
		return c.fail(true, err, "%s broke its answer off in the middle.", c.host())
	case errors.As(err, &bad):
		return c.fail(true, err, "%s sent something that can't be read as a model's answer.", c.host())
	case w.heard:
		return c.fail(true, err, "The connection to %s broke in the middle of an answer.", c.host())
	}
	return c.unreachable(err)
}

// unreachable explains why no connection came about.
func (c *Client) unreachable(err error) error {
	var dns *net.DNSError
	var cert *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return c.fail(true, err, "Nothing answers at %s: the connection was refused. Is the model's server running? Its address is OPENAI_BASE_URL.", c.host())
	case errors.As(err, &dns):
		return c.fail(dns.IsTemporary || dns.IsTimeout, err, "The name %s could not be found. Check OPENAI_BASE_URL and the network.", c.url.Hostname())
	case errors.Is(err, http.ErrSchemeMismatch), errors.As(err, &record):
		return c.fail(false, err, "%s does not speak HTTPS. Check OPENAI_BASE_URL: it may have to begin with http://.", c.host())
	case errors.As(err, &cert), errors.As(err, &alert):
		return c.fail(false, err, "There is no safe connection to %s: its certificate was not accepted.", c.host())
	}
	return c.fail(true, err, "The connection to %s failed.", c.host())
}

// statusError explains an answer that is not 200.
func (c *Client) statusError(resp *http.Response, body []byte) error {
	e := c.byStatus(resp.StatusCode, c.said(body))
	e.Status = resp.StatusCode
	e.RetryAfter = retryAfter(resp.Header)
	e.Err = c.hide(fmt.Errorf("status %s: %s", resp.Status, shorten(string(body))))
	return e
}

// byStatus makes the sentence for a status and what the server said with it.
func (c *Client) byStatus(status int, said saying) *agent.ModelError {
	host := c.host()
	switch {
	case said.is("context_length_exceeded"):
		return c.fail(false, nil, "The conversation has become too long for the model %q.%s", c.model, said.quoted)
	case said.is("insufficient_quota") || status == http.StatusPaymentRequired:
		return c.fail(false, nil, "The account at %s has no credit left.%s", host, said.quoted)
	case status == http.StatusBadRequest || status == http.StatusUnprocessableEntity:
		return c.fail(false, nil, "%s did not accept the request.%s", host, said.quoted)
	case status == http.StatusUnauthorized && c.key == "":
		return c.fail(false, nil, "%s asks for a key, and none is set. Set OPENAI_API_KEY.", host)
	case status == http.StatusUnauthorized:
		return c.fail(false, nil, "%s did not accept the key. Check OPENAI_API_KEY.", host)
	case status == http.StatusForbidden:
		return c.fail(false, nil, "%s does not allow this key to use the model %q.%s", host, c.model, said.quoted)
	case status == http.StatusNotFound:
		return c.fail(false, nil, "%s knows no model %q, or speaks another protocol. Check --model and OPENAI_BASE_URL, which usually ends in /v1.%s", host, c.model, said.quoted)
	case status == http.StatusRequestEntityTooLarge:
		return c.fail(false, nil, "The conversation has become too large for %s.%s", host, said.quoted)
	case status == http.StatusTooManyRequests:
		return c.fail(true, nil, "%s asks to slow down: too many requests.%s", host, said.quoted)
	case status == http.StatusRequestTimeout:
		return c.fail(true, nil, "%s waited too long for the request.", host)
	case status >= 300 && status < 400:
		return c.fail(false, nil, "%s sends requests on to another address. Set OPENAI_BASE_URL to the address itself.", host)
	case status == 529, status == http.StatusServiceUnavailable:
		return c.fail(true, nil, "%s is overloaded or not ready.%s", host, said.quoted)
	case status >= 500:
		return c.fail(true, nil, "%s has a fault of its own (status %d).%s", host, status, said.quoted)
	}
	return c.fail(false, nil, "%s answered with status %d.%s", host, status, said.quoted)
}

// redact takes the key out of a text.
func (c *Client) redact(s string) string {
	if c.key == "" {
		return s
	}
	return strings.ReplaceAll(s, c.key, "[key]")
}

// hide returns err without the URL and without the key, for the log.
func (c *Client) hide(err error) error {
	if err == nil {
		return nil
	}
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	if text := err.Error(); c.redact(text) != text {
		return errors.New(c.redact(text))
	}
	return err
}
