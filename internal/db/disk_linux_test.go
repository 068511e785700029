package db

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"countersign/internal/fault"
	"countersign/internal/trial"
)

// fill uses up the disk and returns the file that does.
func fill(t *testing.T, dir string) string {
	t.Helper()
	name := filepath.Join(dir, "filler")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	block := make([]byte, 4096)
	for {
		if _, err := f.Write(block); errors.Is(err, unix.ENOSPC) {
			return name
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

func TestOpen_DisksThatTakeNothing(t *testing.T) {
	t.Run("full", func(t *testing.T) {
		dir := trial.SmallDisk(t, 0)
		fill(t, dir)
		refused(t, filepath.Join(dir, "countersign.db"), fault.Unavailable, "full")
	})
	t.Run("read-only", func(t *testing.T) {
		dir := trial.SmallDisk(t, unix.MS_RDONLY)
		refused(t, filepath.Join(dir, "countersign.db"), fault.Invalid, "can't write", "read-only file system")
		refused(t, filepath.Join(dir, "data", "countersign.db"), fault.Invalid, "can't be made", "read-only file system")
	})
}

// Root may write anywhere, so for root the test is that of somebody else.
func TestOpen_AFolderThatCantBeWritten(t *testing.T) {
	if os.Geteuid() == 0 {
		asSomebody(t, 65534)
		return
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	refused(t, filepath.Join(dir, "countersign.db"), fault.Invalid, "can't write", "permission denied")
}

// asSomebody runs the test that t is in a second process of somebody else.
func asSomebody(t *testing.T, uid uint32) {
	t.Helper()
	temp, err := os.MkdirTemp("", "countersign-test-") // not below a folder that only we may enter
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(temp) })
	if err := os.Chown(temp, int(uid), int(uid)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/proc/self/exe", "-test.run", "^"+t.Name()+"$", "-test.v")
	cmd.Dir, cmd.Env = temp, append(os.Environ(), "TMPDIR="+temp)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Errorf("as uid %d: %v\n%s", uid, err, out)
	}
}

func TestFullDisk_FailsAppendsAndGoesOnWhenThereIsRoom(t *testing.T) {
	dir := trial.SmallDisk(t, 0)
	d := openAt(t, filepath.Join(dir, "countersign.db"))
	s := begin(t, d, "one")
	l := listen(d)
	ctx := context.Background()
	for range 2 {
		filler := fill(t, dir)
		failed := false
		for !failed { // what the WAL has room for still goes in
			next, err := d.Append(ctx, "one", s.Seq, said(strings.Repeat("x", 30_000)))
			if err == nil {
				s = next
				continue
			}
			failed = true
			if f, ok := fault.As(err); !ok || f.Code != fault.Unavailable || !strings.Contains(f.Message, "full") {
				t.Fatalf("on a full disk: %v", err)
			}
		}
		sameState(t, "on the full disk", mustState(t, d, "one"), s)
		if err := os.Remove(filler); err != nil {
			t.Fatal(err)
		}
		s = mustAppend(t, d, "one", s.Seq, said("room again"))
	}
	if heard := l.heard("one"); int64(len(heard)) != s.Seq-1 {
		t.Errorf("heard %d events of %d", len(heard), s.Seq-1)
	}
	d = reopen(t, d)
	sameState(t, "after all that", mustState(t, d, "one"), s)
	if n := len(allRecords(t, d, "one")); int64(n) != s.Seq {
		t.Errorf("%d records, want %d", n, s.Seq)
	}
}
