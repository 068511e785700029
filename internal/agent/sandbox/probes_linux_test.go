package sandbox

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// attack is a command that a planning agent must get nowhere with. A tame one
// has no effect, or only a dangerous one, on an unprotected machine, so it
// can't be shown to bite.
type attack struct {
	name  string
	shell string
	tame  bool
}

var attacks = []attack{
	{name: "redirect", shell: "echo x > file"},
	{name: "redirect, absolute", shell: "echo x > {W}/file"},
	{name: "append", shell: "echo x >> file"},
	{name: "heredoc", shell: "cat > file <<E\nx\nE"},
	{name: "behind true", shell: "true && rm file"},
	{name: "sed w", shell: "sed -n '1w o' file"},
	{name: "sed -i", shell: "sed -i s/1/2/ file"},
	{name: "tee", shell: "echo x | tee file"},
	{name: "new file", shell: "echo x > new"},
	{name: "outside", shell: "echo x > {O}/file"},
	{name: "new file outside", shell: "echo x > {O}/new"},
	{name: "rename", shell: "mv file moved"},
	{name: "rename a folder", shell: "mv sub moved"},
	{name: "rename out", shell: "mv file {O}/moved"},
	{name: "exchange", shell: "mv --exchange file ok.txt || mv file x"},
	{name: "symbolic link", shell: "ln -s /etc link"},
	{name: "hard link", shell: "ln file hard"},
	{name: "hard link into scratch", shell: "ln file $TMPDIR/h && echo x > $TMPDIR/h || ln file {O}/h"},
	{name: "hard link from outside", shell: "ln {O}/secret stolen && cat stolen"},
	{name: "symbolic link in scratch", shell: "mkdir -p ${TMPDIR:-/tmp}; ln -s {W}/file ${TMPDIR:-{O}}/l && echo x > ${TMPDIR:-{O}}/l"},
	{name: "remove", shell: "rm -f file"},
	{name: "remove a folder", shell: "rm -rf sub"},
	{name: "make a folder", shell: "mkdir d"},
	{name: "make a pipe", shell: "mkfifo p"},
	{name: "truncate", shell: "truncate -s 0 file"},
	{name: "truncate by call", shell: "{P} truncate {W}/file"},
	{name: "touch", shell: "touch -d 2001-01-01 file"},
	{name: "utimes", shell: "{P} utimes {W}/file"},
	{name: "utimes outside", shell: "{P} utimes {O}/file"},
	{name: "futimens", shell: "{P} futimens {W}/file"},
	{name: "chmod", shell: "chmod 777 file"},
	{name: "chmod outside", shell: "chmod 777 {O}/file"},
	{name: "chown", shell: "chown 1:1 file", tame: true},
	{name: "xattr", shell: "{P} xattr {W}/file"},
	{name: "flags", shell: "{P} setflags {W}/file", tame: true},
	{name: "through /proc/self/root", shell: "echo x > /proc/self/root{W}/file"},
	{name: "through /proc/self/cwd", shell: "echo x > /proc/self/cwd/file"},
	{name: "through the server's root", shell: "echo x > /proc/{SELF}/root{W}/file"},
	{name: "through the server's folder", shell: "echo x > /proc/{VICTIM}/cwd/x; cat /proc/{VICTIM}/root{O}/secret"},
	{name: "through process 1", shell: "cat /proc/1/root{O}/secret; echo x > /proc/1/root{O}/file", tame: true},
	{name: "inherited descriptor", shell: "{P} writefd {FD}"},
	{name: "inherited descriptor by name", shell: "echo x > /proc/self/fd/{FD}"},
	{name: "git hook", shell: "echo x > .git/hooks/post-commit"},
	{name: "git config", shell: "git config core.fsmonitor 'touch {O}/x'; echo x >> .git/config"},
	{name: "git in another case", shell: "mkdir .GIT && echo x > .GIT/config"},

	{name: "mount", shell: "{P} mount-tmpfs {W}/sub", tame: true},
	{name: "mount bind", shell: "{P} mount-bind {O} {W}/sub", tame: true},
	{name: "mount from namespaces", shell: "unshare -Urm sh -c 'mount -t tmpfs x {W}/sub && echo EFFECT'", tame: true},
	{name: "remount", shell: "{P} remount-rw {W}", tame: true},
	{name: "mount attributes", shell: "{P} mount-setattr /", tame: true},
	{name: "uncover", shell: "{P} umount {W}; {P} umount {W}/data; cat {W}/data/key", tame: true},
	{name: "unshare", shell: "{P} unshare", tame: true},
	{name: "clone into a namespace", shell: "{P} clone-ns"},
	{name: "clone3", shell: "{P} clone3", tame: true},
	{name: "chroot", shell: "{P} chroot /", tame: true},

	{name: "tcp", shell: "{P} tcp {TCP}"},
	{name: "tcp by the shell", shell: "bash -c 'echo x > /dev/tcp/127.0.0.1/{PORT}'"},
	{name: "mptcp", shell: "{P} mptcp {TCP}", tame: true},
	{name: "udp", shell: "{P} udp {UDP}"},
	{name: "unix socket", shell: "{P} unix {SOCK}"},
	{name: "abstract socket", shell: "{P} abstract {ABSTRACT}"},
	{name: "packet socket", shell: "{P} packet", tame: true},
	{name: "vsock", shell: "{P} vsock", tame: true},

	{name: "kill", shell: "kill -9 {VICTIM}"},
	{name: "kill by call", shell: "{P} kill {VICTIM}"},
	{name: "tgkill", shell: "{P} tgkill {VICTIM}"},
	{name: "kill by pidfd", shell: "{P} pidfd-kill {VICTIM}"},
	{name: "kill the server", shell: "kill -9 {SELF}; {P} tgkill {SELF}", tame: true},
	{name: "kill the supervisor", shell: "kill -9 $PPID; sleep 0.1; echo $PPID", tame: true},
	{name: "ptrace", shell: "{P} ptrace {VICTIM}"},
	{name: "memory of another", shell: "{P} vm-readv {VICTIM}; head -c 1 /proc/{VICTIM}/mem", tame: true},
	{name: "descriptor of another", shell: "{P} pidfd-getfd {VICTIM}"},
	{name: "shared memory", shell: "{P} shmget"},

	{name: "io_uring", shell: "{P} io_uring", tame: true},
	{name: "bpf", shell: "{P} bpf", tame: true},
	{name: "keyring", shell: "{P} keyctl", tame: true},
	{name: "a call from the future", shell: "{P} unknown-call", tame: true},

	{name: "read outside", shell: "cat {O}/secret"},
	{name: "read outside by a link", shell: "ln -s {O}/secret $TMPDIR/l; cat $TMPDIR/l; cat {W}/../outside/secret"},
	{name: "read what is protected", shell: "cat data/key"},
	{name: "read an environment", shell: "cat /proc/{VICTIM}/environ; cat /proc/[0-9]*/environ; cat /proc/$PPID/environ"},
	{name: "read arguments", shell: "cat /proc/[0-9]*/cmdline"},
	{name: "a program to everybody", shell: "cp /bin/sh {O}/sh && chmod 4755 {O}/sh"},
}

