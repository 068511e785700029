package builtin

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/internal/planning"
)

var small = map[string]string{
	"a.go":          "package p\n\nfunc OldName() {}\n\nvar x = OldName\n",
	"b/b.go":        "package b\n\n// OldName and OldNames\nfunc f() { p.OldName() }\n",
	"vendor/v/v.go": "package v\n\nvar OldName = 1\n",
	"README.md":     "See OldName.\n",
	"other.txt":     "nothing here\n",
	".gitignore":    "ignored/\n",
	"ignored/i.go":  "OldName\n",
}

const smallPlan = "# Rename `OldName` to `NewName`\n\n" +
	"Wherever `OldName` stands as a whole word, it becomes `NewName`. Only the lines listed here change. To leave one out, delete it from its step, from its @@ on; to change what it becomes, edit the line that begins with a plus sign.\n\n" +
	"## Step 1: Rename in `README.md`\n\n```diff\n@@ line 1 @@\n-See OldName.\n+See NewName.\n```\n\n" +
	"## Step 2: Rename in `a.go`\n\n```diff\n@@ line 3 @@\n-func OldName() {}\n+func NewName() {}\n@@ line 5 @@\n-var x = OldName\n+var x = NewName\n```\n\n" +
	"## Step 3: Rename in `b/b.go`\n\n```diff\n@@ line 3 @@\n-// OldName and OldNames\n+// NewName and OldNames\n@@ line 4 @@\n-func f() { p.OldName() }\n+func f() { p.NewName() }\n```\n\n" +
	"## Step 4: Rename in `vendor/v/v.go`\n\n```diff\n@@ line 3 @@\n-var OldName = 1\n+var NewName = 1\n```\n\n" +
	"## Verification\n\nAfterwards none of the lines listed above holds `OldName` in its old form, and every other line is as it was. Building the project and running its tests is left to you.\n"

func TestPlan_FirstVersion(t *testing.T) {
	s := newSession(t, small)
	s.say("rename OldName to NewName")
	text := s.run()
	p := s.plan()
	if d := cmp.Diff(smallPlan, p.Plan); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"README.md", "a.go", "b/b.go", "vendor/v/v.go"}, p.Files); d != "" {
		t.Error(d)
	}
	if want := "I found 6 lines to change in 4 files."; !strings.Contains(text, want) {
		t.Errorf("said %q, want %q", text, want)
	}
	if s.turns > 3 {
		t.Errorf("it took %d turns", s.turns)
	}
}

func TestCarryOut_WholePlan(t *testing.T) {
	s := newSession(t, small)
	s.say("Rename “OldName” to 'NewName'.")
	s.run()
	s.approve("")
	text := s.run()
	for name, want := range map[string]string{
		"a.go":          "package p\n\nfunc NewName() {}\n\nvar x = NewName\n",
		"b/b.go":        "package b\n\n// NewName and OldNames\nfunc f() { p.NewName() }\n",
		"vendor/v/v.go": "package v\n\nvar NewName = 1\n",
		"README.md":     "See NewName.\n",
		"ignored/i.go":  "OldName\n",
	} {
		if have := s.file(name); have != want {
			t.Errorf("%s: %q", name, have)
		}
	}
	if done, all := s.done(); done != 4 || all != 4 {
		t.Errorf("%d of %d done", done, all)
	}
	if s.used["edit_file"] != 4 {
		t.Errorf("%d edits", s.used["edit_file"])
	}
	for _, want := range []string{"Steps done: 4 of 4. Changed: 6 lines.", "`a.go`: 2 lines"} {
		if !strings.Contains(text, want) {
			t.Errorf("said %q, want %q", text, want)
		}
	}
}

// While a step is carried out, it is the one in progress, and it is completed
// only after its edits have succeeded.
func TestCarryOut_TodoMovesWithTheWork(t *testing.T) {
	s := newSession(t, small)
	s.say("rename OldName to NewName")
	s.run()
	s.approve("")
	var order []string
	s.refuse = func(c planning.ToolCall) string {
		if c.Name != "edit_file" {
			return ""
		}
		for _, item := range s.todos {
			if item.Status == "in_progress" {
				done, _ := s.done()
				order = append(order, fmt.Sprintf("%s %d", item.Text, done))
			}
		}
		return ""
	}
	s.run()
	want := []string{"Rename in README.md 0", "Rename in a.go 1", "Rename in b/b.go 2", "Rename in vendor/v/v.go 3"}
	if d := cmp.Diff(want, order); d != "" {
		t.Error(d)
	}
}

