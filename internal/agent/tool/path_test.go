//go:build unix

package tool

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

func TestCleanPath(t *testing.T) {
	cases := []struct{ in, want, refusal string }{
		{in: "a.go", want: "a.go"},
		{in: "./a//b/../c.go", want: "a/c.go"},
		{in: ".", want: "."},
		{in: "a/..", want: "."},
		{in: "..a/b..", want: "..a/b.."},
		{in: ".gitignore", want: ".gitignore"},
		{in: ".github/x", want: ".github/x"},
		{in: "git/config", want: "git/config"},
		{in: " a", want: " a"},
		{in: "", refusal: "empty"},
		{in: "a\x00b", refusal: "NUL"},
		{in: "a\xff", refusal: "UTF-8"},
		{in: "/etc/passwd", refusal: "absolute"},
		{in: "..", refusal: "outside"},
		{in: "../repo-evil/x", refusal: "outside"},
		{in: "a/../../b", refusal: "outside"},
		{in: ".git", refusal: "no tool"},
		{in: ".git/config", refusal: "no tool"},
		{in: "sub/.git/hooks/x", refusal: "no tool"},
		{in: ".GIT/config", refusal: "no tool"},
		{in: ".git./config", refusal: "no tool"},
		{in: ".git /config", refusal: "no tool"},
		{in: ".git . ./config", refusal: "no tool"},
		{in: "x/../.Git", refusal: "no tool"},
		{in: ".g\u200cit/config", refusal: "no tool"},
		{in: "GIT~1/config", refusal: "no tool"},
		{in: ".git::$INDEX_ALLOCATION/config", refusal: "no tool"},
		{in: strings.Repeat("a/", 3000), refusal: "bytes long"},
		{in: strings.Repeat("a", 256), refusal: "bytes long"},
	}
	for _, c := range cases {
		got, err := cleanPath(c.in)
		if c.refusal == "" && (err != nil || got != c.want) {
			t.Errorf("%q: %q, %v; want %q", c.in, got, err, c.want)
		}
		if c.refusal != "" && (err == nil || !strings.Contains(err.Error(), c.refusal)) {
			t.Errorf("%q: %q, %v; want a refusal with %q", c.in, got, err, c.refusal)
		}
	}
}

// Whatever the input is, an accepted path is clean, stays below the workspace
// and touches no .git.
func FuzzCleanPath(f *testing.F) {
	for _, s := range []string{"a/b", "../x", ".git", "a/./.GIT/x", "/abs", "a\\..\\b", "x\u200d/.git", strings.Repeat("../", 9)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		out, err := cleanPath(in)
		if err != nil {
			return
		}
		again, err := cleanPath(out)
		if err != nil || again != out || path.Clean(out) != out || !filepath.IsLocal(out) {
			t.Errorf("%q gives %q, which gives %q, %v", in, out, again, err)
		}
		for part := range strings.SplitSeq(out, "/") {
			if strings.EqualFold(strings.TrimRight(part, ". "), ".git") {
				t.Errorf("%q gives %q", in, out)
			}
		}
	})
}

// A file reached by the tools is in the workspace, whatever the name.
func FuzzReadStaysInside(f *testing.F) {
	for _, s := range []string{"in", "link/secret", "l2", "sub/../in", "up/secret", "abs", "sub/in2"} {
		f.Add(s)
	}
	top := f.TempDir()
	dir := filepath.Join(top, "ws")
	for name, text := range map[string]string{"ws/in": "inside", "ws/sub/in2": "inside", "secret": "outside", "ws/.git/config": "outside"} {
		full := filepath.Join(top, name)
		if os.MkdirAll(filepath.Dir(full), 0o755) != nil || os.WriteFile(full, []byte(text), 0o644) != nil {
			f.Fatal("setup")
		}
	}
	for name, to := range map[string]string{"link": "..", "l2": "../secret", "up": "sub/../..", "abs": filepath.Join(top, "secret"), "g": ".git/config"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			f.Fatal(err)
		}
	}
	f.Fuzz(func(t *testing.T, name string) {
		w, err := openWorkspace(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		clean, err := cleanPath(name)
		if err != nil {
			return
		}
		file, _, err := w.open(clean)
		if err != nil {
			return
		}
		defer file.Close()
		b := make([]byte, 10)
		if n, _ := file.Read(b); string(b[:n]) != "inside" {
			t.Errorf("%q reads %q", name, b[:n])
		}
	})
}

