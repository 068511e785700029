package lang

import (
	"context"
	"reflect"

	"countersign/internal/fault"
)

// Fault returns the sentence of a fault in the language of a context. What is
// put into it is translated too where it is a fault itself, or a word of ours
// such as a role: that is, of a string type that has a name.
func Fault(ctx context.Context, f *fault.Fault) string {
	l := Of(ctx)
	if l == English {
		return f.Message
	}
	format, args := f.Words()
	if format == "%s" { // somebody else's sentence, or one that the log knows
		return Logged(ctx, f.Message)
	}
	said := make([]any, len(args))
	for i, arg := range args {
		said[i] = l.word(ctx, arg)
	}
	return l.Say(Key(format), said...)
}

func (l *Language) word(ctx context.Context, arg any) any {
	if part, ok := arg.(fault.Part); ok {
		format, args := part.Words()
		return l.Say(Key(format), args...)
	}
	if err, ok := arg.(error); ok {
		if f, ok := fault.As(err); ok {
			return Fault(ctx, f)
		}
		return err.Error()
	}
	if v := reflect.ValueOf(arg); v.IsValid() && v.Kind() == reflect.String && v.Type() != reflect.TypeFor[string]() {
		return l.Say(Key(v.String()))
	}
	return arg
}
