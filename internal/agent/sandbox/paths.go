package sandbox

import (
	"path/filepath"
	"strings"
)

// within tells whether path is dir or lies below it.
func within(path, dir string) bool {
	return path == dir || dir == "/" || strings.HasPrefix(path, dir+"/")
}

// realPaths resolves links; what doesn't exist is taken by its name.
func realPaths(paths []string) []string {
	real := make([]string, 0, len(paths))
	for _, p := range paths {
		if r, err := filepath.EvalSymlinks(p); err == nil {
			p = r
		}
		real = append(real, filepath.Clean(p))
	}
	return real
}