// fileRefusals are names that neither reading nor writing gets past.
func fileRefusals(t *testing.T) (*desk, map[string]string) {
	d := newDesk(t, map[string]string{"plain": "x", "sub/x": "x", ".git/config": "c", "data/key": "secret", "dir/x": ""})
	d.config.Protected = []string{filepath.Join(d.dir, "data")}
	outside := filepath.Join(t.TempDir(), "outside")
	d.must(os.WriteFile(outside, []byte("outside"), 0o644))
	for name, to := range map[string]string{
		"out": outside, "up": "../..", "git": ".git", "deepgit": "sub/../.git/config", "loop": "loop",
		"private": "data", "key": "data/key", "etc": "/etc",
	} {
		d.must(os.Symlink(to, filepath.Join(d.dir, name)))
	}
	d.must(os.Link(outside, filepath.Join(d.dir, "hard")))
	d.must(syscall.Mkfifo(filepath.Join(d.dir, "pipe"), 0o644))
	return d, map[string]string{
		"out": "leads out of the workspace", "up/x": "leads out", "etc/passwd": "leads out",
		"git/config": "no tool may read or write", "deepgit": "no tool may read or write",
		"loop": "too many symbolic links", "private/key": "belongs to Countersign", "key": "belongs to Countersign",
		"data/key": "belongs to Countersign", "data": "belongs to Countersign", "hard": "hard link", "pipe": "not a regular file",
		"plain/x": "not a directory", "dir": "is a folder",
	}
}

func TestFiles_RefusedForReading(t *testing.T) {
	d, names := fileRefusals(t)
	for name, want := range names {
		contains(t, d.refused("read_file", args{"path": name}), want)
	}
	if out := d.call("grep", args{"pattern": "."}).Output; out != "plain:1:x\nsub/x:1:x\n" {
		t.Errorf("grep sees %q", out)
	}
	contains(t, d.refused("list_dir", args{"path": "data"}), "belongs to Countersign")
}

func TestFiles_RefusedForWriting(t *testing.T) {
	d, names := fileRefusals(t)
	names["new/"] = "names a folder"
	names[".git/hooks/x"] = "no tool may read or write"
	names["newrepo/.git/config"] = "no tool may read or write"
	for name, want := range names {
		contains(t, d.refused("write_file", args{"path": name, "content": "evil"}), want)
		d.refused("edit_file", args{"path": name, "old": "x", "new": "evil"})
	}
	if len(d.ahead) != 0 {
		t.Errorf("recorded before it was refused: %v", d.ahead)
	}
	for name, want := range map[string]string{"hard": "outside", ".git/config": "c", "data/key": "secret", ".git/hooks/x": "(missing)", "newrepo": "(missing)"} {
		if got := d.get(name); got != want {
			t.Errorf("%s holds %q", name, got)
		}
	}
}

func TestFiles_LinksInside(t *testing.T) {
	d := newDesk(t, map[string]string{"src/a.go": "package a\n"})
	d.must(os.Symlink("src", filepath.Join(d.dir, "code")))
	d.must(os.Symlink(filepath.Join(d.dir, "src", "a.go"), filepath.Join(d.dir, "abs.go")))
	contains(t, d.call("read_file", args{"path": "code/a.go"}).Output, "[src/a.go: lines 1–1 of 1]")
	contains(t, d.call("read_file", args{"path": "abs.go"}).Output, "[src/a.go")
	// What is approved is a name, so a write goes to the file of that name only.
	contains(t, d.refused("write_file", args{"path": "code/a.go", "content": "x"}), "symbolic link to src/a.go. Name that path itself")
	contains(t, d.refused("write_file", args{"path": "code/new.go", "content": "x"}), "src/new.go")
}

// Somebody swaps a folder for a link to .git, over and over. Either the folder
// is written or nothing is; .git never.
func TestFiles_ASwappedLinkIsNeverFollowed(t *testing.T) {
	d := newDesk(t, map[string]string{"real/x": "old", ".git/x": "git", "spare/": ""})
	outside := t.TempDir()
	stop := make(chan struct{})
	var swapping sync.WaitGroup
	swapping.Go(func() {
		at := func(name string) string { return filepath.Join(d.dir, name) }
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			_ = os.Rename(at("real"), at("spare/real"))
			_ = os.Symlink([]string{".git", outside}[i%2], at("real"))
			_ = os.Remove(at("real"))
			_ = os.Rename(at("spare/real"), at("real"))
		}
	})
	wrote := 0
	for range 200 {
		if _, err := d.try("write_file", args{"path": "real/x", "content": strings.Repeat("x", wrote%100)}); err == nil {
			wrote++
		}
		_, _ = d.try("write_file", args{"path": "real/fresh", "content": "fresh"})
	}
	close(stop)
	swapping.Wait()
	if d.get(".git/x") != "git" {
		t.Errorf(".git/x was written: %q", d.get(".git/x"))
	}
	for _, dir := range []string{outside, filepath.Join(d.dir, ".git")} {
		_ = filepath.WalkDir(dir, func(p string, e fs.DirEntry, _ error) error {
			if !e.IsDir() && filepath.Base(p) != "x" {
				t.Errorf("%s appeared", p)
			}
			return nil
		})
	}
	if wrote == 0 {
		t.Error("not one write came through, so nothing was shown")
	}
}
