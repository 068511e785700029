package tool

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestReadFile(t *testing.T) {
	d := newDesk(t, map[string]string{
		"five": "one\ntwo\nthree\nfour\nfive\n", "open": "no newline", "empty": "", "crlf": "a\r\nb\r\n",
		"latin": "caf\xe9\n", "zero": "a\n" + strings.Repeat("x", 9000) + "\nb\x00c\n", "wide": strings.Repeat("ä", 4000) + "\nend\n",
		"mixed": "a\r\nb\r\nc\nd\r\ne", "most": "a\r\nb\n", "border": strings.Repeat("x", maxLine) + "\r\n" + strings.Repeat("y", 64<<10-maxLine-3) + "\r\nz\r\n",
		"long": strings.Repeat("0123456789\n", 60_000),
	})
	cases := []struct {
		name string
		args args
		want []string
	}{
		{"whole", args{"path": "five"}, []string{"[five: lines 1–5 of 5]\none\ntwo\nthree\nfour\nfive\n"}},
		{"a range", args{"path": "five", "start_line": 2, "end_line": 3}, []string{"[five: lines 2–3 of 5]\ntwo\nthree\n"}},
		{"to the end", args{"path": "five", "start_line": 4}, []string{"[five: lines 4–5 of 5]\nfour\nfive\n"}},
		{"past the end", args{"path": "five", "start_line": 4, "end_line": 99}, []string{"lines 4–5 of 5]\nfour\nfive\n"}},
		{"no newline at the end", args{"path": "open"}, []string{"lines 1–1 of 1]\nno newline\n"}},
		{"empty", args{"path": "empty"}, []string{"[empty: empty]\n"}},
		{"empty, from line 1", args{"path": "empty", "start_line": 1}, []string{"[empty: empty]\n"}},
		{"CR LF", args{"path": "crlf"}, []string{"end with CR LF", "]\na\nb\n"}},
		{"mixed ends", args{"path": "mixed"}, []string{"[mixed: lines 1–5 of 5; line ends are mixed: CR LF at lines 1–2, 4, shown without the CR, and LF at the others; edit_file needs \\r\\n there]\na\nb\nc\nd\ne\n"}},
		{"mixed ends, one line with CR LF", args{"path": "most"}, []string{"CR LF at line 1, shown"}},
		{"mixed ends, only LF shown", args{"path": "mixed", "start_line": 3, "end_line": 3}, []string{"line ends are mixed in this file, those shown are LF]\nc\n"}},
		{"mixed ends, only CR LF shown", args{"path": "mixed", "end_line": 2}, []string{"those shown are CR LF, shown without the CR; edit_file needs \\r\\n there]\na\nb\n"}},
		{"CR LF behind long lines", args{"path": "border"}, []string{"[border: lines 1–3 of 3; lines end with CR LF, shown without the CR]\n", "x\nyy"}},
		{"not UTF-8", args{"path": "latin"}, []string{"no text", "]\ncaf\uFFFD\n"}},
		{"NUL far in", args{"path": "zero"}, []string{"b\uFFFDc\n"}},
		{"a long line", args{"path": "wide"}, []string{"lines 1–2 of 2", "ää… [line cut here; it has 8001 bytes]\nend\n"}},
		{"a long file", args{"path": "long"}, []string{"lines 1–23738 of 60000; the answer was full, go on with start_line 23739]"}},
		{"absolute, inside", args{"path": filepath.Join(d.dir, "five"), "end_line": 1}, []string{"[five: lines 1–1 of 5]\none\n"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := d.call("read_file", c.args)
			contains(t, r.Output, c.want...)
			if len(r.Output) > maxAnswer || !utf8.ValidString(r.Output) {
				t.Errorf("%d bytes, valid %v", len(r.Output), utf8.ValidString(r.Output))
			}
		})
	}
}

func TestReadFile_Refusals(t *testing.T) {
	d := newDesk(t, map[string]string{"five": "1\n2\n3\n4\n5\n", "pic.png": "\x89PNG\r\n\x1a\n\x00\x00\x00", "dir/x": ""})
	cases := []struct {
		args args
		want string
	}{
		{args{"path": "none"}, "none: there is no such file or folder"},
		{args{"path": "dir"}, "dir is a folder. Use list_dir"},
		{args{"path": "five/x"}, "five"},
		{args{"path": "pic.png"}, "binary file (image/png, 11 bytes)"},
		{args{"path": "five", "start_line": 6}, "five has only 5 lines"},
		{args{"path": "five", "start_line": -1}, "counted from 1"},
		{args{"path": "five", "start_line": 3, "end_line": 2}, "end_line 2 comes before start_line 3"},
		{args{"path": ""}, "path is empty"},
		{args{"path": "../five"}, "outside the workspace"},
		{args{"path": "/etc/passwd"}, "absolute path"},
		{args{"path": d.dir + "-evil/x"}, "absolute path"},
		{args{"path": ".git/config"}, "no tool may read or write"},
	}
	for _, c := range cases {
		contains(t, d.refused("read_file", c.args), c.want)
	}
}

func TestListDir(t *testing.T) {
	d := newDesk(t, map[string]string{"b.txt": "12345", "a/x": "", ".git/config": "", ".gitignore": "b.txt", "none/": ""})
	d.must(os.Symlink("/etc", filepath.Join(d.dir, "link")))
	if got, want := d.call("list_dir", args{}).Output, ".gitignore 5\na/\nb.txt 5\nlink (symbolic link)\nnone/\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	contains(t, d.call("list_dir", args{"path": "none"}).Output, "none is empty")
	contains(t, d.refused("list_dir", args{"path": "b.txt"}), "b.txt is not a folder")
	contains(t, d.refused("list_dir", args{"path": "nowhere"}), "no such file or folder")
	contains(t, d.refused("list_dir", args{"path": "link"}), "leads out of the workspace")
	for i := range maxEntries + 5 {
		d.put(fmt.Sprintf("many/%04d", i), "")
	}
	contains(t, d.call("list_dir", args{"path": "many"}).Output, "0000 0\n", "1999 0\n", "[5 more]")
}

