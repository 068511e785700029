package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// invite lets somebody join as a browser does, and makes them a token.
func (s *stage) invite(name, role string) {
	link, err := url.Parse(s.as(s.story.owner, "POST", "/invitations", object{"role": role})["link"].(string))
	s.try(err)
	jar, err := cookiejar.New(nil)
	s.try(err)
	browser := &http.Client{Jar: jar, Timeout: patience}
	defer browser.CloseIdleConnections()
	form := url.Values{"link": {link.Query().Get("link")}, "name": {name}}
	s.send(browser, "/join", "application/x-www-form-urlencoded", []byte(form.Encode()), nil)
	var made struct{ Token string }
	s.send(browser, "/api/v1/people/me/tokens", "application/json", []byte(`{"name":"story","role":"`+role+`"}`), &made)
	s.tokens[name] = made.Token
}

func (s *stage) send(browser *http.Client, path, kind string, body []byte, answer any) {
	req, err := http.NewRequestWithContext(s.ctx, http.MethodPost, s.base+path, bytes.NewReader(body))
	s.try(err)
	req.Header.Set("Content-Type", kind)
	req.Header.Set("Origin", s.base)
	res, err := browser.Do(req)
	s.try(err)
	defer res.Body.Close()
	if res.StatusCode >= http.StatusBadRequest {
		s.Fatalf("POST %s: %s", path, res.Status)
	}
	if answer != nil {
		s.try(json.NewDecoder(res.Body).Decode(answer))
	}
}

// looksAt has somebody look at a step of a session until the story ends.
func (s *stage) looksAt(who, session, step string, typing bool) {
	header := http.Header{"Authorization": {"Bearer " + s.tokens[who]}}
	conn, _, err := websocket.DefaultDialer.DialContext(s.ctx, "ws"+strings.TrimPrefix(s.base, "http")+"/ws?format=json&session="+s.sessions[session], header)
	s.try(err)
	say := func() error {
		return conn.WriteMessage(websocket.TextMessage, fmt.Appendf(nil, `{"type":"here","step":%q,"typing":%t}`, step, typing))
	}
	s.try(say())
	var talking sync.WaitGroup
	done := make(chan struct{})
	talking.Go(func() { // answers pings; ends with the connection
		for {
			if _, _, err := conn.ReadMessage(); err != nil {
				return
			}
		}
	})
	talking.Go(func() { // typing is forgotten after a few seconds
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				_ = say()
			case <-done:
				return
			}
		}
	})
	s.Cleanup(func() {
		close(done)
		_ = conn.Close()
		talking.Wait()
	})
}
