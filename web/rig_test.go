package web

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/db"
	"countersign/internal/fault"
	"countersign/internal/planning"
	"countersign/internal/review"

	"go.uber.org/goleak"
)

// The clock of the lexers' regular expressions ends by itself, some time after
// the last of them has run.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/dlclark/regexp2/v2.runClock"))
}

// rig is the whole web over a real database, behind a real HTTP server.
type rig struct {
	t      testing.TB
	db     *db.DB
	hub    *Hub
	web    *Web
	srv    *httptest.Server
	client *http.Client // keeps no cookies and follows no redirects
	config Config
	owner  review.Person
	token  string // the owner's
	log    *syncBuffer
	path   string // of the database
}

func newRig(t testing.TB, change ...func(*Config)) *rig {
	t.Helper()
	return newRigAt(t, t.TempDir(), change...)
}

// newRigAt has its database in a folder.
func newRigAt(t testing.TB, dir string, change ...func(*Config)) *rig {
	t.Helper()
	ctx := context.Background()
	r := &rig{t: t, token: "owner-token", log: &syncBuffer{}, path: filepath.Join(dir, "test.db")}
	r.config = Config{
		Version: "test", Workspaces: []string{t.TempDir()}, Model: "builtin", Approvals: 1,
		CheckModel: func(name string) error {
			if name != "builtin" {
				return fault.New(fault.Invalid, "There is no model %q.", name).At("model")
			}
			return nil
		},
	}
	for _, f := range change {
		f(&r.config)
	}
	logger := slog.New(slog.NewTextHandler(r.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	var err error
	if r.db, err = db.Open(ctx, db.Options{Path: r.path, Log: logger}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.check(r.db.Close()) })
	r.hub = NewHub(r.db, nil, logger)
	r.db.SetOnCommit(r.hub.Publish)
	r.db.SetOnDamage(r.hub.Damaged)
	r.web = New(r.config, r.db, r.hub, logger)
	r.srv = httptest.NewUnstartedServer(nil)
	r.srv.Config = r.web.HTTP()
	r.srv.Start()
	r.client = &http.Client{
		Transport:     &http.Transport{},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	t.Cleanup(func() {
		r.client.CloseIdleConnections()
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		r.check(r.web.Shutdown(ctx))
		r.srv.Close()
	})
	r.owner, err = r.db.AddPerson(ctx, "Olivia", review.RoleOwner)
	r.must(err)
	r.must(r.db.SetServerToken(ctx, HashSecret(r.token), r.owner.ID))
	return r
}

func (r *rig) check(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Error(err)
	}
}

func (r *rig) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

// person makes somebody who signs in with this token.
func (r *rig) person(name string, role review.Role, token string) review.Person {
	r.t.Helper()
	p, err := r.db.AddPerson(context.Background(), name, role)
	r.must(err)
	_, err = r.db.AddToken(context.Background(), HashSecret(token), review.Token{Person: p.ID, Role: role})
	r.must(err)
	return p
}

// cookie signs a person in and returns the header that their browser sends.
func (r *rig) cookie(p review.Person) string {
	r.t.Helper()
	secret := newSecret()
	r.must(r.db.AddSignIn(context.Background(), HashSecret(secret), review.SignIn{Person: p.ID, UsedAt: time.Now(), Expires: time.Now().Add(time.Hour)}))
	return cookieName + "=" + secret
}

// header changes a request before it is sent: "Name: value", or "Name:" to
// take it out. "Host" works as well.
type header string

// do sends a request. A body goes as JSON unless a header says otherwise.
func (r *rig) do(method, path string, body io.Reader, headers ...header) answer {
	r.t.Helper()
	req, err := http.NewRequest(method, r.srv.URL+path, body)
	r.must(err)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(string(h), ":")
		value = strings.TrimSpace(value)
		switch {
		case name == "Host":
			req.Host = value
		case value == "":
			req.Header.Del(name)
		default:
			req.Header.Set(name, value)
		}
	}
	res, err := r.client.Do(req)
	r.must(err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	r.must(err)
	return answer{t: r.t, what: method + " " + path, Response: res, body: string(text)}
}

func (r *rig) bearer() header { return header("Authorization: Bearer " + r.token) }

func as(token string) header { return header("Authorization: Bearer " + token) }

// api calls the API as the owner.
func (r *rig) api(method, path string, body any, headers ...header) answer {
	r.t.Helper()
	var reader io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		r.must(err)
		reader = bytes.NewReader(data)
	}
	return r.do(method, apiPrefix+path, reader, append([]header{r.bearer()}, headers...)...)
}

