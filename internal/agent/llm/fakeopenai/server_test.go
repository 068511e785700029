package fakeopenai

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func client(t *testing.T) *http.Client {
	c := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(c.CloseIdleConnections)
	return c
}

const question = `{"model":"m","stream":true,"tools":[{"type":"function","function":{"name":"grep","parameters":{}}}],"messages":[` +
	`{"role":"system","content":"be brief"},{"role":"user","content":"hi"},` +
	`{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"grep","arguments":"{}"}}]},` +
	`{"role":"tool","tool_call_id":"a","content":"found"}]}`

func ask(t *testing.T, c *http.Client, s *Server) (*http.Response, string) {
	t.Helper()
	r, err := c.Post(s.URL+"/chat/completions", "application/json", strings.NewReader(question))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b, _ := io.ReadAll(r.Body)
	return r, string(b)
}

func TestServer_FollowsTheScript(t *testing.T) {
	s := New(t,
		Turn{Text: "one", Piece: 2, Calls: []Call{{ID: "x", Name: "grep", Arguments: map[string]int{"n": 1}}, {ID: "y", Name: "glob", Arguments: "{broken"}}, Usage: &Usage{Prompt: 3, Cached: 2}},
		Turn{Status: 429, Error: "slow down", Header: map[string]string{"Retry-After": "3"}},
		Turn{Body: "<html>"},
		Turn{From: func(r Request) Turn { return Text("you said " + r.Last().Content) }},
		Turn{Text: "x", Frame: "{not json"},
	)
	c := client(t)
	_, body := ask(t, c, s)
	for _, want := range []string{`"content":"on"`, `"content":"e"`, `"id":"x"`, `"arguments":":1"`, `"arguments":"{b"`, `"finish_reason":"tool_calls"`, `"cached_tokens":2`, "data: [DONE]\n\n"} {
		if !strings.Contains(body, want) {
			t.Errorf("%q is not in %s", want, body)
		}
	}
	r, body := ask(t, c, s)
	if r.StatusCode != 429 || r.Header.Get("Retry-After") != "3" || !strings.Contains(body, `"message":"slow down"`) {
		t.Errorf("%d %s", r.StatusCode, body)
	}
	if r, body := ask(t, c, s); r.StatusCode != 200 || body != "<html>" || !strings.HasPrefix(r.Header.Get("Content-Type"), "text/html") {
		t.Errorf("%d %s", r.StatusCode, body)
	}
	if _, body := ask(t, c, s); !strings.Contains(body, "you said found") {
		t.Error(body)
	}
	if _, body := ask(t, c, s); !strings.Contains(body, "data: {not json\n\n") {
		t.Error(body)
	}
	if s.Left() != 0 || len(s.Requests()) != 5 {
		t.Errorf("%d left, %d asked", s.Left(), len(s.Requests()))
	}
}

func TestRequest(t *testing.T) {
	s := New(t, Text("x"))
	ask(t, client(t), s)
	r := s.Await(1)[0]
	if string(r.Raw) != question || r.Model() != "m" || r.System() != "be brief" || r.Last().Role != "tool" || len(r.Messages()) != 4 {
		t.Errorf("%+v", r)
	}
	if d := cmp.Diff([]string{"found"}, r.Results("a")); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"grep"}, r.ToolNames()); d != "" {
		t.Error(d)
	}
	if r.Messages()[2].ToolCalls[0].Function.Name != "grep" || (Request{}).Last().Role != "" || (Request{}).System() != "" {
		t.Error("calls, or the empty request")
	}
}

// recorder notes what would have failed the test.
type recorder struct {
	testing.TB
	mu     sync.Mutex
	errors []string
}

func (r *recorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

func TestServer_BeyondTheScript(t *testing.T) {
	tb := &recorder{TB: t}
	s := New(tb)
	c := client(t)
	if r, _ := ask(t, c, s); r.StatusCode != http.StatusTeapot || len(tb.errors) != 1 {
		t.Errorf("%d %q", r.StatusCode, tb.errors)
	}
	s.Add(Text("added"))
	s.Otherwise(Text("for ever"))
	for _, want := range []string{"added", "for ever", "for ever"} {
		if _, body := ask(t, c, s); !strings.Contains(body, want) {
			t.Errorf("%q is not in %s", want, body)
		}
	}
	if r, err := c.Get(s.URL + "/models"); err != nil || r.StatusCode != 404 || len(tb.errors) != 2 {
		t.Errorf("%v %q", err, tb.errors)
	} else {
		r.Body.Close()
	}
}

func TestServer_StallAndCut(t *testing.T) {
	s := New(t, Turn{Text: "before", Cut: true}, Turn{Text: "before", Stall: true})
	c := client(t)
	r, err := c.Post(s.URL+"/chat/completions", "application/json", strings.NewReader(question))
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(r.Body)
	r.Body.Close()
	if err == nil || !strings.Contains(string(body), "before") {
		t.Errorf("%q %v", body, err)
	}
	if r, err = c.Post(s.URL+"/chat/completions", "application/json", strings.NewReader(question)); err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	lines := bufio.NewScanner(r.Body)
	for lines.Scan() && !strings.Contains(lines.Text(), "before") {
	}
	s.Close() // lets the stalled turn go
	for lines.Scan() {
		if strings.Contains(lines.Text(), "DONE") {
			t.Error("a stalled turn was ended properly")
		}
	}
	s.Close()
}
