package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"countersign/internal/trial"

	"golang.org/x/sys/unix"
)

// A command costs no more in a workspace of 100,000 files: with a layer, none of
// its folders is so much as opened but those that the command itself looks into.
// So one folder too many would show here as well as in a large workspace.
func TestPlan_P6_ALargeWorkspaceIsNotWalkedThrough(t *testing.T) {
	l, ok := stacks(t, false)["overlay"]
	if !ok {
		trial.Lacks(t, Detect().Reason)
	}
	for what, access := range map[string]Access{"planning": LookOnly, "executing": Approved, "everything allowed": Workspace} {
		t.Run(what, func(t *testing.T) {
			w := newWorld(t)
			for i := range 200 {
				dir := filepath.Join(w.Workspace, "many", fmt.Sprint(i))
				must(t, os.MkdirAll(dir, 0o755))
				must(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o644))
			}
			opened := watchFolders(t, w.Workspace)
			c := w.command("echo x > new && echo x > many/7/file && rm file")
			c.Access = access
			c.Writable = func(string) bool { return true }
			if r := w.run(l, c); r.ExitCode != 0 {
				t.Fatalf("%+v", r)
			}
			for _, dir := range opened() {
				if strings.HasPrefix(dir, filepath.Join(w.Workspace, "many")) {
					t.Errorf("%s was read", dir)
				}
			}
			if _, err := os.ReadDir(filepath.Join(w.Workspace, "many", "8")); err != nil || len(opened()) == 0 {
				t.Errorf("reading a folder is not noticed (%v)", err)
			}
		})
	}
}

// watchFolders tells which folders below one have been opened since the last
// time it was asked.
func watchFolders(t *testing.T, root string) (opened func() []string) {
	t.Helper()
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	must(t, err)
	t.Cleanup(func() { unix.Close(fd) })
	names := map[int32]string{}
	must(t, filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		wd, err := unix.InotifyAddWatch(fd, path, unix.IN_OPEN|unix.IN_ACCESS|unix.IN_ONLYDIR)
		names[int32(wd)] = path
		return err
	}))
	buffer := make([]byte, 1<<20)
	opened = func() (list []string) {
		for {
			n, err := unix.Read(fd, buffer)
			if err != nil || n == 0 {
				return list
			}
			for at := 0; at+unix.SizeofInotifyEvent <= n; {
				word := func(offset int) uint32 {
					b := buffer[at+offset:]
					return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
				}
				if word(4)&unix.IN_ISDIR != 0 {
					list = append(list, names[int32(word(0))])
				}
				at += unix.SizeofInotifyEvent + int(word(12))
			}
		}
	}
	opened() // what the walk did
	return opened
}
