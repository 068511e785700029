package wire

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
	// ErrHTML is a web page where an answer should be.
	ErrHTML = errors.New("a web page instead of a model's answer")
	// ErrCut is a stream that ended in the middle of a turn.
	ErrCut = errors.New("the stream ended in the middle of a turn")
	// ErrStopped ends reading because nobody wants more.
	ErrStopped = errors.New("stopped")
	errIdle    = errors.New("the server said nothing for too long")
)

// BadFrame is a piece of the stream that isn't JSON of the expected form.
type BadFrame struct{ Err error }

func (e *BadFrame) Error() string { return e.Err.Error() }

// host names the server in messages; never more of the URL, which may hold a
// password or a key.
func (s *Server) host() string { return s.URL.Host }

func (s *Server) fail(temporary bool, err error, format string, args ...any) *agent.ModelError {
	return &agent.ModelError{Message: fmt.Sprintf(format, args...), Temporary: temporary, Err: s.hide(err)}
}

// explain makes an error of the network or the stream one for people. The end
// of the caller's context stays what it is.
func (s *Server) explain(w *Watch, err error) error {
	if outer := w.outer.Err(); outer != nil {
		return outer
	}
	var already *agent.ModelError
	var bad *BadFrame
	switch {
	case errors.As(err, &already):
		return already
	case w.stalled() && w.heard:
		return s.fail(true, errIdle, "%s stopped in the middle of an answer: nothing has come for %s.", s.host(), w.idle)
	case w.stalled():
		return s.fail(true, errIdle, "%s has not answered within %s.", s.host(), w.idle)
	case errors.Is(err, ErrHTML):
		return s.fail(false, err, "%s answered with a web page instead of a model's answer. Check that %s is the address that the server's manual gives.", s.host(), s.BaseVar)
	case errors.Is(err, ErrTooLong):
		return s.fail(false, err, "%s sent more than 10 MB in one turn; the answer was dropped.", s.host())
	case errors.Is(err, ErrCut):
		return s.fail(true, err, "%s broke its answer off in the middle.", s.host())
	case errors.As(err, &bad):
		return s.fail(true, err, "%s sent something that can't be read as a model's answer.", s.host())
	case w.heard:
		return s.fail(true, err, "The connection to %s broke in the middle of an answer.", s.host())
	}
	return s.unreachable(err)
}

// unreachable explains why no connection came about.
func (s *Server) unreachable(err error) error {
	var dns *net.DNSError
	var cert *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	var op *net.OpError
	switch {
	case errors.As(err, &op) && op.Op == "proxyconnect":
		return s.fail(true, err, "The proxy between this server and %s could not be reached. Check HTTPS_PROXY and NO_PROXY.", s.host())
	case errors.Is(err, syscall.ECONNREFUSED):
		return s.fail(true, err, "Nothing answers at %s: the connection was refused. Is the model's server running? Its address can be set with %s.", s.host(), s.BaseVar)
	case errors.As(err, &dns):
		return s.fail(dns.IsTemporary || dns.IsTimeout, err, "The name %s could not be found. Check %s and the network.", s.URL.Hostname(), s.BaseVar)
	case errors.Is(err, http.ErrSchemeMismatch), errors.As(err, &record):
		return s.fail(false, err, "%s does not speak HTTPS. Check %s: it may have to begin with http://.", s.host(), s.BaseVar)
	case errors.As(err, &cert), errors.As(err, &alert):
		return s.fail(false, err, "There is no safe connection to %s: its certificate was not accepted.", s.host())
	}
	return s.fail(true, err, "The connection to %s failed.", s.host())
}

// statusError explains an answer that is not 200.
func (s *Server) statusError(resp *http.Response, body []byte) error {
	e := s.byStatus(resp.StatusCode, s.said(body))
	e.Status = resp.StatusCode
	e.RetryAfter = retryAfter(resp.Header)
	e.Err = s.hide(fmt.Errorf("status %s: %s", resp.Status, shorten(string(body))))
	return e
}

// byStatus makes the sentence for a status and what the server said with it.
func (s *Server) byStatus(status int, said saying) *agent.ModelError {
	host := s.host()
	switch {
	case said.is("context_length_exceeded") || said.says("prompt is too long"):
		return tooLong(s.fail(false, nil, "The conversation has become too long for the model %q.%s", s.Model, said.quoted))
	case said.is("insufficient_quota", "billing_error", "enforced_spend_limit_reached") || status == http.StatusPaymentRequired:
		return s.fail(false, nil, "The account at %s has no credit left.%s", host, said.quoted)
	case status == http.StatusBadRequest || status == http.StatusUnprocessableEntity:
		return s.fail(false, nil, "%s did not accept the request.%s", host, said.quoted)
	case status == http.StatusUnauthorized && s.Key == "":
		return s.fail(false, nil, "%s asks for a key, and none is set. Set %s.", host, s.KeyVar)
	case status == http.StatusUnauthorized:
		return s.fail(false, nil, "%s did not accept the key. Check %s.", host, s.KeyVar)
	case status == http.StatusForbidden:
		return s.fail(false, nil, "%s does not allow this key to use the model %q.%s", host, s.Model, said.quoted)
	case status == http.StatusNotFound:
		return s.fail(false, nil, "%s knows no model %q, or speaks another protocol. Check the model's name and %s.%s", host, s.Model, s.BaseVar, said.quoted)
	case status == http.StatusRequestEntityTooLarge:
		return tooLong(s.fail(false, nil, "The conversation has become too large for %s.%s", host, said.quoted))
	case status == http.StatusTooManyRequests:
		return s.fail(true, nil, "%s asks to slow down: too many requests.%s", host, said.quoted)
	case status == http.StatusRequestTimeout:
		return s.fail(true, nil, "%s waited too long for the request.", host)
	case status >= 300 && status < 400:
		return s.fail(false, nil, "%s sends requests on to another address. Set %s to the address itself.", host, s.BaseVar)
	case status == 529, status == http.StatusServiceUnavailable:
		return s.fail(true, nil, "%s is overloaded or not ready.%s", host, said.quoted)
	case status >= 500:
		return s.fail(true, nil, "%s has a fault of its own (status %d).%s", host, status, said.quoted)
	}
	return s.fail(false, nil, "%s answered with status %d.%s", host, status, said.quoted)
}

// redact takes the key out of a text.
func (s *Server) redact(text string) string {
	if s.Key == "" {
		return text
	}
	return strings.ReplaceAll(text, s.Key, "[key]")
}

// hide returns err without the URL and without the key, for the log.
func (s *Server) hide(err error) error {
	if err == nil {
		return nil
	}
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	if text := err.Error(); s.redact(text) != text {
		return errors.New(s.redact(text))
	}
	return err
}

func tooLong(e *agent.ModelError) *agent.ModelError {
	e.TooLong = true
	return e
}