func TestGlob(t *testing.T) {
	d := newDesk(t, map[string]string{
		"main.go": "", "web/app.js": "", "web/css/app.css": "", "web/css/x.go": "", "vendor/v.go": "", ".git/x.go": "",
		".gitignore": "vendor/\n*.log\n", "web/err.log": "", "[odd].go": "",
	})
	cases := []struct {
		args args
		want string
	}{
		{args{"pattern": "*.go"}, "[odd].go\nmain.go\nweb/css/x.go\n"},
		{args{"pattern": "**/*.go"}, "[odd].go\nmain.go\nweb/css/x.go\n"},
		{args{"pattern": "web/*.{js,css}"}, "web/app.js\n"},
		{args{"pattern": "./web/**"}, "web/app.js\nweb/css/app.css\nweb/css/x.go\n"},
		{args{"pattern": "css/*", "path": "web"}, "web/css/app.css\nweb/css/x.go\n"},
		{args{"pattern": "*.log"}, "[no file matches]"},
		{args{"pattern": "*.go", "path": "vendor"}, "vendor/v.go\n"},
	}
	for _, c := range cases {
		if got := d.call("glob", c.args).Output; got != c.want {
			t.Errorf("%v: got %q, want %q", c.args, got, c.want)
		}
	}
	contains(t, d.refused("glob", args{"pattern": "[a"}), "not a valid glob pattern")
	contains(t, d.refused("glob", args{"pattern": ""}), "pattern is empty")
	contains(t, d.refused("glob", args{"pattern": "/etc/*"}), "relative to the workspace")
	contains(t, d.refused("glob", args{"pattern": "*", "path": ".."}), "outside the workspace")
}

func TestGrep(t *testing.T) {
	d := newDesk(t, map[string]string{
		"a.go": "package a\nfunc Foo() {}\n", "b/b.go": "package b\r\nfunc foo() {}\r\n", "c.txt": "Foo here\n",
		"bin": "Foo\x00", "ignored.log": "Foo", ".gitignore": "*.log\n/b/skip\n", "b/skip/x": "Foo", ".git/config": "Foo",
		"minified.js": strings.Repeat("x", 5000) + "Foo" + strings.Repeat("y", 5000) + "\n",
	})
	cases := []struct {
		name string
		args args
		want string
	}{
		{"text", args{"pattern": "Foo"}, "a.go:2:func Foo() {}\nc.txt:1:Foo here\nminified.js:1:"},
		{"no case", args{"pattern": "func FOO", "ignore_case": true}, "a.go:2:func Foo() {}\nb/b.go:2:func foo() {}\n"},
		{"end of a line with CR", args{"pattern": `\{\}$`}, "a.go:2:func Foo() {}\nb/b.go:2:func foo() {}\n"},
		{"glob on names", args{"pattern": "package", "glob": "*.go"}, "a.go:1:package a\nb/b.go:1:package b\n"},
		{"glob on paths", args{"pattern": "package", "glob": "b/*.go"}, "b/b.go:1:package b\n"},
		{"folder", args{"pattern": "foo", "path": "b"}, "b/b.go:2:func foo() {}\n"},
		{"one file, though ignored", args{"pattern": "Foo", "path": "ignored.log"}, "ignored.log:1:Foo\n"},
		{"nothing", args{"pattern": "nowhere"}, "[no match]\n"},
		{"limit", args{"pattern": ".", "path": "a.go", "limit": 1}, "a.go:1:package a\n[stopped after 1 match; narrow"},
		{"exactly at the limit", args{"pattern": "Foo", "path": "c.txt", "limit": 1}, "c.txt:1:Foo here\n"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := d.call("grep", c.args).Output; !strings.HasPrefix(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	long := d.call("grep", args{"pattern": "Foo", "path": "minified.js"}).Output
	if contains(t, long, "minified.js:1:…xx", "xFooy", "yy…\n"); len(long) > 600 {
		t.Errorf("a long line gave %d bytes", len(long))
	}
	contains(t, d.refused("grep", args{"pattern": "("}), "not a regular expression")
	contains(t, d.refused("grep", args{"pattern": `(?=x)`}), "RE2")
	contains(t, d.refused("grep", args{"pattern": ""}), "pattern is empty")
	contains(t, d.refused("grep", args{"pattern": "x", "glob": "[a"}), "glob")
	contains(t, d.refused("grep", args{"pattern": "x", "path": "none"}), "no such file")
}

func TestGrep_AnswersStayBounded(t *testing.T) {
	d := newDesk(t, map[string]string{"many": strings.Repeat(strings.Repeat("x", 300)+"\n", 20_000)})
	f, err := os.Create(filepath.Join(d.dir, "huge"))
	d.must(err)
	d.must(f.Truncate(maxSearched + 1))
	d.must(f.Close())
	r := d.call("grep", args{"pattern": "x", "limit": 1_000_000})
	if len(r.Output) > maxGrepAnswer+2000 {
		t.Errorf("%d bytes", len(r.Output))
	}
	contains(t, r.Output, "stopped after")
	contains(t, d.call("grep", args{"pattern": "nothing"}).Output, "[not searched, because larger than 8 MiB: huge]")
}
