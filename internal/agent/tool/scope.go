package tool

import (
	"path"
	"strings"

	"countersign/internal/planning"
)

// MatchScope tells whether a list of scope patterns takes in a path below the
// workspace. There is one meaning of such patterns: planning.Scope has it.
func MatchScope(patterns []string, name string) bool {
	return planning.Scope{Files: patterns}.HasFile(name)
}

// wholeFolders returns the folders of which the patterns take in everything:
// "web/" and "web/**", but not "web/**/*.css" and not "web".
func wholeFolders(patterns []string) []string {
	var folders []string
	for _, p := range patterns {
		top, all := strings.CutSuffix(strings.TrimSuffix(p, "**"), "/")
		if top = path.Clean(top); all && top != "." && !strings.ContainsAny(top, `*?[{\`) {
			folders = append(folders, top)
		}
	}
	return folders
}
