package builtin

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestReadStep(t *testing.T) {
	one := []hunk{{line: 12, old: []string{"old"}, new: []string{"new"}}}
	tests := map[string]struct {
		text  string
		path  string
		hunks []hunk
		why   string
	}{
		"as we write it":           {"## Step 1: Rename in `a/b.go`\n\n```diff\n@@ line 12 @@\n-old\n+new\n```\n", "a/b.go", one, ""},
		"a list item":              {"3. Rename in `a.go`\n   ```diff\n   @@ line 12 @@\n   -old\n   +new\n   ```\n", "a.go", one, ""},
		"no mark of a language":    {"## 1. `a.go`\n```\n@@ 12 @@\n-old\n+new\n```", "a.go", one, ""},
		"tildes":                   {"## 1. `a.go`\n~~~diff\n@@ line 12 @@\n-old\n+new\n~~~", "a.go", one, ""},
		"a unified head":           {"## 1. `a.go`\n```diff\n@@ -12,1 +12,1 @@ func x\n-old\n+new\n```", "a.go", one, ""},
		"CR LF":                    {"## 1. `a.go`\r\n```diff\r\n@@ line 12 @@\r\n-old\r\n+new\r\n```\r\n", "a.go", one, ""},
		"blank lines between":      {"## 1. `a.go`\n```diff\n\n@@ line 12 @@\n-old\n+new\n\n@@ line 14 @@\n-x\n+y\n\n```", "a.go", append(one, hunk{line: 14, old: []string{"x"}, new: []string{"y"}}), ""},
		"two blocks":               {"## 1. `a.go`\n```diff\n@@ line 12 @@\n-old\n+new\n```\nand\n```diff\n@@ line 14 @@\n-x\n+y\n```", "a.go", append(one, hunk{line: 14, old: []string{"x"}, new: []string{"y"}}), ""},
		"lines around":             {"## 1. `a.go`\n```diff\n@@ line 12 @@\n a\n-old\n+new\n+newer\n \n```", "a.go", []hunk{{line: 12, old: []string{"a", "old", ""}, new: []string{"a", "new", "newer", ""}}}, ""},
		"a line taken out":         {"## 1. `a.go`\n```diff\n@@ line 12 @@\n-old\n```", "a.go", []hunk{{line: 12, old: []string{"old"}}}, ""},
		"an empty line":            {"## 1. `a.go`\n```diff\n@@ line 12 @@\n-\n+new\n```", "a.go", []hunk{{line: 12, old: []string{""}, new: []string{"new"}}}, ""},
		"other code beside it":     {"## 1. `a.go`\n```sh\nmake\n```\n```diff\n@@ line 12 @@\n-old\n+new\n```", "a.go", one, ""},
		"nothing left":             {"## 1. `a.go`\n```diff\n```", "a.go", nil, ""},
		"put back":                 {"## 1. `a.go`\n```diff\n@@ line 12 @@\n-old\n+old\n```", "a.go", nil, ""},
		"no end":                   {"## 1. `a.go`\n```diff\n@@ line 12 @@\n-old\n+new", "a.go", one, ""},
		"fences in the lines":      {"## 1. `a.md`\n````diff\n@@ line 12 @@\n-```\n+~~~\n```` \n", "a.md", []hunk{{line: 12, old: []string{"```"}, new: []string{"~~~"}}}, ""},
		"a path without backticks": {"## 1. Rename in internal/a.go, please\n```diff\n@@ line 12 @@\n-old\n+new\n```", "internal/a.go", one, ""},
		"a path with backticks":    {"## 1. ``a `b`.go``\n```diff\n@@ line 12 @@\n-old\n+new\n```", "a `b`.go", one, ""},

		"prose":                {"## 1. Make `a.go` faster\n\nUse a map.", "a.go", nil, english.noLines},
		"no path":              {"## 1. Rename\n```diff\n@@ line 12 @@\n-old\n+new\n```", "", nil, english.noPath},
		"two paths":            {"## 1. Rename in a.go or b.go\n```diff\n@@ line 12 @@\n-old\n+new\n```", "", nil, english.noPath},
		"no line number":       {"## 1. `a.go`\n```diff\n-old\n+new\n```", "a.go", nil, "line 3 of it is not in the form"},
		"a stray line":         {"## 1. `a.go`\n```diff\n@@ line 12 @@\n-old\nnew\n```", "a.go", nil, "“new”"},
		"something only added": {"## 1. `a.go`\n```diff\n@@ line 12 @@\n+new\n```", "a.go", nil, "the change at line 12 says"},
		"line nought":          {"## 1. `a.go`\n```diff\n@@ line 0 @@\n-old\n+new\n```", "a.go", nil, "line 3 of it"},
		"a number too large":   {"## 1. `a.go`\n```diff\n@@ line 99999999999999999999 @@\n-old\n+new\n```", "a.go", nil, "line 3 of it"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := readStep("t", test.text, &english)
			if s.path != test.path || (test.why == "") != (s.why == "") || !strings.Contains(s.why, test.why) {
				t.Errorf("path %q, why %q", s.path, s.why)
			}
			if s.why != "" {
				return
			}
			if d := cmp.Diff(test.hunks, s.hunks, cmp.AllowUnexported(hunk{}), cmpopts.IgnoreFields(hunk{}, "from", "to"), cmpopts.EquateEmpty()); d != "" {
				t.Error(d)
			}
		})
	}
}

// What a step is written as is what is read back.
func FuzzStep(f *testing.F) {
	f.Add("a/b.go", "old", "new", 12)
	f.Add("a `b`.go", "```", "````", 1)
	f.Add("x", " ", "@@ line 1 @@", 3)
	f.Fuzz(func(t *testing.T, path, old, new string, line int) {
		if strings.ContainsAny(path+old+new, "\r\n") || old == new || line < 1 || path != cleanPattern(path) || path == "" {
			t.Skip()
		}
		want := step{path: path, hunks: []hunk{{line: line, old: []string{old}, new: []string{new}}}}
		want.title = english.stepTitle(task{changes: []change{{whole: true}}}, path)
		have := readStep(want.title, want.markdown(3, &english), &english)
		if d := cmp.Diff(want, have, cmp.AllowUnexported(step{}, hunk{}), cmpopts.IgnoreFields(hunk{}, "from", "to")); d != "" {
			t.Error(d)
		}
	})
}

func TestWithout(t *testing.T) {
	text := "## 1. `a.go`\r\n\nwords\n```diff\n@@ line 1 @@\n-a\n+b\n@@ line 2 @@\n-c\n+d\n```\n\n"
	s := readStep("t", text, &english)
	if have, want := without(text, s.hunks[:1]), "## 1. `a.go`\r\n\nwords\n```diff\n@@ line 2 @@\n-c\n+d\n```\n\n"; have != want {
		t.Errorf("%q", have)
	}
}
