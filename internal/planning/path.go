package planning

import (
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"countersign/internal/fault"
)

// Limits of what Linux and the common file systems take; checked here, so that
// one gets a sentence instead of an error number.
const (
	MaxPath = 4096
	maxName = 255
)

// CleanPath brings a path as somebody wrote it into the one form that
// everything else uses: slash-separated, below the workspace, cleaned; the
// workspace itself is ".". It looks at nothing on disk. Absolute paths are
// refused. Its errors are fault.Invalid.
func CleanPath(name string) (string, error) {
	switch {
	case name == "":
		return "", fault.New(fault.Invalid, "The path is empty.")
	case len(name) > MaxPath:
		return "", fault.New(fault.Invalid, "The path is %d bytes long; at most %d are possible.", len(name), MaxPath)
	case strings.ContainsRune(name, 0):
		return "", fault.New(fault.Invalid, "The path has a NUL character in it.")
	case !utf8.ValidString(name):
		return "", fault.New(fault.Invalid, "The path is not valid UTF-8.")
	case path.IsAbs(name) || filepath.IsAbs(name):
		return "", fault.New(fault.Invalid, "%s is an absolute path. Name it relative to the workspace, as in internal/db/log.go.", name)
	}
	clean := path.Clean(filepath.ToSlash(name))
	for part := range strings.SplitSeq(clean, "/") {
		switch {
		case part == "..":
			return "", fault.New(fault.Invalid, "%s lies outside the workspace.", name)
		case len(part) > maxName:
			return "", fault.New(fault.Invalid, "A name in the path is %d bytes long; at most %d are possible.", len(part), maxName)
		case IsGit(part):
			return "", fault.New(fault.Invalid, "%s lies in %s, which no tool may read or write. Use the shell's git commands to look at the history.", name, part)
		}
	}
	if !filepath.IsLocal(filepath.FromSlash(clean)) {
		return "", fault.New(fault.Invalid, "%s is not a path below the workspace.", name)
	}
	return clean, nil
}

// IsGit tells whether a name is .git, or would be taken for it by a file
// system that folds case, drops trailing dots and blanks, ignores invisible
// characters, has short names (GIT~1), or streams (.git::$DATA).
func IsGit(name string) bool {
	name, _, _ = strings.Cut(name, ":")
	name = strings.Map(func(r rune) rune {
		if invisible(r) {
			return -1
		}
		return r
	}, name)
	name = strings.TrimRight(name, ". ")
	return strings.EqualFold(name, ".git") || strings.EqualFold(name, "git~1")
}

// invisible: the characters that HFS+ ignores in names, after the list that
// git itself checks against.
func invisible(r rune) bool {
	return r >= 0x200c && r <= 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x206a && r <= 0x206f || r == 0xfeff
}
