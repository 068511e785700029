package sandbox

import (
	"slices"
	"strings"
	"testing"
)

// The profile for macOS, of which the last rule about a path holds: the workspace
// can be read although it lies in a protected folder, what is protected in it
// can't, and nothing but the temporary folder is written.
func TestProfile_P6_LastRuleAboutEachPath(t *testing.T) {
	p := profile("/data/sample", "/tmp/box", []string{"/opt/tools"}, []string{"/data", "/data/sample/private", `/odd "name\`})
	lines := strings.Split(strings.TrimSpace(p), "\n")
	if lines[1] != "(deny default)" {
		t.Errorf("it begins with %q", lines[:2])
	}
	last := func(path string) string {
		for _, line := range slices.Backward(lines) {
			if strings.Contains(line, "(subpath "+profileText(path)+")") {
				verdict, _, _ := strings.Cut(line, " (")
				return strings.TrimPrefix(verdict, "(")
			}
		}
		return ""
	}
	for path, want := range map[string]string{
		"/usr": "allow file-read*", "/opt/tools": "allow file-read*", "/data": "deny file*", "/data/sample": "allow file-read*",
		"/data/sample/private": "deny file*", "/tmp/box": "allow file*", `/odd "name\`: "deny file*", "/Users": "",
	} {
		if got := last(path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	at := func(part string) int { return strings.Index(p, part) }
	if !(at(`(deny file* (subpath "/data")`) < at(`(subpath "/data/sample"))`) && at(`(subpath "/data/sample"))`) < at(`(subpath "/data/sample/private")`)) {
		t.Errorf("the order is wrong:\n%s", p)
	}
	if strings.Count(p, "file-write") != 1 || strings.Contains(p, "(allow network") || strings.Count(p, "allow file*") != 1 {
		t.Errorf("more is writable, or reachable:\n%s", p)
	}
	if !strings.Contains(p, `(subpath "/odd \"name\\")`) {
		t.Errorf("quoting:\n%s", p)
	}
}
