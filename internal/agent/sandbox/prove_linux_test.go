package sandbox

import (
	"context"
	"os/exec"
	"testing"
)

func TestProve_P6_TenAttemptsComeToNothing(t *testing.T) {
	everywhere(t, func(t *testing.T, l layers) {
		proofs, err := prove(t.Context(), func(ctx context.Context, c Command) (Result, error) { return run(ctx, c, l) })
		must(t, err)
		if len(proofs) != 10 {
			t.Errorf("%d attempts", len(proofs))
		}
		for _, p := range proofs {
			if !p.Held || p.Why != "" {
				t.Errorf("%+v", p)
			}
		}
	})
}

// Without a sandbox each of them gets through, and without its program none
// counts.
func TestProve_FindsWhatGetsThrough(t *testing.T) {
	proofs, err := prove(t.Context(), func(ctx context.Context, c Command) (Result, error) {
		cmd := exec.CommandContext(ctx, "/bin/sh", "-c", c.Shell)
		cmd.Dir = c.Dir
		out, err := cmd.CombinedOutput()
		return Result{Output: string(out)}, err
	})
	must(t, err)
	for _, p := range proofs {
		if p.Held || p.Why != "" {
			t.Errorf("%+v", p)
		}
	}
	proofs, err = prove(t.Context(), func(context.Context, Command) (Result, error) {
		return Result{Output: "<0>\nsh: echo: not found\n</0=127\n"}, nil
	})
	must(t, err)
	for _, p := range proofs {
		if p.Held || p.Why == "" {
			t.Errorf("%+v", p)
		}
	}
}
