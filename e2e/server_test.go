package e2e

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"countersign/e2e/rig"
)

// patience bounds how long a test waits for something that should come at
// once; machines here are shared.
const patience = 2 * time.Minute

// server is a running Countersign with its data folder. It can be killed and
// started again on the same data.
type server struct {
	t      *testing.T
	data   string
	work   string // the workspace
	args   []string
	env    []string
	cmd    *exec.Cmd
	base   string // http://127.0.0.1:PORT
	link   string // the sign-in link of this start
	stderr *syncBuffer
}

// syncBuffer is a buffer that a process writes and a test reads.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

const ownerToken = "the-token-of-the-tests-owner"

// newServer starts a server on a workspace; args come behind the usual ones.
func newServer(t *testing.T, workspace string, args ...string) *server {
	t.Helper()
	s := &server{t: t, data: t.TempDir(), work: workspace, args: args}
	s.start()
	t.Cleanup(func() {
		s.kill()
		if t.Failed() {
			t.Logf("the server's log:\n%s", s.stderr)
		}
	})
	return s
}

// start runs the binary and waits until it says where it listens.
func (s *server) start() {
	s.t.Helper()
	args := append([]string{
		"--addr", "127.0.0.1:0", "--data", s.data, "--workspace", s.work,
		"--token", ownerToken, "--no-open", "--model", "builtin",
	}, s.args...)
	s.cmd = exec.Command(binary, args...)
	s.cmd.Env = append(rig.Environment(), s.env...)
	s.cmd.Dir = s.t.TempDir()
	s.stderr = &syncBuffer{}
	s.cmd.Stderr = s.stderr
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.readStart(out)
}

func (s *server) readStart(out io.Reader) {
	s.t.Helper()
	s.base, s.link = rig.Listening(out)
	if s.link == "" {
		s.t.Fatalf("the server did not say where it listens; its log:\n%s", s.stderr)
	}
	go io.Copy(io.Discard, out) // ends with the process
}

// kill ends the server as a power cut would.
func (s *server) kill() {
	s.cmd.Process.Kill()
	s.cmd.Wait()
}

// stop ends the server as an operator would, and returns its exit code.
func (s *server) stop() int {
	s.t.Helper()
	s.cmd.Process.Signal(syscall.SIGTERM)
	s.cmd.Wait()
	return s.cmd.ProcessState.ExitCode()
}

// workspace makes a folder with these files.
func workspace(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		write(t, dir, name, text)
	}
	return dir
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// exists tells whether there is a file of this name.
func exists(dir, name string) bool {
	_, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name)))
	return err == nil
}

// eventually polls until ok says yes. It is for what happens in another
// process, where no signal can be waited for.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	if !poll(ok) {
		t.Fatalf("waited in vain for: %s", what)
	}
}

// poll asks again and again until ok says yes, and says whether it did within
// the patience.
func poll(ok func() bool) bool {
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if ok() {
			return true
		}
	}
	return false
}

var client = &http.Client{
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	Timeout:       patience,
}
