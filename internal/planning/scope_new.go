package planning

import (
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"

	"countersign/internal/fault"
)

// Limits on a scope.
const (
	// MaxScope is how many files, and how many commands, a plan can list.
	MaxScope = 500
	// MaxScopeCommand is how long a command can be, in bytes.
	MaxScopeCommand = 32 << 10
	// MaxScopeText is how long all entries can be together, in bytes: people
	// read them, and the form in which they change them carries them twice.
	MaxScopeText = 256 << 10
)

// NewScope checks what a plan wants to change and run, and brings it into the
// form in which it is matched. Its faults are Invalid; they name the entry, for
// people and models alike, and the field: files or commands.
func NewScope(files, commands []string) (Scope, error) {
	var s Scope
	switch {
	case len(files) > MaxScope:
		return s, fault.New(fault.Invalid, "files may have %d entries. Use globs such as web/** for many files.", MaxScope).At("files")
	case len(commands) > MaxScope:
		return s, fault.New(fault.Invalid, "commands may have %d entries.", MaxScope).At("commands")
	}
	text := 0
	for _, entry := range slices.Concat(files, commands) {
		text += len(entry)
	}
	if text > MaxScopeText {
		return s, fault.New(fault.Invalid, "files and commands may have %d KB together.", MaxScopeText>>10).At("files")
	}
	for i, f := range files {
		clean, err := scopeFile(f)
		if err != nil {
			return s, fault.New(fault.Invalid, "files, entry %d: %v", i+1, err).At("files")
		}
		s.Files = append(s.Files, clean)
	}
	for i, c := range commands {
		c = strings.TrimSpace(c)
		switch {
		case c == "" || strings.ContainsRune(c, 0) || !utf8.ValidString(c):
			return s, fault.New(fault.Invalid, "commands, entry %d is not a command.", i+1).At("commands")
		case len(c) > MaxScopeCommand:
			return s, fault.New(fault.Invalid, "commands, entry %d is longer than %d KB.", i+1, MaxScopeCommand>>10).At("commands")
		}
		s.Commands = append(s.Commands, c)
	}
	return s, nil
}

// scopeFile brings a path or glob into the form in which it is matched. A
// slash at the end stays: it means all that is below.
func scopeFile(pattern string) (string, error) {
	pattern = strings.TrimSpace(pattern)
	clean, err := CleanPath(pattern)
	switch {
	case err != nil:
		return "", err
	case clean == ".":
		return "", fault.New(fault.Invalid, "%q is the whole workspace. Name the files or folders that change.", pattern)
	case !doublestar.ValidatePattern(clean):
		return "", fault.New(fault.Invalid, "%q is not a valid glob pattern.", pattern)
	case path.Clean(pattern) != strings.TrimSuffix(strings.TrimPrefix(pattern, "./"), "/"):
		return "", fault.New(fault.Invalid, "%q is not a clean path; write %s.", pattern, clean)
	}
	if strings.HasSuffix(pattern, "/") {
		clean += "/"
	}
	return clean, nil
}
