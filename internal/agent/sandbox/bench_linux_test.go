package sandbox

import (
	"cmp"
	"context"
	"maps"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"
)

// BenchmarkCommand takes the time of a command under each stack, of the same
// command started plainly, and of the same under bubblewrap where it is
// installed, in turn, so that whatever else the machine does falls on all alike.
// What it reports is how much later than plainly they end, and how many times as
// long they take. A supervisor waits for each of them, as it does for every
// command of a kind but the first.
func BenchmarkCommand(b *testing.B) {
	ways := stacked(b)
	if bwrap, err := exec.LookPath("bwrap"); err == nil {
		dir := b.TempDir()
		ways["bubblewrap"] = func() error {
			return exec.Command(bwrap, "--ro-bind", "/", "/", "--bind", dir, dir, "--dev", "/dev", "--proc", "/proc",
				"--unshare-all", "--die-with-parent", "/bin/sh", "-c", ":").Run()
		}
	}
	besidePlain(b, ways, func() {})
}

// BenchmarkFirstCommand is the same for commands that no supervisor waits for. It
// is apart from the other because what it starts and ends each time is felt by
// what comes next.
func BenchmarkFirstCommand(b *testing.B) {
	besidePlain(b, stacked(b), func() {
		ready.chores.Wait()
		ready.forget()
	})
}

// besidePlain runs the ways in turn, a plain one first, and reports how much more
// they take.
func besidePlain(b *testing.B, ways map[string]func() error, between func()) {
	names := slices.Sorted(maps.Keys(ways))
	const plainly = "plain"
	ways[plainly] = func() error { return exec.Command("/bin/sh", "-c", ":").Run() }
	times := map[string][]time.Duration{}
	for b.Loop() {
		for _, name := range append([]string{plainly}, names...) {
			between()
			time.Sleep(pause)
			start := time.Now()
			if err := ways[name](); err != nil {
				b.Fatal(name, err)
			}
			times[name] = append(times[name], time.Since(start))
		}
	}
	b.ReportMetric(0, "ns/op") // is mostly the pauses
	for what, part := range map[string]float64{"p50": 0.50, "p99": 0.99} {
		plain := quantile(times[plainly], part)
		b.ReportMetric(milliseconds(plain), "ms-plain-"+what)
		for _, name := range names {
			taken := quantile(times[name], part)
			b.ReportMetric(milliseconds(taken-plain), "ms-more-"+name+"-"+what)
			b.ReportMetric(float64(taken)/float64(plain), "times-"+name+"-"+what)
		}
	}
}

// pause is how long nothing runs before each command, in which the confinement of
// the next one is prepared.
var pause = func() time.Duration { d, _ := time.ParseDuration(cmp.Or(os.Getenv("PAUSE"), "300ms")); return d }()

// stacked are the stacks that this machine has.
func stacked(b *testing.B) map[string]func() error {
	s, dir := Detect(), b.TempDir()
	under := func(l layers) func() error {
		l.landlock = s.Landlock
		return func() error {
			_, err := run(context.Background(), Command{Dir: dir, Shell: ":", Timeout: DefaultTimeout}, l)
			return err
		}
	}
	ways := map[string]func() error{}
	if s.OK {
		ways["landlock"] = under(layers{})
	}
	if s.Namespaces {
		ways["namespaces"] = under(layers{namespaces: true})
	}
	if s.Overlay {
		ways["overlay"] = under(layers{namespaces: true, overlay: true})
	}
	return ways
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func quantile(of []time.Duration, part float64) time.Duration {
	slices.SortFunc(of, cmp.Compare)
	return of[int(float64(len(of)-1)*part)]
}
