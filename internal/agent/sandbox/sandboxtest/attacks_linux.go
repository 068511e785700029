package sandboxtest

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// Attacks is the whole table.
func Attacks() []Attack {
	return slices.Concat(filesAttacks, callsAttacks, readingAttacks, gitAttacks, kernelAttacks, networkAttacks)
}

// Main runs the tests of a package with a folder for the programs that they
// need, or becomes an attempt. It comes after whatever else a test program can
// become.
func Main(run func() int) int {
	if len(os.Args) > 2 && os.Args[1] == Probe {
		probe(os.Args[2], os.Args[3:])
		return 0
	}
	var err error
	if tools, err = os.MkdirTemp("", "t"); err == nil {
		defer os.RemoveAll(tools)
		err = os.Chmod(tools, 0o755)
	}
	if err != nil {
		panic(err)
	}
	return run()
}

// Script makes one command of several attempts, each in a shell of its own, and
// each with a line before and after, so that none is taken for made that was not.
func (w *World) Script(some ...Attack) string {
	var b strings.Builder
	for i, a := range some {
		fmt.Fprintf(&b, "%s\necho '[begin %d]'\n(\n%s\n) </dev/null 2>&1\necho '[end %d]'\n", w.Fill(anew), i, w.Fill(a.Shell), i)
	}
	return b.String()
}

// anew puts back, where the command may write as it likes, what the attempt
// before has done away with.
const anew = `{
[ -f file ] && [ ! -L file ] || { rm -rf file; echo 'line 1' > file; }
[ -f ok.txt ] && [ ! -L ok.txt ] || { rm -rf ok.txt; echo ok > ok.txt; }
[ -d sub ] || mkdir sub; [ -d open ] && [ ! -L open ] || { rm -rf open; mkdir open; }
[ -e alias ] || ln -s file alias; [ -e marked ] || echo marked > marked
} 2>/dev/null`

// Harm says what came of attempts, "" if nothing. Before is the state before.
func (w *World) Harm(before string, executing bool, output string, some ...Attack) string {
	w.t.Helper()
	if diff := cmp.Diff(before, w.State(executing)); diff != "" {
		return "(-before +after):\n" + diff + "\noutput: " + output
	}
	if strings.Contains(output, Effect) || strings.Contains(output, Secret) {
		return output
	}
	for i, a := range some {
		if why := notMade(i, a, output); why != "" {
			return a.Name + " was not made: " + why + "\noutput: " + output
		}
	}
	return ""
}

// missing is what shells and the test program say of a program that is not there.
var missing = regexp.MustCompile(`sh: .*not found|command not found|no such probe|` + Probe + `: not found`)

// notMade says why an attempt can't count: a program was missing, or the command
// ended before it.
func notMade(i int, a Attack, output string) string {
	_, own, begun := strings.Cut(output, fmt.Sprintf("[begin %d]\n", i))
	own, _, ended := strings.Cut(own, fmt.Sprintf("[end %d]\n", i))
	switch {
	case !begun || !ended:
		return "the command ended before"
	case missing.MatchString(own):
		return "a program was missing"
	case strings.Contains(a.Shell, "{P}") && !strings.Contains(a.Shell, "&& {P}") && !strings.Contains(own, tried):
		return "its program did not run"
	default:
		return ""
	}
}

// Made are the attacks whose programs are installed, and the others.
func Made(all []Attack) (made, lacking []Attack) {
	for _, a := range all {
		if _, err := exec.LookPath(a.Needs); a.Needs != "" && err != nil {
			lacking = append(lacking, a)
			continue
		}
		made = append(made, a)
	}
	return made, lacking
}

// Bites makes an attempt where nothing stops it and tells what it did, or
// printed if it did nothing.
func (w *World) Bites(a Attack, temp string) (bites bool, output string) {
	before := w.State(false)
	cmd := exec.Command("/bin/sh", "-c", w.Fill(a.Shell))
	cmd.Dir = w.Workspace
	cmd.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "TMPDIR=" + temp,
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b"}
	out, _ := cmd.CombinedOutput()
	return strings.Contains(string(out), Effect) || strings.Contains(string(out), Secret) || w.changes(before), string(out)
}

// changes waits for what arrives late, such as a datagram or a death; on a busy
// machine, very late.
func (w *World) changes(before string) bool {
	for range 2000 {
		if w.State(false) != before {
			return true
		}
		_ = unix.Nanosleep(&unix.Timespec{Nsec: 5_000_000}, nil)
	}
	return false
}
