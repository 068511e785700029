package tool

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPlan_P8_InstructionsFromTheRootToTheWorkspace(t *testing.T) {
	root := t.TempDir()
	outside := filepath.Join(t.TempDir(), "secret.md")
	work := filepath.Join(root, "services", "shop")
	for name, text := range map[string]string{
		filepath.Join(root, "AGENTS.md"):             "of the root",
		filepath.Join(root, "CLAUDE.md"):             "of the root",
		filepath.Join(root, "services", "AGENTS.md"): "of the services",
		filepath.Join(work, "CLAUDE.md"):             strings.Repeat("long ", 20_000),
		filepath.Join(root, "other", "AGENTS.md"):    "of somewhere else",
		outside: "secret",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(outside, filepath.Join(work, "AGENTS.md")); err != nil {
		t.Fatal(err)
	}
	got := Config{}.Instructions([]string{root, filepath.Join(root, "services")})(work)
	if len(got) != 4 {
		t.Fatalf("found %d files: %+v", len(got), got)
	}
	for i, want := range []string{"AGENTS.md", "services/AGENTS.md", "services/shop/AGENTS.md", "services/shop/CLAUDE.md"} {
		if got[i].Path != want {
			t.Errorf("file %d is %s, want %s", i+1, got[i].Path, want)
		}
	}
	if got[0].Text != "of the root" || got[0].SHA256 == "" {
		t.Errorf("the first: %+v", got[0])
	}
	if link := got[2]; link.Text != "" || !strings.Contains(link.Fault, "out of the workspace") {
		t.Errorf("a link out of the workspace: %+v", link)
	}
	if long := got[3]; !long.Cut || len(long.Text) > maxInstruction || long.Bytes != 100_000 {
		t.Errorf("a long one: %d bytes of %d, cut %v", len(long.Text), long.Bytes, long.Cut)
	}
}
