package builtin

import (
	"regexp"
	"sync"
)

// lazily compiles an expression when it is first used: there are many, and most
// programs that this package is part of need none of them when they start. A
// mistake in one panics.
func lazily(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
