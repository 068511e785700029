package webhook

import (
	"context"
	"errors"
	"net"
	"strconv"
	"strings"
	"syscall"

	"code.dny.dev/ssrf"
)

// Trouble is why an attempt failed, in a form that can be kept and said in any
// language: "status 500", "timeout" and the like. It never holds an address.
// Empty is no trouble.
type Trouble string

// The troubles. An answer that is no yes is Answered with its status.
const (
	Timeout     Trouble = "timeout"     // no answer in time
	Private     Trouble = "private"     // its name leads to an address that is not on the public internet
	Refused     Trouble = "refused"     // nobody listens there
	Unknown     Trouble = "unknown"     // its name can't be looked up
	Unreachable Trouble = "unreachable" // anything else before an answer
)

const answered = "status "

// Status is the status of the answer, if there was one.
func (t Trouble) Status() (int, bool) {
	code, is := strings.CutPrefix(string(t), answered)
	n, err := strconv.Atoi(code)
	return n, is && err == nil
}

func troubleOf(err error) Trouble {
	var name *net.DNSError
	var wait net.Error
	switch {
	case errors.Is(err, ssrf.ErrProhibitedIP):
		return Private
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &wait) && wait.Timeout():
		return Timeout
	case errors.Is(err, syscall.ECONNREFUSED):
		return Refused
	case errors.As(err, &name):
		return Unknown
	}
	return Unreachable
}
