package web

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"countersign/internal/fault"
	"countersign/internal/planning"
	"countersign/internal/planning/document"
)

// workspace checks a folder that somebody wants an agent to work in and
// returns its real path, links resolved. Empty means the first of the allowed
// ones. Its faults are about the field "workspace".
func (s *server) workspace(path string) (string, error) {
	path = strings.TrimSpace(path)
	if f := document.CheckText("The workspace", path); f != nil {
		return "", f.At("workspace")
	}
	if len(path) > planning.MaxPath {
		return "", badWorkspace("The path is %d bytes long; at most %d are possible.", len(path), planning.MaxPath)
	}
	if path == "" {
		if len(s.cfg.Workspaces) == 0 {
			return "", badWorkspace("This server has no workspace. Start it with --workspace DIR.")
		}
		path = s.cfg.Workspaces[0]
	}
	if !filepath.IsAbs(path) {
		return "", badWorkspace("Give the workspace as a whole path, like %s; %q is not one.", s.example(), path)
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		real = filepath.Clean(path)
	}
	if !s.inside(real, err == nil) {
		// The same answer whether or not it exists, so that nobody can find
		// out what lies outside.
		return "", badWorkspace("%s is outside of the workspaces that this server may use: %s.", path, strings.Join(s.cfg.Workspaces, ", "))
	}
	if s.forbidden(real) {
		return "", badWorkspace("%s holds what no agent may touch, so no session can work there.", path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return "", badWorkspace("There is no folder %s.", path)
	}
	info, err := os.Stat(real)
	if err != nil {
		return "", fault.Wrap(err, fault.Invalid, "The folder %s can't be opened.", path).At("workspace")
	}
	if !info.IsDir() {
		return "", badWorkspace("%s is a file, not a folder.", path)
	}
	return real, nil
}

func badWorkspace(format string, args ...any) *fault.Fault {
	return fault.New(fault.Invalid, format, args...).At("workspace")
}

// forbidden tells whether path lies in the product's own data or in a .git
// folder. Tools refuse both below a workspace; as a workspace they would not.
func (s *server) forbidden(path string) bool {
	for part := range strings.SplitSeq(filepath.ToSlash(path), "/") {
		if strings.EqualFold(part, ".git") {
			return true
		}
	}
	private, err := filepath.EvalSymlinks(s.cfg.Private)
	return s.cfg.Private != "" && (within(s.cfg.Private, path) || err == nil && within(private, path))
}

// inside tells whether path lies in an allowed workspace. A path that does not
// exist could not be resolved and is judged by its name; nothing is opened
// there.
func (s *server) inside(path string, exists bool) bool {
	for _, root := range s.cfg.Workspaces {
		if !exists && within(filepath.Clean(root), path) {
			return true
		}
		if real, err := filepath.EvalSymlinks(root); err == nil && within(real, path) {
			return true
		}
	}
	return false
}

// within tells whether path is root or lies below it: /repo-evil is not in
// /repo.
func within(root, path string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

func (s *server) example() string {
	if len(s.cfg.Workspaces) > 0 {
		return s.cfg.Workspaces[0]
	}
	return "/home/me/project"
}
