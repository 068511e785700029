// Package trial is what tests of several packages share, and nothing else
// imports it: what a machine may lack, how often a fault is tried, and what
// came of it.
package trial

import (
	"fmt"
	"os"
	"testing"
)

// Lacks skips a test for something that the machine doesn't have, and says what.
// With CI set, where nobody reads what was skipped, it fails instead.
func Lacks(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(what)
	}
	t.Skip(what)
}

// Long tells whether faults are tried in the long form, for which the machine
// has to have nothing else to do. `make faults` is that.
func Long() bool { return os.Getenv("FAULTS") == "long" }

// Often is how often a fault is tried, or by how many: a few times in every run
// of the tests, often in the long form.
func Often(short, long int) int {
	if Long() {
		return long
	}
	return short
}

// Figures says what a test of a fault came to, as an attribute that `make faults`
// prints.
func Figures(t testing.TB, format string, args ...any) {
	t.Attr("figures", fmt.Sprintf(format, args...))
}
