package planning

import (
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// HasFile tells whether the scope lists this file: as an exact path, as a
// folder with a slash at its end ("web/"), or by a glob in which ** crosses
// folders. Name is slash-separated below the workspace. An empty scope lists
// nothing, and nothing lists what is inside a .git folder.
func (s Scope) HasFile(name string) bool {
	if !cleanRelative(name) || insideGit(name) {
		return false
	}
	return slices.ContainsFunc(s.Files, func(pattern string) bool {
		if strings.HasSuffix(pattern, "/") {
			return strings.HasPrefix(name, pattern)
		}
		if pattern = path.Clean(pattern); pattern == name {
			return true
		}
		matched, err := doublestar.Match(pattern, name)
		return err == nil && matched
	})
}

// Literal is a pattern that matches exactly this file.
func Literal(name string) string { return meta.Replace(name) }

var meta = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `]`, `\]`, `{`, `\{`, `}`, `\}`)

// HasCommand tells whether the scope lists this command, to the letter but for
// blanks around it.
func (s Scope) HasCommand(command string) bool {
	command = strings.TrimSpace(command)
	return command != "" && slices.ContainsFunc(s.Commands, func(c string) bool { return strings.TrimSpace(c) == command })
}

func cleanRelative(name string) bool {
	return name != "" && name != "." && name == path.Clean(name) && !path.IsAbs(name) &&
		name != ".." && !strings.HasPrefix(name, "../") && !strings.ContainsRune(name, 0)
}

func insideGit(name string) bool {
	return slices.ContainsFunc(strings.Split(name, "/"), IsGit)
}

// Same tells whether two scopes list the same, in whatever order.
func (s Scope) Same(other Scope) bool {
	same := func(a, b []string) bool {
		a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
		return slices.Equal(slices.Compact(a), slices.Compact(b))
	}
	return same(s.Files, other.Files) && same(s.Commands, other.Commands)
}