// form posts a form as a browser on one of our own pages does.
func (r *rig) form(path string, values url.Values, headers ...header) answer {
	r.t.Helper()
	return r.do(http.MethodPost, path, strings.NewReader(values.Encode()), append([]header{
		"Content-Type: application/x-www-form-urlencoded", header("Origin: " + r.srv.URL),
	}, headers...)...)
}

// answer is a response that has been read.
type answer struct {
	t    testing.TB
	what string
	*http.Response
	body string
}

// is checks the status.
func (a answer) is(status int) answer {
	a.t.Helper()
	if a.StatusCode != status {
		a.t.Fatalf("%s: status %d, want %d\n%s", a.what, a.StatusCode, status, a.body)
	}
	return a
}

// says checks that the body has a text.
func (a answer) says(text string) answer {
	a.t.Helper()
	if !strings.Contains(a.body, text) {
		a.t.Fatalf("%s: %q is not in the answer:\n%s", a.what, text, a.body)
	}
	return a
}

// fails checks status, code and field of an error in JSON and returns its
// sentence.
func (a answer) fails(status int, code fault.Code, field string) string {
	a.t.Helper()
	a.is(status)
	e := read[errorBody](a).Error
	if e.Code != code || e.Field != field || e.Message == "" {
		a.t.Fatalf("%s: error %+v, want %s on %q", a.what, e, code, field)
	}
	return e.Message
}

// read decodes an answer.
func read[T any](a answer) T {
	a.t.Helper()
	var v T
	if err := json.Unmarshal([]byte(a.body), &v); err != nil {
		a.t.Fatalf("%s: %v in %s", a.what, err, a.body)
	}
	return v
}

// begin starts a session through the API and returns its id.
func (r *rig) begin() string {
	r.t.Helper()
	return read[sessionView](r.api("POST", "/sessions", createBody{Task: "Rename Alpha to Beta"}).is(201)).ID
}

var agentActor = planning.Actor{Kind: planning.ActorAgent, ID: "agent", Name: "Agent"}

// agent records what the agent of a session does.
func (r *rig) agent(session string, payloads ...planning.Payload) planning.State {
	r.t.Helper()
	st, err := planning.Decide(context.Background(), r.db, session, func(planning.State) ([]planning.Event, error) {
		events := make([]planning.Event, len(payloads))
		for i, p := range payloads {
			events[i] = planning.Event{Actor: agentActor, Payload: p}
		}
		return events, nil
	})
	r.must(err)
	return st
}

const samplePlan = `# Rename Alpha

Some words before.

## Step 1: Look

Read a.go.

## Step 2: Change

Edit a.go.

## Step 3: Check

Run the tests.
`

// submit lets the agent of a session submit a plan, and returns it.
func (r *rig) submit(session, markdown string) planning.Plan {
	r.t.Helper()
	st, err := r.db.State(context.Background(), session)
	r.must(err)
	submitted, err := planning.NewVersion(st, markdown, planning.Scope{Files: []string{"a.go"}, Commands: []string{"go test ./..."}})
	r.must(err)
	submitted.Call = newSecret()
	st = r.agent(session,
		planning.ModelMessage{Calls: []planning.ToolCall{{ID: submitted.Call, Name: "submit_plan", Arguments: "{}"}}, Seen: st.Seq},
		submitted, planning.RunParked{Wait: planning.WaitReview})
	p, _ := st.Plan()
	return p
}

// syncBuffer is a log that a test can read while it is written.
type syncBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}
