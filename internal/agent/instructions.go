package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"countersign/internal/planning"
)

// instruct reads the workspace's instructions where it is time to. Between two
// such moments they stay as they are, whatever becomes of the files, because
// every request begins with them.
func (r *run) instruct(ctx context.Context) error {
	if r.Instructions == nil || !r.state.InstructionsDue {
		return nil
	}
	files := r.hideInstructions(r.Instructions(r.state.Workspace))
	return r.record(ctx, running(func(s planning.State) ([]planning.Event, error) {
		read := planning.InstructionsRead{Files: files}
		if slices.Equal(files, s.Instructions) {
			read = planning.InstructionsRead{Same: true}
		}
		return by(planning.System, read), nil
	}))
}

// instructions is their section of the system prompt, or "".
func instructions(files []planning.Instruction) string {
	var b strings.Builder
	for _, f := range files {
		if f.Text == "" {
			continue
		}
		fmt.Fprintf(&b, "\n\nInstructions of the project, from %s:\n\n%s", f.Path, strings.TrimSpace(f.Text))
		if f.Cut {
			fmt.Fprintf(&b, "\n\n[%s goes on; read it with read_file where it matters.]", f.Path)
		}
	}
	return b.String()
}
