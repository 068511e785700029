package tool

import (
	"path/filepath"
	"strings"

	"countersign/internal/planning"
)

// cleanPath is planning.CleanPath for a path that a model wrote.
func cleanPath(name string) (string, error) {
	clean, err := planning.CleanPath(name)
	if err != nil {
		return "", refuse("%v", err)
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