// The attacks run a few at a time, because starting a sandbox takes its time;
// when something gets through, they are run one by one to find out which.
func TestPlan_P6_NothingReachesTheWorkspaceOrAnythingElse(t *testing.T) {
	sideBySide(t, func(t *testing.T, l layers) {
		w := newWorld(t)
		before := w.state()
		for some := range slices.Chunk(attacks, 8) {
			if w.harm(l, before, some...) == "" {
				continue
			}
			for _, a := range some {
				w = newWorld(t)
				before = w.state()
				if harm := w.harm(l, before, a); harm != "" {
					t.Errorf("%s: %q got through:\n%s", a.name, a.shell, harm)
				}
			}
			t.Errorf("something of %v got through", some)
		}
		w.knock()
	})
}

// harm runs attacks one after the other and says what came of them.
func (w *world) harm(l layers, before string, some ...attack) string {
	var shell strings.Builder
	for _, a := range some {
		fmt.Fprintf(&shell, "(\n%s\n)\n", a.shell)
	}
	r := w.run(l, w.command(shell.String()))
	if diff := cmp.Diff(before, w.state()); diff != "" {
		return "(-before +after):\n" + diff + "\noutput: " + r.Output
	}
	if strings.Contains(r.Output, effect) || strings.Contains(r.Output, secret) {
		return r.Output
	}
	return ""
}

// The attacks work where nothing stops them: else the test above shows nothing.
func TestAttacks_HaveTeeth(t *testing.T) {
	for _, a := range attacks {
		if a.tame {
			continue
		}
		t.Run(a.name, func(t *testing.T) {
			w := newWorld(t)
			before := w.state()
			cmd := exec.Command("/bin/sh", "-c", w.fill(a.shell))
			cmd.Dir = w.workspace
			cmd.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "TMPDIR=" + t.TempDir()}
			out, _ := cmd.CombinedOutput()
			if !strings.Contains(string(out), effect) && !strings.Contains(string(out), secret) && !w.changes(before) {
				t.Errorf("%q has no effect: %s", a.shell, out)
			}
		})
	}
}

// changes waits a little for what arrives late, such as a datagram or a death.
func (w *world) changes(before string) bool {
	for range 200 {
		if w.state() != before {
			return true
		}
		_ = unix.Nanosleep(&unix.Timespec{Nsec: 5_000_000}, nil)
	}
	return false
}
