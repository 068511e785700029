// Package rig builds and starts what a try from outside needs: the binary, the
// environment it runs in, and a browser.
package rig

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/chromedp/chromedp"
)

// Build builds the program into a folder and returns the path of the binary.
func Build(dir string) (string, error) {
	binary := filepath.Join(dir, "countersign")
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	build := exec.Command("go", "build", "-o", binary, "countersign/cmd/web")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build: %w\n%s", err, out)
	}
	return binary, nil
}

// Environment is that of this process without settings of Countersign and
// without keys of model providers.
func Environment() []string {
	var env []string
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); !strings.HasSuffix(name, "_API_KEY") && !strings.HasPrefix(name, "COUNTERSIGN_") {
			env = append(env, v)
		}
	}
	return env
}

// Listening reads what a server prints at its start until it has said where it
// listens, as http://HOST:PORT, and how its owner signs in. Both are empty if
// the output ends before. What comes behind has to be read by the caller.
func Listening(out io.Reader) (base, link string) {
	scanner := bufio.NewScanner(out)
	for link == "" && scanner.Scan() {
		line := scanner.Text()
		if at, ok := strings.CutPrefix(line, "listening on "); ok {
			base = at
		}
		if i := strings.Index(line, "http"); i >= 0 && strings.Contains(line, "/sign-in?") {
			link = line[i:]
		}
	}
	if base == "" || link == "" {
		return "", ""
	}
	return base, link
}

// Chromium is the path of a browser of this family, or empty if there is none.
func Chromium() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// Browser is how a browser is started that calls nobody but the server under
// test and knows nothing but what is in its profile, a folder.
func Browser(path, profile string) []chromedp.ExecAllocatorOption {
	return append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.UserDataDir(profile), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.WindowSize(1400, 900), chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true),
		chromedp.Flag("lang", "en-US"), chromedp.Env("LANGUAGE=en", "LANG=C.UTF-8"),
	)
}
