package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// toolchain is where Go and other programs are on this machine, so that commands
// find them although they see neither the home folder nor the settings.
type toolchain struct {
	folders []string // readable: the Go installation and the module cache
	bin     string   // to go in front of PATH; empty if there is no Go
	modules string   // module cache, empty if there is none
	cache   string   // build cache, empty if there is none
	path    []pathEntry
}

// pathEntry is a folder in the server's PATH, and where it really is.
type pathEntry struct{ name, real string }

// toolchainOnce looks once: it does not move while the server runs.
var toolchainOnce = sync.OnceValue(findToolchain)

func findToolchain() toolchain {
	var t toolchain
	if path, err := exec.LookPath("go"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err == nil {
			root := filepath.Dir(filepath.Dir(path))
			if isFolder(filepath.Join(root, "src", "runtime")) {
				t.folders, t.bin = append(t.folders, root), filepath.Join(root, "bin")
			}
		}
	}
	home, _ := os.UserHomeDir()
	t.modules = firstFolder(os.Getenv("GOMODCACHE"), below(firstPath(os.Getenv("GOPATH")), "pkg/mod"), below(home, "go/pkg/mod"))
	if t.modules != "" {
		t.folders = append(t.folders, t.modules)
	}
	caches, _ := os.UserCacheDir()
	t.cache = firstFolder(os.Getenv("GOCACHE"), below(caches, "go-build"))
	for dir := range strings.SplitSeq(os.Getenv("PATH"), string(os.PathListSeparator)) {
		if real, err := filepath.EvalSymlinks(dir); err == nil && filepath.IsAbs(dir) {
			t.path = append(t.path, pathEntry{dir, real})
		}
	}
	return t
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// firstFolder returns the first that is an absolute path to a folder, without
// links; only the first that is set at all counts.
func firstFolder(paths ...string) string {
	for _, p := range paths {
		if p == "" {
			continue
		}
		real, err := filepath.EvalSymlinks(p)
		if err != nil || !filepath.IsAbs(real) || !isFolder(real) {
			return ""
		}
		return real
	}
	return ""
}

func firstPath(list string) string {
	first, _, _ := strings.Cut(list, string(os.PathListSeparator))
	return first
}

func below(dir, name string) string {
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, name)
}

// environment is all that a command finds in its environment. Nothing of the
// server's own is in it but the parts of PATH that the command can read.
func environment(c Command, s scratch, t toolchain, goBuild string) []string {
	if c.Env != nil {
		return append([]string{"PATH=" + searchPath(c, t), "HOME=" + homeOf(c, s), "TMPDIR=" + s.tmp(), "LANG=C.UTF-8"}, c.Env...)
	}
	env := []string{
		"PATH=" + searchPath(c, t),
		"HOME=" + s.home(), "TMPDIR=" + s.tmp(), "PWD=" + c.Dir,
		"LANG=C.UTF-8", "TERM=dumb", "NO_COLOR=1", "PAGER=cat", "SHELL=/bin/sh",
		"GOCACHE=" + goBuild, "GOENV=off", "GOTOOLCHAIN=local",
		// git: no settings but the repository's own, no locks while looking, no
		// questions, no program of the repository's choice for watching files,
		// and no objection to a repository that belongs to somebody else.
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_OPTIONAL_LOCKS=0",
		"GIT_TERMINAL_PROMPT=0", "GIT_PAGER=cat", "GIT_CONFIG_COUNT=2",
		"GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*",
		"GIT_CONFIG_KEY_1=core.fsmonitor", "GIT_CONFIG_VALUE_1=false",
	}
	if t.modules != "" {
		env = append(env, "GOMODCACHE="+t.modules)
	}
	if !c.Network {
		env = append(env, "GOPROXY=off", "GOSUMDB=off")
	}
	return env
}

// homeOf is the person's own home only for who may write there.
func homeOf(c Command, s scratch) string {
	if home, err := os.UserHomeDir(); err == nil && c.Access == Unconfined {
		return home
	}
	return s.home()
}

// searchPath keeps the folders of the server's PATH that the command can read
// and makes sure of the system's own.
func searchPath(c Command, t toolchain) string {
	readable := slices.Concat(systemFolders, c.ReadOnly)
	if c.Access == Unconfined {
		readable = []string{"/"}
	}
	var path []string
	add := func(dir string) {
		if dir != "" && !slices.Contains(path, dir) {
			path = append(path, dir)
		}
	}
	add(t.bin)
	for _, e := range t.path {
		if insideAny(e.real, readable) {
			add(e.name)
		}
	}
	for _, dir := range []string{"/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"} {
		add(dir)
	}
	return strings.Join(path, string(os.PathListSeparator))
}
