package sandbox

import (
	"context"
	"os/exec"
	"testing"
)

// BenchmarkCommand compares a command under each stack with the same command
// started plainly.
func BenchmarkCommand(b *testing.B) {
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			if err := exec.Command("/bin/sh", "-c", ":").Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
	s := Detect()
	for name, l := range map[string]layers{
		"landlock":   {landlock: s.Landlock},
		"namespaces": {landlock: s.Landlock, namespaces: true},
		"overlay":    {landlock: s.Landlock, namespaces: true, overlay: true},
	} {
		b.Run(name, func(b *testing.B) {
			c := Command{Dir: b.TempDir(), Shell: ":"}
			for b.Loop() {
				if r, err := run(context.Background(), c, l); err != nil || r.ExitCode != 0 {
					b.Fatal(r, err)
				}
			}
		})
	}
}
