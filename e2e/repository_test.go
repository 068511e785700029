package e2e

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// repository copies the source of a module that this one depends on, well over
// a hundred files, and makes it a git repository.
func repository(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/yuin/goldmark").Output()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "goldmark")
	if err := os.CopyFS(dir, os.DirFS(strings.TrimSpace(string(out)))); err != nil {
		t.Fatal(err)
	}
	makeWritable(t, dir)
	write(t, dir, "NOTES.md", "# Notes\n\nPeekLine looks at the current line.\n")
	git(t, dir, "init", "-q")
	git(t, dir, "add", "-A")
	git(t, dir, "-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-q", "-m", "start")
	return dir
}

// makeWritable: the module cache is read-only, and so is its copy.
func makeWritable(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.Chmod(path, 0o755)
		}
		return os.Chmod(path, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// TestMainJob_RealRepository renames a method across a real project with the
// built-in planner: it still compiles, its tests pass, and a file that a
// comment excluded is untouched.
func TestMainJob_RealRepository(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	s := newServer(t, dir)
	id := s.task("rename PeekLine to LookAtLine", nil)
	s.status(id, "in_review")
	first := s.plan(id, 1)
	if len(first.Files) < 16 {
		t.Fatalf("the plan lists %d files", len(first.Files))
	}
	s.must(http.StatusCreated, "POST", "/sessions/"+id+"/plans/1/threads", object{"body": "skip NOTES.md"})
	s.decide(id, first, "request_changes", "")
	eventually(t, "version 2", func() bool { return len(of[object](t, s.events(id), "plan.submitted")) == 2 })
	s.status(id, "in_review")
	second := s.plan(id, 2)
	if len(second.Files) != len(first.Files)-1 || strings.Contains(strings.Join(second.Files, " "), "NOTES.md") {
		t.Errorf("version 2 lists %v", second.Files)
	}
	if status, answer := s.decide(id, second, "approve", ""); status != http.StatusOK {
		t.Fatalf("approve: %d %v", status, answer)
	}
	session := s.status(id, "done")
	for _, todo := range session["todos"].([]any) {
		if todo.(object)["status"] != "completed" {
			t.Errorf("not finished: %v", todo)
		}
	}
	changed := strings.Fields(git(t, dir, "diff", "--name-only"))
	if len(changed) != len(second.Files) {
		t.Errorf("%d files changed, the plan lists %d", len(changed), len(second.Files))
	}
	if strings.Contains(git(t, dir, "status", "--porcelain"), "NOTES.md") {
		t.Error("the excluded file was changed")
	}
	// Its tests of speed judge by the clock, which says nothing on a shared machine.
	check := exec.Command("go", "test", "-skip", "Performance", "./...")
	check.Dir = dir
	check.Env = append(os.Environ(), "GOFLAGS=-mod=mod")
	if out, err := check.CombinedOutput(); err != nil {
		t.Errorf("after the rename: %v\n%s", err, out)
	}
	checkChanges(t, s, id, changed)
}

// checkChanges: the page of changes shows what git shows.
func checkChanges(t *testing.T, s *server, id string, changed []string) {
	t.Helper()
	var answer struct {
		Files []struct {
			Path   string
			InPlan bool `json:"in_plan"`
		}
		Changes []struct {
			Path   string
			InPlan bool `json:"in_plan"`
		}
	}
	convert(t, s.must(http.StatusOK, "GET", "/sessions/"+id+"/changes", nil), &answer)
	files := append(answer.Files, answer.Changes...)
	if len(files) != len(changed) {
		t.Errorf("%d changes are shown, git knows %d", len(files), len(changed))
	}
	for _, f := range files {
		if !f.InPlan {
			t.Errorf("%s is not marked as in the plan", f.Path)
		}
	}
}