// The issue's own measure: a rename over many files of a real module, after
// which it still compiles, with a file left alone because a comment asked.
func TestMainJob_RealModule(t *testing.T) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/google/uuid").Output()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "uuid")
	if err := os.CopyFS(dir, os.DirFS(strings.TrimSpace(string(out)))); err != nil {
		t.Fatal(err)
	}
	filepath.WalkDir(dir, func(p string, _ os.DirEntry, _ error) error { return os.Chmod(p, 0o755) })

	s := sessionIn(t, dir)
	s.say("rename UUID to Identifier")
	s.run()
	first := s.plan()
	if len(first.Files) < 15 {
		t.Fatalf("only %d files", len(first.Files))
	}
	readme := s.file("README.md")
	s.requestChanges("On the plan as a whole:\nAna wrote:\n```\nskip README.md\n```")
	s.run()
	second := s.plan()
	if slices.Contains(second.Files, "README.md") || len(second.Files) != len(first.Files)-1 {
		t.Errorf("files: %q", second.Files)
	}
	s.approve("")
	text := s.run()
	if s.file("README.md") != readme {
		t.Error("README.md was changed")
	}
	if done, all := s.done(); done != all || all != len(second.Files) {
		t.Errorf("%d of %d done: %s", done, all, text)
	}
	check := exec.Command("go", "vet", ".")
	check.Dir = dir
	check.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off")
	if out, err := check.CombinedOutput(); err != nil {
		t.Errorf("it does not compile any more: %s", out)
	}
	for name := range strings.Lines(gitGrep(t, dir)) {
		if strings.TrimSpace(name) != "README.md" {
			t.Errorf("left in %s", name)
		}
	}
}

// gitGrep lists the files in which the old name is left as a word.
func gitGrep(t *testing.T, dir string) string {
	cmd := exec.Command("grep", "-rlw", "--exclude-dir=.git", "UUID", ".")
	cmd.Dir = dir
	out, _ := cmd.Output()
	return strings.ReplaceAll(string(out), "./", "")
}

// Lines that could break the plan's own form come through it unharmed.
func TestMainJob_AwkwardLines(t *testing.T) {
	text := "```go\nOld\n```\n@@ line 1 @@ Old\n-Old\n+Old\n\tOld \t\n `Old` ``Old``\n# Old\nOld\n\nOld\nOld\n```` Old\n<b>Old</b> &amp; [Old](Old)\n" + strings.Repeat("long ", 700) + "Old\nOld"
	s := newSession(t, map[string]string{"a `b`.md": text, "crlf.txt": "x Old\r\nOld\r\n\r\nOld\r\n"})
	s.say("rename Old to New")
	s.run()
	if n := len(steps(s.plan().Plan)); n != 2 {
		t.Fatalf("%d steps:\n%s", n, s.plan().Plan)
	}
	s.approve("")
	report := s.run()
	if want := strings.ReplaceAll(text, "Old", "New"); s.file("a `b`.md") != want {
		t.Error(cmp.Diff(want, s.file("a `b`.md")), report)
	}
	if have := s.file("crlf.txt"); have != "x New\r\nNew\r\n\r\nNew\r\n" {
		t.Errorf("%q %s", have, report)
	}
}

// Over 300 files and 2,000 matches: more than grep says at once, in flat and
// in deep folders.
func TestMainJob_Many(t *testing.T) {
	files := map[string]string{".gitignore": "skipped/\n", "skipped/x.go": "OldName\n"}
	for i := range 330 {
		name := fmt.Sprintf("pkg%d/sub%d/file%d.go", i%7, i%3, i)
		if i%5 == 0 {
			name = fmt.Sprintf("flat/file%03d.go", i)
		}
		files[name] = fmt.Sprintf("package p // file %d\n", i) + strings.Repeat("var x = OldName // some more text, so that the lines are of the usual length\n\n", 8)
	}
	s := newSession(t, files)
	s.say("rename OldName to NewName in *.go")
	s.run()
	p := s.plan()
	if len(p.Files) != 330 {
		t.Fatalf("%d files after %d turns", len(p.Files), s.turns)
	}
	toPlan := s.turns
	s.approve("")
	text := s.run()
	if !strings.Contains(text, "Steps done: 330 of 330. Changed: 2640 lines.") {
		t.Error(text)
	}
	for name := range files {
		if have := strings.Contains(s.file(name), "OldName"); have != strings.HasPrefix(name, "skipped/") {
			t.Errorf("%s: old name there is %v", name, have)
		}
	}
	if done, all := s.done(); done != 330 || all != 330 {
		t.Errorf("%d of %d", done, all)
	}
	t.Logf("%d turns to plan, %d to carry out", toPlan, s.turns-toPlan)
	if toPlan > 150 || s.turns-toPlan > 150 {
		t.Error("that is more than a session may take without a person")
	}
}

// A file that one answer can't hold, with matches at its beginning and its end.
func TestMainJob_LargeFile(t *testing.T) {
	text := "Old\n" + strings.Repeat(strings.Repeat("x", 99)+"\n", 8000) + "Old\n" + strings.Repeat("y\n", 300) + "Old"
	s := newSession(t, map[string]string{"big.txt": text})
	s.say(`replace "Old" with "New"`)
	s.run()
	s.approve("")
	report := s.run()
	if s.file("big.txt") != strings.ReplaceAll(text, "Old", "New") {
		t.Error("the file is not as planned: ", report)
	}
}
