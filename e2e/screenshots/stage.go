package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"countersign/e2e/rig"
	"countersign/internal/agent/llm/fakeopenai"
)

// patience bounds how long is waited for what should come at once.
const patience = 60 * time.Second

const ownerToken = "the-token-of-the-storys-owner"

// stage is a server with a scripted model, and the people of a story. It
// stands in for a test where the model's server wants one: what fails ends the
// story. The embedded interface is nil; only the methods below are called.
type stage struct {
	testing.TB
	ctx      context.Context
	story    story
	tools    tools
	model    *fakeopenai.Server
	base     string // http://127.0.0.1:PORT
	link     string // signs the owner in
	tokens   map[string]string
	sessions map[string]string // ids by name
	cleanups []func()
}

// failure ends a story.
type failure struct{ error }

func (s *stage) Helper()          {}
func (s *stage) Cleanup(f func()) { s.cleanups = append(s.cleanups, f) }

// Errorf only tells: it is called by the model's server, beside the story.
func (s *stage) Errorf(format string, args ...any) { fmt.Printf(format+"\n", args...) }

func (s *stage) Fatalf(format string, args ...any) { panic(failure{fmt.Errorf(format, args...)}) }

// close takes everything down and turns what ended the story into its error.
func (s *stage) close(err *error) {
	if p := recover(); p != nil {
		f, ok := p.(failure)
		if !ok {
			panic(p)
		}
		*err = f.error
	}
	for _, f := range slices.Backward(s.cleanups) {
		f()
	}
}

func (s *stage) try(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// open starts the server on the story's workspaces.
func (s *stage) open() {
	s.tokens, s.sessions = map[string]string{s.story.owner: ownerToken}, map[string]string{}
	s.model = fakeopenai.New(s)
	home := filepath.Join(s.tools.dir, s.story.language)
	args := []string{"--addr", "127.0.0.1:0", "--data", filepath.Join(home, "data"), "--token", ownerToken, "--no-open", "--model", "openai:" + modelName}
	for _, name := range workspaces {
		s.try(furnish(name, s.workspace(name)))
		args = append(args, "--workspace", s.workspace(name))
	}
	s.try(os.WriteFile(filepath.Join(s.workspace("billing"), "billing.md"), []byte(s.story.oldGuide), 0o644))
	cmd := exec.CommandContext(s.ctx, s.tools.binary, args...)
	cmd.Dir = home
	cmd.Env = append(rig.Environment(), "USER="+s.story.owner, "OPENAI_API_KEY=none", "OPENAI_BASE_URL="+s.model.URL)
	var log bytes.Buffer
	cmd.Stderr = &log
	out, err := cmd.StdoutPipe()
	s.try(err)
	s.try(cmd.Start())
	var reading chan struct{}
	s.Cleanup(func() {
		_ = cmd.Process.Kill()
		if reading != nil {
			<-reading
		}
		_ = cmd.Wait()
	})
	if s.base, s.link = rig.Listening(out); s.link == "" {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		s.Fatalf("the server did not say where it listens:\n%s", log.String())
	}
	reading = make(chan struct{})
	go func() { // ends with the process
		defer close(reading)
		_, _ = io.Copy(io.Discard, out)
	}()
}

func (s *stage) workspace(name string) string {
	return filepath.Join(s.tools.dir, s.story.language, "src", name)
}

// as calls the JSON API as somebody of the story.
func (s *stage) as(who, method, path string, body any) map[string]any {
	data, err := json.Marshal(body)
	s.try(err)
	ctx, cancel := context.WithTimeout(s.ctx, patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, s.base+"/api/v1"+path, bytes.NewReader(data))
	s.try(err)
	req.Header.Set("Authorization", "Bearer "+s.tokens[who])
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	} else {
		req.Body, req.ContentLength = http.NoBody, 0
	}
	res, err := http.DefaultClient.Do(req)
	s.try(err)
	defer res.Body.Close()
	data, err = io.ReadAll(res.Body)
	s.try(err)
	if res.StatusCode >= http.StatusMultipleChoices {
		s.Fatalf("%s: %s %s: %s\n%s", who, method, path, res.Status, data)
	}
	var answer map[string]any
	s.try(json.Unmarshal(data, &answer))
	return answer
}

// until polls until ok says yes: what it waits for happens in another process.
func (s *stage) until(what string, ok func() bool) {
	tick := time.NewTicker(30 * time.Millisecond)
	defer tick.Stop()
	for late := time.After(patience); !ok(); {
		select {
		case <-tick.C:
		case <-late:
			s.Fatalf("waited in vain for %s", what)
		case <-s.ctx.Done():
			s.try(s.ctx.Err())
		}
	}
}

// becomes waits until a session has a status, and returns it.
func (s *stage) becomes(session, status string) (answer map[string]any) {
	s.until(session+" to be "+status, func() bool {
		answer = s.as(s.story.owner, "GET", "/sessions/"+s.sessions[session], nil)
		return answer["status"] == status
	})
	return answer
}
