package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// api calls the JSON API as the owner. A string body is sent as it is, any
// other as JSON.
func (s *server) api(method, path string, body any) (status int, answer map[string]any) {
	s.t.Helper()
	return s.apiAs(ownerToken, method, path, body)
}

func (s *server) apiAs(token, method, path string, body any) (int, map[string]any) {
	s.t.Helper()
	var reader io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		reader = strings.NewReader(b)
	default:
		data, err := json.Marshal(b)
		if err != nil {
			s.t.Fatal(err)
		}
		reader = bytes.NewReader(data)
	}
	req, err := http.NewRequest(method, s.base+"/api/v1"+path, reader)
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	if reader != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := client.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	var answer map[string]any
	if len(data) > 0 {
		if err := json.Unmarshal(data, &answer); err != nil {
			s.t.Fatalf("%s %s answers %d and no JSON: %.300s", method, path, res.StatusCode, data)
		}
	}
	return res.StatusCode, answer
}

// must calls the API and fails the test unless it answers with this status.
func (s *server) must(want int, method, path string, body any) map[string]any {
	s.t.Helper()
	status, answer := s.api(method, path, body)
	if status != want {
		s.t.Fatalf("%s %s = %d, want %d: %v", method, path, status, want, answer)
	}
	return answer
}

// task starts a session and returns its id.
func (s *server) task(text string, more map[string]any) string {
	s.t.Helper()
	body := map[string]any{"workspace": s.work, "task": text}
	for k, v := range more {
		body[k] = v
	}
	return s.must(http.StatusCreated, "POST", "/sessions", body)["id"].(string)
}

// status waits until the session has one of these statuses, and returns the
// session. It gives up at once when the session fails instead.
func (s *server) status(session string, want ...string) map[string]any {
	s.t.Helper()
	var last map[string]any
	eventually(s.t, fmt.Sprintf("status %v of the session", want), func() bool {
		last = s.must(http.StatusOK, "GET", "/sessions/"+session, nil)
		for _, w := range want {
			if last["status"] == w {
				return true
			}
		}
		if last["status"] == "failed" {
			s.t.Fatalf("the session failed: %v", last)
		}
		return false
	})
	return last
}

// plan returns a version of the plan.
func (s *server) plan(session string, version int) planJSON {
	s.t.Helper()
	var p planJSON
	convert(s.t, s.must(http.StatusOK, "GET", fmt.Sprintf("/sessions/%s/plans/%d", session, version), nil), &p)
	return p
}

type planJSON struct {
	Version  int
	Status   string
	SHA256   string
	Markdown string
	Files    []string
	Commands []string
	Steps    []stepJSON
	Threads  []threadJSON
}

type stepJSON struct {
	ID       string
	Number   int
	Title    string
	Markdown string
	Change   string
}

type threadJSON struct {
	ID       string
	Step     string
	Answered int
	Detached bool
	Resolved bool
}

type eventJSON struct {
	Seq   int64
	Kind  string
	Actor struct{ Kind, Name string }
	Data  json.RawMessage
}

// events returns the whole log of a session.
func (s *server) events(session string) []eventJSON {
	s.t.Helper()
	var all []eventJSON
	for {
		var page struct{ Events []eventJSON }
		convert(s.t, s.must(http.StatusOK, "GET", fmt.Sprintf("/sessions/%s/events?after=%d&limit=1000", session, len(all)), nil), &page)
		if len(page.Events) == 0 {
			return all
		}
		all = append(all, page.Events...)
	}
}

// of returns the payloads of the events of one kind.
func of[T any](t *testing.T, events []eventJSON, kind string) []T {
	t.Helper()
	var found []T
	for _, e := range events {
		if e.Kind != kind {
			continue
		}
		var p T
		if err := json.Unmarshal(e.Data, &p); err != nil {
			t.Fatal(err)
		}
		found = append(found, p)
	}
	return found
}

func convert(t *testing.T, from any, to any) {
	t.Helper()
	data, err := json.Marshal(from)
	if err == nil {
		err = json.Unmarshal(data, to)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// decide sends a verdict on the plan as it stands.
func (s *server) decide(session string, p planJSON, verdict, note string) (int, map[string]any) {
	s.t.Helper()
	return s.api("POST", fmt.Sprintf("/sessions/%s/plans/%d/decision", session, p.Version),
		map[string]any{"verdict": verdict, "sha256": p.SHA256, "note": note})
}
