package mcp

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"countersign/internal/agent/permission"
	"countersign/internal/planning"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// newWireRig has one server that is reached by HTTP, behind what a test puts
// before it.
func newWireRig(t *testing.T, before func(http.Handler) http.Handler, change ...func(*Server)) *rig {
	t.Helper()
	server := sdk.NewServer(&sdk.Implementation{Name: "wire", Version: "1"}, nil)
	add(server, "repeats", false, func(_ context.Context, _ *sdk.CallToolRequest, g given) (*sdk.CallToolResult, error) {
		return says("%s", strings.Repeat(g.Text, g.N))
	})
	end := make(chan struct{})
	add(server, "waits", true, func(context.Context, *sdk.CallToolRequest, given) (*sdk.CallToolResult, error) {
		<-end
		return says("late")
	})
	web := httptest.NewServer(before(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil)))
	t.Cleanup(func() {
		close(end)
		for s := range server.Sessions() { // a call that was given up leaves its own behind
			_ = s.Close()
		}
		web.Close()
	})
	s := Server{Name: "t", URL: web.URL}
	for _, c := range change {
		c(&s)
	}
	return &rig{t: t, workspace: t.TempDir(), outside: t.TempDir(), config: Config{Servers: []Server{s}, Confined: permission.Policy{}.Confined}}
}

func straight(h http.Handler) http.Handler { return h }

func TestWire_P28_OnlyListedToolsWhilePlanning(t *testing.T) {
	r := newWireRig(t, straight, readOnly("repeats"))
	told := r.open(planning.ModePlan)
	if told.Failed != "" || told.Transport != "http" {
		t.Fatalf("%+v", told)
	}
	for name, want := range map[string]bool{"repeats": true, "waits": false} {
		if got := (permission.Policy{}).Offered(planning.ModePlan, "t__"+name, r.tool(name).Access()); got != want {
			t.Errorf("%s offered while planning: %v", name, got)
		}
	}
	if said := r.says("repeats", given{Text: "a", N: 3}); said != "aaa" {
		t.Errorf("it says %q", said)
	}
}

func TestWire_HeadersGoToTheServerAndNowhereElse(t *testing.T) {
	var elsewhere []string
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		elsewhere = append(elsewhere, r.Header.Get("Authorization"))
	}))
	defer other.Close()
	key := func(s *Server) { s.Headers = map[string]string{"Authorization": "Bearer s3cr3t"} }
	guarded := func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "Bearer s3cr3t" {
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			h.ServeHTTP(w, r)
		})
	}
	if told := newWireRig(t, guarded, key).open(planning.ModePlan); told.Failed != "" {
		t.Errorf("with its header: %+v", told)
	}
	if told := newWireRig(t, guarded).open(planning.ModePlan); told.Failed != "It answered with status 401." {
		t.Errorf("without: %+v", told)
	}
	away := func(http.Handler) http.Handler {
		return http.RedirectHandler(other.URL, http.StatusTemporaryRedirect)
	}
	if told := newWireRig(t, away, key).open(planning.ModePlan); told.Failed == "" || len(elsewhere) > 0 {
		t.Errorf("sent on: %+v, and elsewhere came %q", told, elsewhere)
	}
}

func TestWire_Faults(t *testing.T) {
	pours := func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			chunk := []byte(strings.Repeat(" ", 1<<20))
			for range 1024 {
				if _, err := w.Write(chunk); err != nil {
					return
				}
			}
		})
	}
	babbles := func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte("<html>"))
		})
	}
	hangs := func(http.Handler) http.Handler {
		return http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // only then it notices that the client is gone
			<-r.Context().Done()
		})
	}
	for name, c := range map[string]struct {
		before func(http.Handler) http.Handler
		want   string
	}{
		"pours": {pours, "more than 16 MiB"}, "babbles": {babbles, "does not keep to the protocol"}, "hangs": {hangs, "did not answer within"},
	} {
		limit := time.Minute
		if name == "hangs" {
			limit = 300 * time.Millisecond
		}
		if told := newWireRig(t, c.before, timeout(limit)).open(planning.ModePlan); !strings.Contains(told.Failed, c.want) {
			t.Errorf("%s: %+v, want %q", name, told, c.want)
		}
	}
	r := newWireRig(t, straight)
	r.open(planning.ModeExecuting)
	r.set.(*set).servers[0].Timeout = 200 * time.Millisecond
	if said := r.refuses("waits", given{}); !strings.Contains(said, "did not answer within 200ms") {
		t.Errorf("refusal: %q", said)
	}
	if said := r.says("repeats", given{Text: "a", N: 1}); said != "a" {
		t.Errorf("afterwards: %q", said)
	}
}
