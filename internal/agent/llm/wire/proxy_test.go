package wire

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"

	"countersign/internal/agent"
)

// The variables for proxies are read once in a process, so this test runs
// itself in another one.
func TestClient_GoesThroughTheProxy(t *testing.T) {
	ask := func() error {
		s := New(Config{Model: "m", URL: &url.URL{Scheme: "http", Host: "model.example", Path: "/v1"}, BaseVar: "OPENAI_BASE_URL"})
		for _, err := range s.Stream(t.Context(), Exchange{
			Send: func(ctx context.Context, w *Watch) (*http.Response, error) {
				return s.Post(ctx, w, nil, http.Header{}, func(int, []byte) bool { return false })
			},
			Read: func(io.Reader, func(agent.Delta) bool) error { return ErrCut },
		}) {
			return err
		}
		return nil
	}
	if os.Getenv("ASK_BY_PROXY") != "" {
		t.Log(ask())
		return
	}
	asked := ""
	proxy := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { asked = r.URL.String() }))
	by := func(proxy string) string {
		cmd := exec.Command(os.Args[0], "-test.run", "TestClient_GoesThroughTheProxy", "-test.v")
		cmd.Env = append(os.Environ(), "ASK_BY_PROXY=yes", "HTTP_PROXY="+proxy, "NO_PROXY=")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return string(out)
	}
	if out := by(proxy.URL); asked != "http://model.example/v1" || !strings.Contains(out, "broke its answer off") {
		t.Errorf("the proxy was asked for %q: %s", asked, out)
	}
	proxy.Close()
	if out := by(proxy.URL); !strings.Contains(out, "The proxy between this server and model.example could not be reached. Check HTTPS_PROXY") {
		t.Errorf("without its proxy: %s", out)
	}
}
