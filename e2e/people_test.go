package e2e

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"testing"
)

// member is somebody whom the owner invited, who works through the API with a
// token of their own.
type member struct {
	s     *server
	token string
}

// member invites somebody with this role; they join as a browser does, and make
// themselves a token.
func (s *server) member(name, role string) member {
	s.t.Helper()
	var invitation struct{ Link string }
	convert(s.t, s.must(http.StatusCreated, "POST", "/invitations", object{"role": role}), &invitation)
	link, err := url.Parse(invitation.Link)
	if err != nil {
		s.t.Fatal(err)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		s.t.Fatal(err)
	}
	browser := &http.Client{Jar: jar}
	defer browser.CloseIdleConnections()
	send := func(path, kind string, body []byte) *http.Response {
		req, err := http.NewRequest(http.MethodPost, s.base+path, bytes.NewReader(body))
		if err != nil {
			s.t.Fatal(err)
		}
		req.Header.Set("Content-Type", kind)
		req.Header.Set("Origin", s.base)
		res, err := browser.Do(req)
		if err != nil {
			s.t.Fatal(err)
		}
		s.t.Cleanup(func() { _ = res.Body.Close() })
		return res
	}
	joining := url.Values{"link": {link.Query().Get("link")}, "name": {name}}
	if res := send("/join", "application/x-www-form-urlencoded", []byte(joining.Encode())); res.StatusCode != http.StatusOK {
		s.t.Fatalf("%s can't join: %d", name, res.StatusCode)
	}
	res := send("/api/v1/people/me/tokens", "application/json", []byte(`{"name":"test","role":"`+role+`"}`))
	var made struct{ Token string }
	if err := json.NewDecoder(res.Body).Decode(&made); err != nil || made.Token == "" {
		s.t.Fatalf("%s gets no token: %d, %v", name, res.StatusCode, err)
	}
	return member{s, made.Token}
}

// must calls the API and fails the test unless it answers with this status.
func (m member) must(want int, method, path string, body any) map[string]any {
	m.s.t.Helper()
	status, answer := m.s.apiAs(m.token, method, path, body)
	if status != want {
		m.s.t.Fatalf("%s %s: status %d, want %d: %v", method, path, status, want, answer)
	}
	return answer
}

// names are those of the people in a list of approvals.
func names(t *testing.T, list any) []string {
	t.Helper()
	var approvals []struct{ By struct{ Name string } }
	convert(t, list, &approvals)
	var all []string
	for _, a := range approvals {
		all = append(all, a.By.Name)
	}
	return all
}
