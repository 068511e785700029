package db

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"countersign/internal/fault"
)

// smallDisk mounts a file system of 4 MB, where the test may.
func smallDisk(t *testing.T, flags uintptr) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", flags, "size=4m"); err != nil {
		t.Skipf("can't mount here: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

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
		dir := smallDisk(t, 0)
		fill(t, dir)
		refused(t, filepath.Join(dir, "countersign.db"), fault.Unavailable, "full")
	})
	t.Run("read-only", func(t *testing.T) {
		dir := smallDisk(t, unix.MS_RDONLY)
		refused(t, filepath.Join(dir, "countersign.db"), fault.Invalid, "can't write", "read-only file system")
		refused(t, filepath.Join(dir, "data", "countersign.db"), fault.Invalid, "can't be made", "read-only file system")
	})
}

func TestFullDisk_FailsAppendsAndGoesOnWhenThereIsRoom(t *testing.T) {
	dir := smallDisk(t, 0)
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
