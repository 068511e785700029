package sandbox

import (
	"bytes"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"countersign/internal/trial"
)

// stacks are the combinations of layers to be tested on this machine. All of
// them includes how older kernels are made do with, as far as that can be had.
func stacks(t *testing.T, all bool) map[string]layers {
	t.Helper()
	s := Detect()
	if !s.OK {
		trial.Lacks(t, "this machine has no sandbox: "+s.Reason)
	}
	found := map[string]layers{}
	if s.Landlock >= landlockNetwork {
		found["landlock"] = layers{landlock: s.Landlock}
	}
	if s.Landlock > landlockNetwork && all {
		found["landlock 4"] = layers{landlock: landlockNetwork}
	}
	if s.Namespaces {
		found["namespaces"] = layers{landlock: s.Landlock, namespaces: true}
	}
	if s.Namespaces && all {
		found["namespaces, landlock 1"] = layers{landlock: 1, namespaces: true}
	}
	if s.Overlay && os.Getenv(again) != "" { // for the second time, one without namespaces and one with all there is
		maps.DeleteFunc(found, func(name string, _ layers) bool { return name != "landlock" })
	}
	if s.Overlay {
		found["overlay"] = layers{landlock: s.Landlock, namespaces: true, overlay: true}
	}
	return found
}

// here runs a test on each of the usual stacks.
func here(t *testing.T, test func(t *testing.T, l layers)) {
	t.Helper()
	for name, l := range stacks(t, false) {
		t.Run(name, func(t *testing.T) { test(t, l) })
	}
}

// everywhere runs a test on every stack, and, where the tests run as root,
// once more as an ordinary person.
func everywhere(t *testing.T, test func(t *testing.T, l layers)) {
	t.Helper()
	for name, l := range stacks(t, true) {
		t.Run(name, func(t *testing.T) { test(t, l) })
	}
	if os.Geteuid() == 0 {
		t.Run("ordinary", func(t *testing.T) { againAs(t, 65534) })
	}
}

// sideBySide is everywhere, a few stacks at the same time. It is for tests that
// neither count the processes of the machine nor leave a trace outside of
// their world.
func sideBySide(t *testing.T, test func(t *testing.T, l layers)) {
	t.Helper()
	parallel(t, stacks(t, true), test)
}

func parallel(t *testing.T, stacks map[string]layers, test func(t *testing.T, l layers)) {
	t.Helper()
	for name, l := range stacks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, l)
		})
	}
	if os.Geteuid() == 0 {
		t.Run("ordinary", func(t *testing.T) {
			t.Parallel()
			againAs(t, 65534)
		})
	}
}

// again is set in the process that runs a test once more.
const again = "COUNTERSIGN_TEST_AGAIN"

// writingInPlace is sideBySide on the stacks that have no layer over the workspace.
func writingInPlace(t *testing.T, test func(t *testing.T, l layers)) {
	t.Helper()
	usual := stacks(t, false)
	delete(usual, "overlay")
	parallel(t, usual, test)
}

// lendCache gives somebody else our build cache, by hard links to its files in
// folders of their own. It returns "" where that can't be done.
func lendCache(t *testing.T, dir string, uid int) string {
	t.Helper()
	ours := findToolchain().cache
	theirs := filepath.Join(dir, "go-build")
	err := filepath.WalkDir(ours, func(path string, d fs.DirEntry, err error) error {
		to := filepath.Join(theirs, strings.TrimPrefix(path, ours))
		switch {
		case err != nil:
			return err
		case d.IsDir():
			if err := os.Mkdir(to, 0o755); err != nil {
				return err
			}
			return os.Chown(to, uid, uid)
		default:
			_ = os.Link(path, to) // may be gone by now
			return nil
		}
	})
	if ours == "" || err != nil {
		return ""
	}
	return theirs
}

// againAs runs the test that t is part of in a second process of somebody else.
func againAs(t *testing.T, uid uint32) {
	t.Helper()
	top, _, _ := strings.Cut(t.Name(), "/")
	temp, err := os.MkdirTemp("", "countersign-test-")
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(temp) })
	must(t, os.Chown(temp, int(uid), int(uid)))
	cache := ""
	if strings.HasSuffix(top, "NeedsWorks") {
		cache = lendCache(t, temp, int(uid))
	}
	cmd := exec.Command("/proc/self/exe", "-test.run", "^"+top+"$", "-test.v", "-test.timeout", "10m")
	cmd.Dir = temp
	cmd.Env = append(os.Environ(), again+"=1", "TMPDIR="+temp, "HOME="+temp, "GOCACHE="+cache, "GOMODCACHE=", "GOPATH=", "XDG_CACHE_HOME=")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
	out, err := cmd.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("--- PASS: "+top)) {
		t.Errorf("as uid %d: %v\n%s", uid, err, out)
	}
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "probes: all") {
			t.Logf("as uid %d %s", uid, strings.TrimSpace(line))
		}
	}
}
