package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"countersign/internal/agent/sandbox"
)

func TestMain(m *testing.M) {
	sandbox.Init()
	os.Exit(m.Run())
}

// started runs the server and returns the two lines that it prints. It ends
// with the test.
func started(t *testing.T, env map[string]string, args ...string) (listening, link string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "workspace")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	args = append([]string{"--no-open", "--data", t.TempDir(), "--workspace", dir, "--log-level", "error"}, args...)
	ctx, stop := context.WithCancel(t.Context())
	out, in := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := run(ctx, args, func(key string) string { return env[key] }, in, io.Discard)
		in.CloseWithError(err)
		ended <- err
	}()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	lines := bufio.NewScanner(out)
	for _, line := range []*string{&listening, &link} {
		if !lines.Scan() {
			t.Fatalf("the server did not start: %v", lines.Err())
		}
		*line = lines.Text()
	}
	return strings.TrimPrefix(listening, "listening on "), strings.TrimPrefix(link, "sign in (works once): ")
}

// ask requests a page at the loopback address under this name.
func ask(t *testing.T, address, host string) int {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	u.Host = "127.0.0.1:" + u.Port()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, u.String(), nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = host
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	return answer.StatusCode
}

func TestServe_TheLinkOfAServerForOthersWorks(t *testing.T) {
	listening, link := started(t, nil, "--addr", "0.0.0.0:0", "--host", "plans.example, 192.0.2.7", "--insecure-http")
	u, err := url.Parse(link)
	if err != nil || u.Hostname() != "plans.example" || u.Port() == "" || !strings.HasPrefix(link, listening+"/") {
		t.Fatalf("listening on %q, link %q: %v", listening, link, err)
	}
	if got := ask(t, link, "evil.example:"+u.Port()); got != http.StatusForbidden {
		t.Errorf("a foreign name is answered with %d", got)
	}
	for _, host := range []string{u.Host, "192.0.2.7", "127.0.0.1:" + u.Port()} {
		if got := ask(t, listening+"/healthz", host); got != http.StatusOK {
			t.Errorf("as %s it answers %d", host, got)
		}
	}
	if got := ask(t, link, u.Host); got >= 400 {
		t.Errorf("the link is answered with %d", got)
	}
}

func TestServe_TheLinkOnOnesOwnMachine(t *testing.T) {
	listening, _ := started(t, map[string]string{"COUNTERSIGN_HOST": "plans.example"}, "--addr", "127.0.0.1:0")
	if !strings.HasPrefix(listening, "http://127.0.0.1:") {
		t.Errorf("listening on %q", listening)
	}
	if got := ask(t, listening+"/healthz", "plans.example"); got != http.StatusOK {
		t.Errorf("under the name of a proxy it answers %d", got)
	}
}

func TestConfig_AServerForOthersKnowsItsName(t *testing.T) {
	for _, addr := range []string{"0.0.0.0:0", ":0", "[::]:0", "192.0.2.7:0", "example.com:0"} {
		_, err := settings(t, "", "", nil, "--addr", addr)
		if err == nil || !strings.Contains(err.Error(), "set --host") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", addr, err)
		}
		if _, err := settings(t, "hosts = [\"plans.example\", \"192.0.2.7\"]\ninsecure_http = true", "", nil, "--addr", addr); err != nil {
			t.Errorf("%s with a name: %v", addr, err)
		}
	}
	for _, host := range []string{"http://x", "x:80", "0.0.0.0", "::", "*", "*.example", "a b", "x/y", "me@x"} {
		if _, err := settings(t, "", "", nil, "--host", host); err == nil || !strings.Contains(err.Error(), "--host") {
			t.Errorf("%s: %v", host, err)
		}
	}
	c, err := settings(t, "", "", nil, "--host", "[::1],fd00::7", "--host", "plans.example")
	if err != nil || c.hosts.String() != "::1,fd00::7,plans.example" {
		t.Errorf("%v, %v", c.hosts, err)
	}
}
