package builtin

import (
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// matchesPath tells whether a pattern, as people write it, means a file: a
// path or the end of one ("log.go", "db/log.go"), a folder anywhere on its way
// ("vendor", "vendor/"), or a glob ("*.md", "web/**/*.css").
func matchesPath(pattern, file string) bool {
	pattern = path.Clean(strings.TrimPrefix(pattern, "/"))
	if strings.Contains("/"+file+"/", "/"+pattern+"/") {
		return true
	}
	if !strings.ContainsAny(pattern, "*?[{") {
		return false
	}
	for _, p := range []string{pattern, "**/" + pattern, pattern + "/**", "**/" + pattern + "/**"} {
		if ok, err := doublestar.Match(p, file); ok && err == nil {
			return true
		}
	}
	return false
}

func matchesAny(patterns []string, file string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return matchesPath(p, file) })
}

// globFor makes the pattern for grep that finds at least the files that people
// mean by these; empty for every file.
func globFor(patterns []string) string {
	var globs []string
	for _, p := range patterns {
		folder := strings.HasSuffix(p, "/")
		p = path.Clean(strings.TrimPrefix(p, "/"))
		switch {
		case p == ".":
			return ""
		case folder:
			p = "**/" + p + "/**"
		case !strings.ContainsAny(p, "*?[{"):
			p = "**/" + p + "{,/**}"
		case !strings.Contains(p, "/") && len(patterns) > 1:
			p = "**/" + p
		}
		globs = append(globs, p)
	}
	switch glob := strings.Join(globs, ","); {
	case len(globs) == 1 && doublestar.ValidatePattern(glob):
		return glob
	case len(globs) > 1 && !strings.ContainsAny(strings.Join(patterns, ""), "{},"):
		return "{" + glob + "}"
	}
	return ""
}

// escapeGlob makes a name a pattern that matches only itself.
func escapeGlob(name string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "]", `\]`, "{", `\{`, "}", `\}`).Replace(name)
}

// testPatterns are the files that people mean by "tests".
var testPatterns = []string{"*_test.*", "test_*.*", "*.test.*", "*.spec.*", "test/", "tests/", "testdata/", "__tests__/"}
