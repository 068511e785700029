//go:build linux || darwin

package sandbox

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// knockWord is the first argument that makes the program knock at an address,
// which a shell can't.
const knockWord = "__countersign_knock"

// knockIfAsked does not return where the program was started to knock.
func knockIfAsked() {
	if len(os.Args) != 4 || os.Args[1] != knockWord {
		return
	}
	network, address := os.Args[2], os.Args[3]
	if c, err := net.Dial(network, address); err == nil {
		_, _ = c.Write([]byte("x"))
	}
	os.Exit(0)
}

// bait is what the attempts of Prove are made on.
type bait struct {
	workspace, outside string
	secret             string
	program            string // a copy of this one: the file that it was started from may be out of reach
	tcp, unix          net.Listener
	other              *exec.Cmd // a process of the same person
	life               io.Closer // closing it ends that process
	gone               chan struct{}
}

// proving is one of Prove's: what the shell runs and how to see from outside,
// and from what was printed, that it came to nothing.
type proving struct {
	what, shell string
	held        func(printed string) bool
}

func (b *bait) tries() []proving {
	file := filepath.Join(b.workspace, "file")
	return []proving{
		{"change a file", "echo x > file", func(string) bool { return holds(file, "text") }},
		{"delete a file", "rm -f old", func(string) bool { return holds(filepath.Join(b.workspace, "old"), "text") }},
		{"change a file's mode", "chmod 777 file", func(string) bool {
			info, err := os.Stat(file)
			return err == nil && info.Mode().Perm() == 0o600
		}},
		{"make a git hook", "mkdir -p .git/hooks; echo x > .git/hooks/pre-commit", func(string) bool { return !exists(filepath.Join(b.workspace, ".git")) }},
		{"write outside the workspace", "echo x > " + quote(filepath.Join(b.outside, "new")), func(string) bool { return !exists(filepath.Join(b.outside, "new")) }},
		{"read outside the workspace", "cat " + quote(filepath.Join(b.outside, "secret")), func(printed string) bool { return !strings.Contains(printed, b.secret) }},
		{"read another process's environment", b.readEnvironment(), func(printed string) bool { return !strings.Contains(printed, b.secret) }},
		{"end another process", fmt.Sprintf("kill -9 %d", b.other.Process.Pid), func(string) bool { return b.otherLives() }},
		{"connect to a port", fmt.Sprintf("%s %s tcp %s", quote(b.program), knockWord, b.tcp.Addr()), func(string) bool { return untouched(b.tcp) }},
		{"connect to a Unix socket", fmt.Sprintf("%s %s unix %s", quote(b.program), knockWord, quote(b.unix.Addr().String())), func(string) bool { return untouched(b.unix) }},
	}
}

// prove makes the attempts in one command of run. Each is between two lines, and
// the last of them says how its shell ended: one that was never made, because its
// program was missing, proves nothing.
func prove(ctx context.Context, run func(context.Context, Command) (Result, error)) ([]Proof, error) {
	b, err := newBait()
	if err != nil {
		return nil, err
	}
	defer b.remove()
	tries := b.tries()
	var shell strings.Builder
	for i, t := range tries {
		fmt.Fprintf(&shell, "echo '<%d>'\n(\n%s\n) 2>&1\necho '</%d'=$?\n", i, t.shell, i)
	}
	r, err := run(ctx, Command{Dir: b.workspace, Shell: shell.String(), Timeout: time.Minute, ReadOnly: []string{b.program}})
	if err != nil {
		return nil, err
	}
	var proofs []Proof
	for i, t := range tries {
		p := Proof{What: t.what}
		_, printed, _ := strings.Cut(r.Output, fmt.Sprintf("<%d>\n", i))
		printed, code, made := strings.Cut(printed, fmt.Sprintf("</%d=", i))
		switch {
		case !made:
			p.Why = "the command ended before"
		case strings.HasPrefix(code, "127\n") || strings.HasPrefix(code, "126\n"):
			p.Why = strings.TrimSpace(printed)
		default:
			p.Held = t.held(printed)
		}
		proofs = append(proofs, p)
	}
	return proofs, nil
}

func newBait() (*bait, error) {
	root, err := os.MkdirTemp("", "countersign-proof-")
	if err != nil {
		return nil, err
	}
	b := &bait{workspace: filepath.Join(root, "ws"), outside: filepath.Join(root, "out"), secret: rand.Text()}
	if err := b.lay(root); err != nil {
		b.remove()
		return nil, err
	}
	return b, nil
}

// lay makes everything that there is to find.
func (b *bait) lay(root string) (err error) {
	err = errors.Join(os.Mkdir(b.workspace, 0o700), os.Mkdir(b.outside, 0o700),
		os.WriteFile(filepath.Join(b.workspace, "file"), []byte("text"), 0o600),
		os.WriteFile(filepath.Join(b.workspace, "old"), []byte("text"), 0o600),
		os.WriteFile(filepath.Join(b.outside, "secret"), []byte(b.secret), 0o600))
	if err != nil {
		return err
	}
	b.program = filepath.Join(root, "program")
	if err = copySelf(b.program); err != nil {
		return err
	}
	if b.tcp, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return err
	}
	if b.unix, err = net.Listen("unix", filepath.Join(b.workspace, "s")); err != nil {
		return err
	}
	return b.startOther()
}

func copySelf(to string) error {
	self, err := ownProgram()
	if err != nil {
		return err
	}
	in, err := os.Open(self)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o700)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

func (b *bait) startOther() error {
	b.other = exec.Command("/bin/sh", "-c", "read _")
	b.other.Env = []string{"KEY=" + b.secret}
	life, err := b.other.StdinPipe()
	if err != nil {
		return err
	}
	if err := b.other.Start(); err != nil {
		return err
	}
	b.life, b.gone = life, make(chan struct{})
	go func() {
		defer close(b.gone)
		_ = b.other.Wait()
	}()
	return nil
}

// otherLives ends the other process and tells whether nobody had before.
func (b *bait) otherLives() bool {
	b.life.Close()
	<-b.gone
	status, ok := b.other.ProcessState.Sys().(syscall.WaitStatus)
	return ok && !status.Signaled()
}

func (b *bait) remove() {
	if b.tcp != nil {
		b.tcp.Close()
	}
	if b.unix != nil {
		b.unix.Close()
	}
	if b.gone != nil {
		b.otherLives()
	}
	os.RemoveAll(filepath.Dir(b.workspace))
}

// untouched connects to a listener and tells whether nobody had before.
func untouched(l net.Listener) bool {
	ours, err := net.Dial(l.Addr().Network(), l.Addr().String())
	if err != nil {
		return false
	}
	defer ours.Close()
	if _, err := ours.Write([]byte("o")); err != nil {
		return false
	}
	first, err := l.Accept()
	if err != nil {
		return false
	}
	defer first.Close()
	who := make([]byte, 1)
	_, err = io.ReadFull(first, who)
	return err == nil && who[0] == 'o'
}

func holds(path, text string) bool {
	data, err := os.ReadFile(path)
	return err == nil && string(data) == text
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// quote makes one word of a path for sh.
func quote(path string) string { return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'" }
