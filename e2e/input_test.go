package e2e

import (
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"countersign/e2e/rig"
)

// TestInput_StartUp: what can't work is one clear line, and exit code 1.
func TestInput_StartUp(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		args []string
		want string
	}{
		"taken port":          {[]string{"--addr", taken.Addr().String()}, "is taken"},
		"bad address":         {[]string{"--addr", "nowhere:port"}, "listen"},
		"no port":             {[]string{"--addr", "127.0.0.1"}, "HOST:PORT"},
		"data below a file":   {[]string{"--data", filepath.Join(file, "data")}, "data folder"},
		"missing workspace":   {[]string{"--workspace", filepath.Join(t.TempDir(), "missing")}, "not a folder"},
		"workspace is a file": {[]string{"--workspace", file}, "not a folder"},
		"unknown model":       {[]string{"--model", "crystal-ball:x"}, "model"},
		"no approvals":        {[]string{"--approvals", "0"}, "--approvals"},
		"unknown mode":        {[]string{"--enforcement", "hope"}, "readonly"},
		"short token":         {[]string{"--token", "x"}, "--token"},
		"missing config":      {[]string{"--config", filepath.Join(t.TempDir(), "no.toml")}, "settings file"},
		"unknown command":     {[]string{"dance"}, "no command"},
		"unknown session":     {[]string{"export", "nope", "--data", t.TempDir()}, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			args := c.args
			if !strings.HasPrefix(args[0], "-") {
				// a subcommand takes its own flags
			} else {
				for _, d := range [][]string{{"--addr", "127.0.0.1:0"}, {"--data", t.TempDir()}, {"--workspace", t.TempDir()}, {"--no-open"}} {
					if !contains(args, d[0]) {
						args = append(args, d...)
					}
				}
			}
			cmd := exec.Command(binary, args...)
			cmd.Env = rig.Environment()
			cmd.Dir = t.TempDir()
			out, _ := cmd.CombinedOutput()
			if code := cmd.ProcessState.ExitCode(); code != 1 {
				t.Errorf("exit code %d, want 1; output: %s", code, out)
			}
			lines := strings.Split(strings.TrimSpace(string(out)), "\n")
			if last := lines[len(lines)-1]; !strings.HasPrefix(last, "countersign: ") || !strings.Contains(last, c.want) {
				t.Errorf("it says %q, want a line with %q", out, c.want)
			}
			if strings.Contains(string(out), "panic") || strings.Contains(string(out), "goroutine") {
				t.Errorf("it crashed: %s", out)
			}
		})
	}
}

func contains(list []string, s string) bool {
	for _, l := range list {
		if l == s {
			return true
		}
	}
	return false
}

// TestInput_NewSession: each bad field gets its sentence, and nothing is made.
func TestInput_NewSession(t *testing.T) {
	t.Parallel()
	work := workspace(t, map[string]string{"file.txt": "x"})
	s := newServer(t, work)
	s.stop()
	s.args = append(s.args, "--workspace", s.data)
	s.start()
	outside := t.TempDir()
	if err := os.MkdirAll(filepath.Join(work, ".git", "hooks"), 0o755); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(work, "link")
	if err := os.Symlink(outside, link); err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		body   any
		status int
	}{
		"empty task":              {object{"workspace": work, "task": "  "}, 422},
		"10 MB task":              {object{"workspace": work, "task": strings.Repeat("x", 10<<20)}, 413},
		"unknown workspace":       {object{"workspace": filepath.Join(work, "nope"), "task": "x"}, 422},
		"workspace outside":       {object{"workspace": outside, "task": "x"}, 422},
		"workspace beside":        {object{"workspace": work + "-evil", "task": "x"}, 422},
		"workspace through links": {object{"workspace": link, "task": "x"}, 422},
		"workspace with dots":     {object{"workspace": work + "/../..", "task": "x"}, 422},
		"the product's own data":  {object{"workspace": filepath.Join(s.data, "private"), "task": "x"}, 422},
		"a .git folder":           {object{"workspace": filepath.Join(work, ".git", "hooks"), "task": "x"}, 422},
		"workspace is a file":     {object{"workspace": filepath.Join(work, "file.txt"), "task": "x"}, 422},
		"unknown model":           {object{"workspace": work, "task": "x", "model": "crystal-ball:x"}, 422},
		"unknown mode":            {object{"workspace": work, "task": "x", "mode": "yolo"}, 422},
		"too many approvals":      {object{"workspace": work, "task": "x", "approvals": 1000}, 422},
		"unknown field":           {object{"workspace": work, "task": "x", "sudo": true}, 422},
		"wrong type":              {object{"workspace": work, "task": 7}, 422},
		"no JSON":                 {"{", 400},
		"a list":                  {"[]", 400},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			status, answer := s.api("POST", "/sessions", c.body)
			problem, _ := answer["error"].(object)
			message, _ := problem["message"].(string)
			if status != c.status && !(status == 403 && strings.HasPrefix(name, "workspace")) {
				t.Errorf("status %d, want %d: %v", status, c.status, answer)
			}
			if message == "" || strings.Contains(message, "goroutine") {
				t.Errorf("no sentence: %v", answer)
			}
		})
	}
	var list struct{ Sessions []any }
	convert(t, s.must(http.StatusOK, "GET", "/sessions", nil), &list)
	if len(list.Sessions) != 0 {
		t.Errorf("%d sessions were made all the same", len(list.Sessions))
	}
}
