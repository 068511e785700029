package sandbox

import (
	"cmp"
	"context"
	"os/exec"
	"slices"
	"testing"
	"time"
)

// BenchmarkCommand takes the time of a command under each stack, of the same
// command started plainly, and of the same under bubblewrap where it is
// installed, in turn, so that whatever else the machine does falls on all alike.
// What it reports is how much later than plainly they end.
func BenchmarkCommand(b *testing.B) {
	s, dir := Detect(), b.TempDir()
	under := func(l layers) func() error {
		l.landlock = s.Landlock
		return func() error {
			_, err := run(context.Background(), Command{Dir: dir, Shell: ":"}, l)
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
	}
	if bwrap, err := exec.LookPath("bwrap"); err == nil {
		ways["bubblewrap"] = func() error {
			return exec.Command(bwrap, "--ro-bind", "/", "/", "--bind", dir, dir, "--dev", "/dev", "--proc", "/proc",
				"--unshare-all", "--die-with-parent", "/bin/sh", "-c", ":").Run()
		}
	}
	times := map[string][]time.Duration{}
	for b.Loop() {
		for name, way := range ways {
			start := time.Now()
			if err := way(); err != nil {
				b.Fatal(name, err)
			}
			times[name] = append(times[name], time.Since(start))
		}
	}
	for name, of := range times {
		if name == "plain" {
			continue
		}
		for what, part := range map[string]float64{"p50": 0.50, "p99": 0.99} {
			more := quantile(of, part) - quantile(times["plain"], part)
			b.ReportMetric(float64(more.Microseconds())/1000, "ms-more-"+name+"-"+what)
		}
	}
}

func quantile(of []time.Duration, part float64) time.Duration {
	slices.SortFunc(of, cmp.Compare)
	return of[int(float64(len(of)-1)*part)]
}
