package webhook_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"countersign/internal/db"
	"countersign/internal/planning"
	"countersign/internal/webhook"
)

// TestMain names a proxy that isn't there: what goes to it fails. The standard
// library reads these once.
func TestMain(m *testing.M) {
	for name, value := range map[string]string{"HTTP_PROXY": "http://127.0.0.1:1", "http_proxy": "", "NO_PROXY": "", "no_proxy": ""} {
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	goleak.VerifyTestMain(m)
}

const secret = "a secret of the tests"

// letter is one request that a target got.
type letter struct {
	http.Header
	body    []byte
	message webhook.Message
}

// sent is when the letter was signed, by the sender's clock, in seconds.
func (l letter) sent(t *testing.T) int64 {
	t.Helper()
	at, _, _ := strings.Cut(strings.TrimPrefix(l.Get("Countersign-Signature"), "t="), ",")
	n, err := strconv.ParseInt(at, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// site is a target: a real server that keeps what it gets. It stands outside
// the bubble of a test with a clock of its own, so that waiting for requests
// does not hold that clock.
type site struct {
	*httptest.Server
	mu      sync.Mutex
	letters []letter
	answer  http.HandlerFunc
}

// newSite answers with 204 until it is told otherwise.
func newSite(t *testing.T) *site {
	s := &site{}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

func (s *site) serve(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	l := letter{Header: r.Header, body: body}
	_ = json.Unmarshal(body, &l.message)
	s.mu.Lock()
	s.letters = append(s.letters, l)
	answer := s.answer
	s.mu.Unlock()
	if answer == nil {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	answer(w, r)
}

func (s *site) answers(f http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = f
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

// got returns what has come since the last call.
func (s *site) got() []letter {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.letters
	s.letters = nil
	return all
}

func ids(letters []letter) string {
	var list []string
	for _, l := range letters {
		list = append(list, l.message.ID)
	}
	return strings.Join(list, " ")
}

// target hears of everything.
func (s *site) target() webhook.Target {
	return webhook.Target{URL: s.URL, Secret: secret, Events: webhook.All(), Format: webhook.JSON, AllowPrivate: true}
}

func openAt(t *testing.T, path string) *db.DB {
	t.Helper()
	store, err := db.Open(context.Background(), db.Options{Path: path, Log: slog.New(slog.NewTextHandler(t.Output(), nil))})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return store
}

func newDB(t *testing.T) *db.DB { return openAt(t, filepath.Join(t.TempDir(), "countersign.db")) }

// journal keeps what is logged.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// begin starts to send what the database records.
func begin(t *testing.T, store *db.DB, targets ...webhook.Target) (*webhook.Sender, *journal) {
	t.Helper()
	log := &journal{}
	return beginWith(t, store, io.MultiWriter(log, t.Output()), targets...), log
}

func beginWith(t *testing.T, store *db.DB, log io.Writer, targets ...webhook.Target) *webhook.Sender {
	t.Helper()
	s, err := webhook.Start(context.Background(), webhook.Config{Targets: targets, Base: "https://plans.example", Limit: timeLimit}, store, slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	store.SetOnCommit(func(_ planning.State, records []planning.Record) { s.Notice(records) })
	return s
}

// timeLimit is for answers. Where the clock is a test's own, it does not run
// while an answer is waited for.
const timeLimit = 100 * time.Millisecond

var (
	agent = planning.Actor{Kind: planning.ActorAgent, ID: "agent", Name: "Agent"}
	ada   = planning.Actor{Kind: planning.ActorPerson, ID: "ada", Name: "Ada"}
)

func by(a planning.Actor, p planning.Payload) planning.Event {
	return planning.Event{Actor: a, Payload: p}
}

// private is text that no message may carry.
const private = "nobody else may read this"

func created(title string) planning.Event {
	return by(ada, planning.SessionCreated{Title: title, Workspace: "/w", Model: "builtin", Mode: planning.ModePlan, Approvals: 1})
}

func submitted(version int) planning.Event {
	return by(agent, planning.PlanSubmitted{Version: version, Title: private, Markdown: private, SHA256: "submitted" + strconv.Itoa(version)})
}

func decided(version int, v planning.Verdict) planning.Event {
	return by(ada, planning.ReviewDecided{Version: version, SHA256: "decided" + strconv.Itoa(version), Verdict: v, Note: private, Result: private})
}

// record appends to a session, which is made if there is none.
func record(t *testing.T, store *db.DB, session string, events ...planning.Event) {
	t.Helper()
	var seq int64
	if s, err := store.State(context.Background(), session); err == nil {
		seq = s.Seq
	} else {
		events = append([]planning.Event{created("Rename " + session)}, events...)
	}
	if _, err := store.Append(context.Background(), session, seq, events...); err != nil {
		t.Fatal(err)
	}
}

// progress reads what is kept of a target.
func progress(t *testing.T, store *db.DB, target webhook.Target) webhook.Progress {
	t.Helper()
	all, err := store.Targets(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		if p.Target == target.ID() {
			return p
		}
	}
	t.Fatal("nothing is kept of the target")
	return webhook.Progress{}
}
