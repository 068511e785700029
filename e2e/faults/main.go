// Command faults tries what must hold when something breaks, in the long form,
// and prints a line for each row of SECURITY.md's table of faults as it ends. The
// rows are tests named TestFault_NN_… in their packages; each says its figures as
// an attribute of the test. Run with numbers, it tries those rows only.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
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

// trial is one test of a row while it runs.
type trial struct {
	row     int
	figures string
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
	packages, err := withFaults()
	if err != nil {
		return err
	}
	// One package after another: they would change each other's figures.
	args := append([]string{"test", "-json", "-count=1", "-p=1", "-timeout=4h", "-run", pattern}, packages...)
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "FAULTS=long")
	cmd.Stderr = os.Stderr
	lines, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	tried, bad := follow(lines, out)
	broken := cmd.Wait()
	for i, name := range rows {
		if !tried[i+1] && len(only) == 0 {
			line(out, i+1, name, "not tried here", "")
		}
	}
	if bad > 0 {
		return fmt.Errorf("%d tests say that something does not hold", bad)
	}
	return broken
}

// withFaults finds the packages that have such tests.
func withFaults() (list []string, err error) {
	err = filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if dir := "./" + filepath.ToSlash(filepath.Dir(path)); strings.Contains(string(text), "\nfunc TestFault_") && !slices.Contains(list, dir) {
			list = append(list, dir)
		}
		return err
	})
	return list, err
}

// follow prints a line for each test that ends, and all that it said if it did
// not hold. It returns which rows were tried, and how many tests failed.
func follow(lines io.Reader, out io.Writer) (tried map[int]bool, bad int) {
	tried = map[int]bool{}
	running := map[string]*trial{}
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
		key := e.Package + " " + m[0]
		t := running[key]
		if t == nil {
			n, err := strconv.Atoi(m[1])
			if err != nil || n < 1 || n > len(rows) {
				continue
			}
			t = &trial{row: n}
			running[key] = t
		}
		t.take(e)
		if e.Test != m[0] || e.Action != "pass" && e.Action != "fail" && e.Action != "skip" {
			continue
		}
		delete(running, key)
		tried[t.row] = true
		if t.end(e.Action, out) {
			bad++
		}
	}
	return tried, bad
}

func (t *trial) take(e event) {
	switch {
	case e.Action == "attr" && e.Key == "figures":
		t.figures = e.Value
	case e.Action == "output":
		t.output.WriteString(e.Output)
	}
}

// end prints the line of a test and says whether it failed.
func (t *trial) end(action string, out io.Writer) (failed bool) {
	verdicts := map[string]string{"pass": "held", "fail": "DOES NOT HOLD", "skip": "NOT TRIED"}
	line(out, t.row, rows[t.row-1], t.figures, verdicts[action])
	if action != "pass" {
		fmt.Fprintln(out, t.output.String())
	}
	return action == "fail"
}

func line(out io.Writer, n int, name, figures, verdict string) {
	fmt.Fprintf(out, "row %-2d  %-29s  %s  %s\n", n, name, figures, verdict)
}
