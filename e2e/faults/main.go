// Command faults tries what must hold when something breaks, in the long form,
// and prints one line for each row of SECURITY.md’s table of faults. The rows
// are tests named TestFault_NN_… in their packages; each says its figures as an
// attribute of the test. Run with a number or several, it tries those rows only.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
)

// rows are the faults, in the words of the table.
var rows = []string{
	"kill -9 under load",
	"power loss",
	"no room, I/O errors",
	"flipped bits, cut files",
	"a foreign lock",
	"long readers",
	"old and new folds",
	"unknown kinds, later versions",
	"cuts of the socket",
	"restart with many watchers",
	"one stalled watcher",
	"many stalled watchers",
	"an endless message",
	"approvals at once",
	"approve against rewrite",
	"crash before the first write",
	"processes of a command",
	"the model misbehaves",
	"the clock jumps",
	"SIGTERM under load",
}

// row is what came of one.
type row struct {
	tests   int
	failed  bool
	figures []string
	output  strings.Builder
}

// event is a line of go test -json.
type event struct{ Action, Test, Key, Value, Output, Package string }

var number = regexp.MustCompile(`^TestFault_(\d\d)_[^/]*`)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "faults:", err)
		os.Exit(1)
	}
}

func run(only []string, out io.Writer) error {
	pattern := "^TestFault_"
	if len(only) > 0 {
		for i, n := range only {
			only[i] = fmt.Sprintf("%02s", n)
		}
		pattern += "(" + strings.Join(only, "|") + ")_"
	}
	// One package after another: they would change each other's figures.
	cmd := exec.Command("go", "test", "-json", "-count=1", "-p=1", "-timeout=4h", "-run", pattern, "./...")
	cmd.Env = append(os.Environ(), "FAULTS=long")
	cmd.Stderr = os.Stderr
	lines, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	found := collect(lines)
	broken := cmd.Wait()
	bad := report(out, found, len(only) > 0)
	if bad > 0 {
		return fmt.Errorf("%d rows do not hold", bad)
	}
	return broken
}

// collect reads what the tests say.
func collect(lines io.Reader) map[int]*row {
	found := map[int]*row{}
	scanner := bufio.NewScanner(lines)
	scanner.Buffer(nil, 64<<20)
	for scanner.Scan() {
		var e event
		if json.Unmarshal(scanner.Bytes(), &e) != nil {
			continue
		}
		m := number.FindStringSubmatch(e.Test)
		if m == nil {
			continue
		}
		var n int
		if _, err := fmt.Sscanf(m[1], "%d", &n); err != nil {
			continue
		}
		if found[n] == nil {
			found[n] = &row{}
		}
		found[n].take(e, e.Test == m[0])
	}
	return found
}

func (r *row) take(e event, whole bool) {
	switch e.Action {
	case "run":
		if whole {
			r.tests++
		}
	case "attr":
		if e.Key == "figures" {
			r.figures = append(r.figures, e.Value)
		}
	case "fail":
		r.failed = true
	case "output":
		r.output.WriteString(e.Output)
	}
}

// report prints a line for each row, and what the tests of those said that do
// not hold. It returns how many these are.
func report(out io.Writer, found map[int]*row, some bool) (bad int) {
	for i, name := range rows {
		r := found[i+1]
		switch {
		case r == nil && some:
			continue
		case r == nil:
			fmt.Fprintf(out, "row %-2d  %-29s  not tried here\n", i+1, name)
			continue
		}
		verdict := "held"
		if r.failed {
			verdict = "DOES NOT HOLD"
			bad++
		}
		fmt.Fprintf(out, "row %-2d  %-29s  %s  %s\n", i+1, name, strings.Join(r.figures, "; "), verdict)
		if r.failed {
			fmt.Fprintln(out, r.output.String())
		}
	}
	return bad
}
