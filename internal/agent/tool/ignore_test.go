package tool

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// What glob finds is what git would add, on trees made of the odd cases of
// gitignore(5). git itself says what is right.
func TestIgnore_AsGitDoes(t *testing.T) {
	cases := map[string]map[string]string{
		"names at any depth":        {".gitignore": "*.log\nbuild\n", "a.log": "", "x/b.log": "", "build": "", "x/build/y": "", "keep": ""},
		"anchored":                  {".gitignore": "/top\nmid/only\n", "top": "", "x/top": "", "mid/only": "", "x/mid/only": ""},
		"folders only":              {".gitignore": "out/\n", "out": "", "x/out/y": ""},
		"taken back":                {".gitignore": "*.log\n!keep.log\n", "a.log": "", "keep.log": "", "x/keep.log": ""},
		"not below an ignored one":  {".gitignore": "d/\n!d/keep\n", "d/keep": "", "d/x": ""},
		"content, but one":          {".gitignore": "d/*\n!d/keep\n", "d/keep": "", "d/x": ""},
		"all below, but one":        {".gitignore": "d/**\n!d/keep\n", "d/keep": "", "d/x": "", "d/e/y": ""},
		"two stars":                 {".gitignore": "**/gen/*.go\nz/**/q\n", "gen/a.go": "", "x/y/gen/b.go": "", "gen/s/c.go": "", "z/q": "", "z/1/2/q": ""},
		"nested file wins":          {".gitignore": "*.txt\n", "x/.gitignore": "!a.txt\n", "x/a.txt": "", "x/b.txt": "", "a.txt": ""},
		"nested is relative":        {"x/.gitignore": "/a\nb/c\n", "x/a": "", "x/y/a": "", "x/b/c": "", "b/c": "", "a": ""},
		"comments and blanks":       {".gitignore": "# no\n\n  \n\\#yes\na \nb\\ \n", "#yes": "", "a": "", "b ": "", "no": ""},
		"escaped exclamation":       {".gitignore": "\\!x\n", "!x": "", "x": ""},
		"question mark and classes": {".gitignore": "a?c\n[x-z]1\n[!k]2\n", "abc": "", "ac": "", "y1": "", "k2": "", "j2": ""},
		"braces are plain":          {".gitignore": "{a,b}\n", "a": "", "b": "", "{a,b}": ""},
		"star stays in a folder":    {".gitignore": "a/*/b\n", "a/1/b": "", "a/1/2/b": "", "a/b": ""},
		"windows lines":             {".gitignore": "*.o\r\nx\r\n", "a.o": "", "x": "", "y": ""},
		"exclude file":              {".git/info/exclude": "secret\n", "secret": "", "x/secret": "", "y": ""},
		"ignores itself":            {".gitignore": "*\n!*/\n!*.md\n", "a.md": "", "b": "", "x/c.md": "", "x/d": ""},
		"everything below one":      {".gitignore": "/*\n!/src\n", "src/a": "", "other/b": "", "c": ""},
	}
	for name, files := range cases {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, nil)
			d.git("init", "-q")
			for name, text := range files {
				d.put(name, text)
			}
			want := strings.Split(strings.TrimSuffix(d.git("ls-files", "-z", "--others", "--exclude-standard"), "\x00"), "\x00")
			got := strings.Split(strings.TrimSuffix(d.call("glob", args{"pattern": "**"}).Output, "\n"), "\n")
			slices.Sort(want)
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("got  %q\nwant %q", got, want)
			}
		})
	}
}

func (d *desk) git(args ...string) string {
	d.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = d.dir
	cmd.Env = append(cmd.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
	out, err := cmd.CombinedOutput()
	if err != nil {
		d.t.Fatalf("git %v: %v: %s", args, err, out)
	}
	return string(out)
}

func TestIgnore_OfOneFile(t *testing.T) {
	d := newDesk(t, map[string]string{".gitignore": "out/\n*.log\n", "x/.gitignore": "gen.go\n!keep.log\n"})
	w, err := openWorkspace(d.dir, nil)
	d.must(err)
	defer w.Close()
	for name, want := range map[string]bool{
		"a.go": false, "a.log": true, "out/deep/x": true, "x/gen.go": true, "gen.go": false, "x/keep.log": false, "x/y/keep.log": false,
	} {
		if got := w.isIgnored(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
