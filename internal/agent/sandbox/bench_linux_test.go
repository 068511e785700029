package sandbox

import (
	"cmp"
	"context"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// BenchmarkCommand takes the time of a command under each stack, of the same
// command started plainly, and of the same under bubblewrap where it is
// installed, in turn, so that whatever else the machine does falls on all alike.
// What it reports is how much later than plainly they end, and how many times as
// long they take. The ways whose name ends with "new" start their supervisor for
// this command; the others have one that waits, as after a pause between two
// commands.
func BenchmarkCommand(b *testing.B) {
	ways := waysToRun(b)
	names := []string{"plain"}
	for name := range ways {
		if name != "plain" {
			names = append(names, name)
		}
	}
	slices.Sort(names[1:])
	times := map[string][]time.Duration{}
	for b.Loop() {
		for _, name := range names {
			time.Sleep(pause)
			start := time.Now()
			if err := ways[name](); err != nil {
				b.Fatal(name, err)
			}
			times[name] = append(times[name], time.Since(start))
			if strings.HasSuffix(name, anew) {
				forget(kindOf(expected{Command{Timeout: DefaultTimeout}, alone}))
			}
		}
	}
	b.ReportMetric(0, "ns/op") // is mostly the pauses
	for what, part := range map[string]float64{"p50": 0.50, "p99": 0.99} {
		plain := quantile(times["plain"], part)
		b.ReportMetric(milliseconds(plain), "ms-plain-"+what)
		for _, name := range names[1:] {
			taken := quantile(times[name], part)
			b.ReportMetric(milliseconds(taken-plain), "ms-more-"+name+"-"+what)
			b.ReportMetric(float64(taken)/float64(plain), "times-"+name+"-"+what)
		}
	}
}

// anew is the end of the name of a way for which no supervisor waits. One that has
// served such a command is of a kind by itself, so that the others keep theirs.
const anew = "-new"

var alone = layers{namespaces: true, overlay: true, tasks: 2048, landlock: landlockVersion()}

// pause is how long nothing runs before each command, in which a supervisor is
// started for the next one.
var pause = func() time.Duration { d, _ := time.ParseDuration(cmp.Or(os.Getenv("PAUSE"), "300ms")); return d }()

func waysToRun(b *testing.B) map[string]func() error {
	s, dir := Detect(), b.TempDir()
	under := func(l layers) func() error {
		l.landlock = s.Landlock
		return func() error {
			_, err := run(context.Background(), Command{Dir: dir, Shell: ":", Timeout: DefaultTimeout}, l)
			return err
		}
	}
	ways := map[string]func() error{"plain": func() error { return exec.Command("/bin/sh", "-c", ":").Run() }}
	if s.OK {
		ways["landlock"] = under(layers{})
	}
	if s.Namespaces {
		ways["namespaces"] = under(layers{namespaces: true})
	}
	if s.Overlay {
		ways["overlay"] = under(layers{namespaces: true, overlay: true})
		ways["overlay"+anew] = under(alone)
	}
	if bwrap, err := exec.LookPath("bwrap"); err == nil {
		ways["bubblewrap"] = func() error {
			return exec.Command(bwrap, "--ro-bind", "/", "/", "--bind", dir, dir, "--dev", "/dev", "--proc", "/proc",
				"--unshare-all", "--die-with-parent", "/bin/sh", "-c", ":").Run()
		}
	}
	return ways
}

// forget ends those of one kind that wait.
func forget(k kind) {
	ready.mu.Lock()
	list := slices.Clone(ready.waiting[k])
	ready.mu.Unlock()
	for _, w := range list {
		ready.drop(w)
	}
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func quantile(of []time.Duration, part float64) time.Duration {
	slices.SortFunc(of, cmp.Compare)
	return of[int(float64(len(of)-1)*part)]
}
