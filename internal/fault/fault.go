// Package fault is the one kind of error that may be shown to a person.
//
// Everything else that goes wrong is an internal error: its cause goes to the
// log, and people see a neutral sentence.
package fault

import (
	"errors"
	"fmt"
)

// Code says what kind of fault it is. The web maps each to one HTTP status.
type Code string

// The codes. The zero value is treated as Internal, so that a forgotten code
// never turns into a success or into somebody else's fault.
const (
	BadRequest      Code = "bad_request"     // the request can't be read at all
	Unauthenticated Code = "unauthenticated" // nobody is signed in
	Forbidden       Code = "forbidden"       // signed in, but may not do this
	NotFound        Code = "not_found"       // no such thing, or not for this person
	Conflict        Code = "conflict"        // decided on a state that has moved on
	TooLarge        Code = "too_large"       // over a stated limit
	Invalid         Code = "invalid"         // readable, but a field is wrong
	RateLimited     Code = "rate_limited"    // too many attempts
	Unavailable     Code = "unavailable"     // works again later without a change
	Internal        Code = "internal"        // ours
)

// Fault is an error with a sentence that is fit for a person.
type Fault struct {
	Code    Code
	Message string // a whole sentence: what is wrong and, where it helps, what to do
	Field   string // the form or JSON field it is about, if one
	Current any    // for Conflict: what the state is now, to be shown or merged
	Err     error  // the cause, for the log only

	format string // what Message was made of, for other languages
	args   []any
}

// New makes a fault from a code and a sentence in fmt's notation.
func New(code Code, format string, args ...any) *Fault {
	return Wrap(nil, code, format, args...)
}

// Wrap makes a fault that keeps err as its cause.
func Wrap(err error, code Code, format string, args ...any) *Fault {
	return &Fault{Code: code, Message: fmt.Sprintf(format, args...), Err: err, format: format, args: args}
}

// Under returns a fault with the same sentence under another code, and err as its
// cause.
func (f *Fault) Under(code Code, err error) *Fault {
	return &Fault{Code: code, Message: f.Message, Err: err, format: f.format, args: f.args}
}

// Words returns what Message was made of, so that it can be said in another
// language: the format is the name of the sentence. A fault that was not made
// by New or Wrap has its message for a format, and no arguments.
func (f *Fault) Words() (format string, args []any) {
	if f.format == "" {
		return f.Message, nil
	}
	return f.format, f.args
}

// Part is what is put into a sentence and has words of ours in it, such as the
// name of a step: it can be said in another language too.
type Part struct {
	format string
	args   []any
}

// NewPart makes a part from fmt's notation.
func NewPart(format string, args ...any) Part { return Part{format, args} }

// String is the part in English.
func (p Part) String() string { return fmt.Sprintf(p.format, p.args...) }

// Words returns what the part was made of.
func (p Part) Words() (format string, args []any) { return p.format, p.args }

// At says which field the fault is about and returns the same fault.
func (f *Fault) At(field string) *Fault {
	f.Field = field
	return f
}

// With attaches the current state to a conflict and returns the same fault.
func (f *Fault) With(current any) *Fault {
	f.Current = current
	return f
}

// Error is for logs: the sentence and, behind it, the cause.
func (f *Fault) Error() string {
	if f.Err != nil {
		return f.Message + ": " + f.Err.Error()
	}
	return f.Message
}

func (f *Fault) Unwrap() error { return f.Err }

// As finds the fault in an error's chain.
func As(err error) (*Fault, bool) {
	var f *Fault
	ok := errors.As(err, &f)
	return f, ok
}

// Is tells whether err carries a fault with this code.
func Is(err error, code Code) bool {
	f, ok := As(err)
	return ok && f.Code == code
}
