package tool

import (
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// Limits of what Linux and the common file systems take; checked here, so that
// the model gets a sentence instead of an error number.
const (
	maxPath = 4096
	maxName = 255
)

// cleanPath brings a path as a model wrote it into the one form that
// everything else uses: slash-separated, below the workspace, cleaned; the
// workspace itself is ".". It looks at nothing on disk. Absolute paths are
// refused: see relative.
func cleanPath(name string) (string, error) {
	switch {
	case name == "":
		return "", refuse("The path is empty.")
	case len(name) > maxPath:
		return "", refuse("The path is %d bytes long; at most %d are possible.", len(name), maxPath)
	case strings.ContainsRune(name, 0):
		return "", refuse("The path has a NUL character in it.")
	case !utf8.ValidString(name):
		return "", refuse("The path is not valid UTF-8.")
	case path.IsAbs(name) || filepath.IsAbs(name):
		return "", refuse("%s is an absolute path. Name it relative to the workspace, as in internal/db/log.go.", name)
	}
	clean := path.Clean(filepath.ToSlash(name))
	for part := range strings.SplitSeq(clean, "/") {
		switch {
		case part == "..":
			return "", refuse("%s lies outside the workspace.", name)
		case len(part) > maxName:
			return "", refuse("A name in the path is %d bytes long; at most %d are possible.", len(part), maxName)
		case isGit(part):
			return "", refuse("%s lies in %s, which no tool may read or write. Use the shell's git commands to look at the history.", name, part)
		}
	}
	if !filepath.IsLocal(filepath.FromSlash(clean)) {
		return "", refuse("%s is not a path below the workspace.", name)
	}
	return clean, nil
}

// cleanFile is cleanPath for what must be a file.
func cleanFile(name string) (string, error) {
	clean, err := cleanPath(name)
	switch {
	case err != nil:
		return "", err
	case clean == "." || strings.HasSuffix(name, "/"):
		return "", refuse("%s names a folder, not a file.", name)
	}
	return clean, nil
}

// relative makes an absolute path that lies in the workspace relative to it
// and leaves every other path alone. Only tools that read use it: what a tool
// would write is decided on before the workspace is looked at, by name.
func relative(workspace, name string) string {
	if !filepath.IsAbs(name) {
		return name
	}
	rel, err := filepath.Rel(workspace, filepath.Clean(name))
	if err != nil || !filepath.IsLocal(rel) {
		return name
	}
	return filepath.ToSlash(rel)
}

// isGit tells whether a name is .git, or would be taken for it by a file
// system that folds case, drops trailing dots and blanks, ignores invisible
// characters, has short names (GIT~1), or streams (.git::$DATA).
func isGit(name string) bool {
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
