package templates

import (
	"context"
	"path"
	"slices"
	"strings"

	"countersign/internal/planning"
)

// PatternForm is a pattern of files that somebody wanted to allow.
type PatternForm struct {
	Permission string // the request
	Text       string
	Problem    string
}

// pattern is the form for a request, empty unless it was brought back.
func (p ActivityPage) pattern(q planning.Permission) PatternForm {
	if p.Pattern.Permission != q.ID {
		return PatternForm{}
	}
	return p.Pattern
}

// folderOf is the folder that holds all files of a request, with a slash at its
// end; empty if that is the workspace itself.
func folderOf(paths []string) string {
	folder := ""
	for i, p := range paths {
		dir := path.Dir(p) + "/"
		if dir == "./" {
			return ""
		}
		for i > 0 && !strings.HasPrefix(dir, folder) {
			if folder = path.Dir(strings.TrimSuffix(folder, "/")) + "/"; folder == "./" {
				return ""
			}
		}
		if i == 0 {
			folder = dir
		}
	}
	if strings.ContainsAny(folder, `*?[]{}\\`) {
		return "" // it would be read as a pattern
	}
	return folder
}

// grantedWhat says what a grant is of.
func grantedWhat(ctx context.Context, g planning.Grant) string {
	switch {
	case g.Command != "":
		return visible(g.Command)
	case len(g.Patterns) > 0:
		return visible(strings.Join(g.Patterns, tr(ctx, ", ")))
	case len(g.Files) > 0:
		return visible(strings.Join(g.Files, tr(ctx, ", ")))
	default:
		return visible(g.Tool)
	}
}

// allowedBySettings is what the settings allow, in the order in which people think of it:
// commands, files, tools.
func allowedBySettings(g planning.Grants) []string {
	return slices.Concat(g.Commands, g.Files, g.Patterns, g.Tools)
}
