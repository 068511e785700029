package sandboxtest

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/sys/unix"
)

// State describes everything that could have changed, one line each. Executing
// leaves out what a plan may allow, and the times of the folder that it is in.
func (w *World) State(executing bool) string {
	w.t.Helper()
	var b strings.Builder
	for _, dir := range []string{w.Workspace, w.Workspace + "-evil", w.Outside} {
		must(w.t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil { // somebody made what can't be looked at
				fmt.Fprintf(&b, "%v\n", err)
				return nil
			}
			rel, _ := filepath.Rel(w.Workspace, path)
			switch {
			case executing && allowed(rel):
				return nil
			case executing && (rel == "." || rel == "open"):
				fmt.Fprintf(&b, "%s %v\n", rel, d.Type())
				return nil
			}
			w.describe(&b, path, d)
			return nil
		}))
	}
	for _, path := range w.traces {
		if _, err := os.Lstat(path); err == nil {
			fmt.Fprintf(&b, "there is %s\n", path)
		}
	}
	w.victimState(&b)
	fmt.Fprintf(&b, "reached %d times\n", w.reached.Load())
	w.sharedState(&b)
	return b.String()
}

// allowed is what a plan with the patterns of Allowed may change.
func allowed(rel string) bool {
	if rel == "ok.txt" || rel == "new.txt" {
		return true
	}
	return strings.HasPrefix(rel, "open/") && !strings.Contains(strings.ToLower(rel), ".git")
}

func (w *World) describe(b *strings.Builder, path string, d fs.DirEntry) {
	var s unix.Stat_t
	if err := unix.Lstat(path, &s); err != nil { // somebody made what can't be looked at
		fmt.Fprintf(b, "%v\n", err)
		return
	}
	fmt.Fprintf(b, "%s mode %o owner %d:%d links %d mtime %d.%d xattrs %q flags %x", strings.TrimPrefix(path, w.prefix),
		s.Mode, s.Uid, s.Gid, s.Nlink, s.Mtim.Sec, s.Mtim.Nsec, xattrs(path), flags(path))
	if d.Type().IsRegular() {
		data, err := os.ReadFile(path)
		must(w.t, err)
		fmt.Fprintf(b, " %x", sha256.Sum256(data))
	}
	b.WriteByte('\n')
}

var moving = regexp.MustCompile(`(?m)^Cpus_allowed_list:.*$`)

// victimState: whether it lives, its limits, priority and processors.
func (w *World) victimState(b *strings.Builder) {
	select {
	case <-w.dead:
		b.WriteString("the victim is dead\n")
		return
	default:
	}
	pid := w.victim.Process.Pid
	proc := fmt.Sprintf("/proc/%d/", pid)
	limits, _ := os.ReadFile(proc + "limits")
	status, _ := os.ReadFile(proc + "status")
	kill, _ := os.ReadFile(proc + "oom_score_adj")
	nice, _ := unix.Getpriority(unix.PRIO_PROCESS, pid)
	policy, _, _ := unix.Syscall(unix.SYS_SCHED_GETSCHEDULER, uintptr(pid), 0, 0)
	io, _, _ := unix.Syscall(unix.SYS_IOPRIO_GET, 1, uintptr(pid), 0)
	fmt.Fprintf(b, "the victim: %x %s nice %d policy %d io %x, %s", sha256.Sum256(limits), moving.Find(status), nice, policy, io, kill)
}

// key names what is shared by all of a machine, for this world.
func (w *World) key() uintptr { return uintptr(crc32.ChecksumIEEE([]byte(w.id()))>>1 | 1) }

// sharedState: what would stay in the machine.
func (w *World) sharedState(b *strings.Builder) {
	if id, err := unix.SysvShmGet(int(w.key()), 0, 0); err == nil {
		b.WriteString("there is shared memory\n")
		_, _ = unix.SysvShmCtl(id, unix.IPC_RMID, nil)
	}
	if id, _, e := unix.Syscall(unix.SYS_MSGGET, w.key(), 0, 0); e == 0 {
		b.WriteString("there is a queue\n")
		_, _, _ = unix.Syscall(unix.SYS_MSGCTL, id, unix.IPC_RMID, 0)
	}
	if id, _, e := unix.Syscall(unix.SYS_SEMGET, w.key(), 0, 0); e == 0 {
		b.WriteString("there is a semaphore\n")
		_, _, _ = unix.Syscall(unix.SYS_SEMCTL, id, 0, unix.IPC_RMID)
	}
	if _, _, e := unix.Syscall(unix.SYS_MQ_UNLINK, text(w.id()), 0, 0); e == 0 {
		b.WriteString("there was a POSIX queue\n")
	}
}

func xattrs(path string) string {
	buffer := make([]byte, 1000)
	n, err := unix.Llistxattr(path, buffer)
	if err != nil {
		return ""
	}
	return string(bytes.ReplaceAll(buffer[:n], []byte{0}, []byte{' '}))
}

func flags(path string) uint32 {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOFOLLOW, 0)
	if err != nil {
		return 0
	}
	defer unix.Close(fd)
	n, _ := unix.IoctlGetUint32(fd, unix.FS_IOC_GETFLAGS)
	return n
}
