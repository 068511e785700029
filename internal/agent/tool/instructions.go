package tool

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"countersign/internal/agent"
	"countersign/internal/planning"
)

const (
	maxInstruction  = 32 << 10 // bytes of one file that the model gets
	maxInstructions = 64 << 10 // and of all of them
	maxInstructed   = 1 << 20  // bytes of a file that is looked at at all
)

// instructionFiles are the names that agents' instructions go by.
var instructionFiles = []string{"AGENTS.md", "CLAUDE.md"}

// Instructions finds them in the folders from the one that the settings name,
// of which a workspace may be a part, down to the workspace itself: the nearest
// last. A file with the text of one before it is left out.
func (c Config) Instructions(folders []string) func(workspace string) []planning.Instruction {
	return func(workspace string) []planning.Instruction {
		root := widest(folders, workspace)
		w, err := openWorkspace(root, c.Protected)
		if err != nil {
			return nil // the session's own tools say why
		}
		defer w.Close()
		var found []planning.Instruction
		seen, left := map[string]bool{}, maxInstructions
		for _, dir := range between(root, workspace) {
			for _, name := range instructionFiles {
				f, ok := w.instruction(path.Join(dir, name), min(left, maxInstruction))
				if !ok || f.SHA256 != "" && seen[f.SHA256] {
					continue
				}
				seen[f.SHA256] = true
				left -= len(f.Text)
				found = append(found, f)
			}
		}
		return found
	}
}

// instruction reads one; ok is false where there is none.
func (w *workspace) instruction(name string, most int) (f planning.Instruction, ok bool) {
	f.Path = name
	if _, err := w.root.Lstat(filepath.FromSlash(name)); errors.Is(err, fs.ErrNotExist) {
		return f, false
	}
	file, info, err := w.open(name)
	if err != nil {
		return w.unread(f, err), true
	}
	defer file.Close()
	if _, binary := sniff(file); binary || info.Size() > maxInstructed {
		f.Fault = "It is no text, or too large."
		return f, true
	}
	data, err := io.ReadAll(io.LimitReader(file, maxInstructed))
	if err != nil {
		return w.unread(f, err), true
	}
	f.SHA256, f.Bytes = fmt.Sprintf("%x", sha256.Sum256(data)), info.Size()
	f.Text, f.Cut = cutText(strings.ToValidUTF8(string(data), "\uFFFD"), most)
	return f, true
}

func (w *workspace) unread(f planning.Instruction, err error) planning.Instruction {
	f.Fault = "It can't be read."
	var no *agent.ToolError
	if errors.As(err, &no) {
		f.Fault = no.Message
	}
	return f
}

// widest is the folder of the settings that the workspace lies in, the outermost
// one; the workspace itself if there is none.
func widest(folders []string, workspace string) string {
	root := workspace
	for _, f := range folders {
		if within(workspace, f) && len(f) < len(root) {
			root = f
		}
	}
	return root
}

// between are the folders from root down to the workspace, below root.
func between(root, workspace string) []string {
	dirs := []string{"."}
	rest := filepath.ToSlash(strings.TrimPrefix(strings.TrimPrefix(workspace, root), string(filepath.Separator)))
	at := "."
	for part := range strings.SplitSeq(rest, "/") {
		if part != "" {
			at = path.Join(at, part)
			dirs = append(dirs, at)
		}
	}
	return dirs
}
