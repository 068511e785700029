package web

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/fault"
	"countersign/internal/planning"
	"countersign/internal/review"

	"github.com/google/go-cmp/cmp"
)

func TestAPI_CreateSession(t *testing.T) {
	r := newRig(t)
	a := r.api("POST", "/sessions", createBody{Task: "Rename Alpha to Beta\nin all files", Approvals: 2}).is(201)
	got := read[sessionView](a)
	if got.Status != planning.StatusPlanning || got.Mode != planning.ModePlan || got.Title != "Rename Alpha to Beta" ||
		got.Model != "builtin" || got.Approvals != 2 || got.Seq != 2 || got.Plan != nil || got.Todos == nil || got.CreatedBy.Name != "Olivia" {
		t.Errorf("got %+v", got)
	}
	for _, part := range []string{`"plan":null`, `"goal":null`, `"questions":[]`, `"permissions":[]`, `"todos":[]`, `"usage":{`} {
		a.says(part)
	}
	if to := a.Header.Get("Location"); to != "/api/v1/sessions/"+got.ID {
		t.Errorf("Location is %q", to)
	}
	list := read[sessionsView](r.api("GET", "/sessions?status=planning", nil).is(200))
	if len(list.Sessions) != 1 || list.Sessions[0].ID != got.ID {
		t.Errorf("the list is %+v", list)
	}
	r.api("GET", "/sessions?status=done", nil).is(200).says(`{"sessions":[]}`)
	r.api("GET", "/sessions?status=nonsense", nil).fails(422, fault.Invalid, "status")
	r.api("GET", "/sessions/nothing", nil).fails(404, fault.NotFound, "")
}

// P1: plan mode is what a session starts in unless a person says otherwise.
func TestAPI_P29_NormalMode(t *testing.T) {
	r := newRig(t)
	got := read[sessionView](r.api("POST", "/sessions", createBody{Task: "x", Mode: "normal"}).is(201))
	if got.Mode != planning.ModeNormal {
		t.Errorf("the mode is %s", got.Mode)
	}
	got = read[sessionView](r.api("POST", "/sessions/"+got.ID+"/messages", messageBody{Text: "/plan the whole thing"}).is(200))
	if got.Mode != planning.ModePlan && got.Queued != planning.ModePlan {
		t.Errorf("/plan leads to %s, %s", got.Mode, got.Queued)
	}
}

func TestAPI_BadSessions(t *testing.T) {
	r := newRig(t)
	root := r.config.Workspaces[0]
	file := filepath.Join(root, "file")
	r.must(os.WriteFile(file, nil, 0o600))
	out := t.TempDir()
	r.must(os.Symlink(out, filepath.Join(root, "way-out")))
	r.must(os.Mkdir(root+"-evil", 0o700))
	tests := []struct {
		name, body string
		status     int
		field      string
		says       string
	}{
		{"no task", `{}`, 422, "task", ""},
		{"empty task", `{"task":" \n "}`, 422, "task", ""},
		{"unknown field", `{"task":"x","yolo":true}`, 422, "yolo", "yolo"},
		{"field in another case", `{"Task":"x"}`, 422, "Task", ""},
		{"wrong type", `{"task":7}`, 422, "task", "number"},
		{"no object", `["task"]`, 400, "", ""},
		{"null", `null`, 400, "", ""},
		{"broken", `{"task":`, 400, "", ""},
		{"two values", `{"task":"x"}{"task":"y"}`, 400, "", ""},
		{"mode", `{"task":"x","mode":"yolo"}`, 422, "mode", ""},
		{"executing is no mode to start in", `{"task":"x","mode":"executing"}`, 422, "mode", ""},
		{"model", `{"task":"x","model":"nonsense"}`, 422, "model", ""},
		{"approvals", `{"task":"x","approvals":-1}`, 422, "approvals", ""},
		{"workspace by name", `{"task":"x","workspace":"nonsense"}`, 422, "workspace", "whole path"},
		{"workspace outside", `{"task":"x","workspace":"/etc"}`, 422, "workspace", "outside"},
		{"workspace outside, missing", `{"task":"x","workspace":"/nothing/here"}`, 422, "workspace", "outside"},
		{"workspace beside", fmt.Sprintf(`{"task":"x","workspace":"%s-evil"}`, root), 422, "workspace", "outside"},
		{"workspace up", fmt.Sprintf(`{"task":"x","workspace":"%s/../.."}`, root), 422, "workspace", "outside"},
		{"link out", fmt.Sprintf(`{"task":"x","workspace":"%s/way-out"}`, root), 422, "workspace", "outside"},
		{"missing folder", fmt.Sprintf(`{"task":"x","workspace":"%s/missing"}`, root), 422, "workspace", "There is no folder"},
		{"a file", fmt.Sprintf(`{"task":"x","workspace":%q}`, file), 422, "workspace", "is a file"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := r.do("POST", apiPrefix+"/sessions", strings.NewReader(tt.body), r.bearer()).is(tt.status)
			e := read[errorBody](a).Error
			if e.Field != tt.field || !strings.Contains(e.Message, tt.says) || !strings.HasSuffix(e.Message, ".") {
				t.Errorf("got %+v", e)
			}
		})
	}
	r.api("GET", "/sessions", nil).says(`"sessions":[]`)
	sub := filepath.Join(root, "sub")
	r.must(os.Mkdir(sub, 0o700))
	r.must(os.Symlink(sub, filepath.Join(root, "way-in")))
	got := read[sessionView](r.api("POST", "/sessions", createBody{Task: "x", Workspace: root + "/way-in"}).is(201))
	if real, _ := filepath.EvalSymlinks(sub); got.Workspace != real {
		t.Errorf("works in %s", got.Workspace)
	}
}

func TestAPI_EventsInPages(t *testing.T) {
	r := newRig(t)
	id := r.begin()
	for range 30 {
		r.agent(id, many(10)...)
	}
	events := func(query string) []eventView {
		return read[eventsView](r.api("GET", "/sessions/"+id+"/events?"+query, nil).is(200)).Events
	}
	if got := len(events("")); got != eventsLimit {
		t.Errorf("%d events without a limit", got)
	}
	var last int64
	for pages := 0; ; pages++ {
		page := events(fmt.Sprintf("after=%d&limit=37", last))
		for _, e := range page {
			if e.Seq != last+1 {
				t.Fatalf("%d after %d", e.Seq, last)
			}
			last = e.Seq
		}
		if len(page) < 37 {
			break
		}
	}
	if last != 302 {
		t.Errorf("the pages end at %d", last)
	}
	if got := events("after=302"); got == nil || len(got) != 0 {
		t.Errorf("behind the end there is %v", got)
	}
	for _, bad := range []string{"limit=0", "limit=1001", "limit=x"} {
		r.api("GET", "/sessions/"+id+"/events?"+bad, nil).fails(422, fault.Invalid, "limit")
	}
	r.api("GET", "/sessions/"+id+"/events?after=-1", nil).fails(422, fault.Invalid, "after")
	r.api("GET", "/sessions/nothing/events", nil).fails(404, fault.NotFound, "")
}

func many(n int) []planning.Payload {
	list := make([]planning.Payload, n)
	for i := range list {
		list[i] = planning.RunResumed{}
	}
	return list
}

func TestAPI_PauseAndResume(t *testing.T) {
	r := newRig(t)
	path := "/sessions/" + r.begin()
	r.api("POST", path+"/resume", nil).fails(409, fault.Conflict, "")
	if got := read[sessionView](r.api("POST", path+"/pause", nil).is(200)); got.Status != planning.StatusPaused {
		t.Errorf("paused it is %s", got.Status)
	}
	r.api("POST", path+"/pause", map[string]any{}).fails(409, fault.Conflict, "")
	r.api("POST", path+"/pause", map[string]any{"why": 1}).fails(422, fault.Invalid, "why")
	if got := read[sessionView](r.api("POST", path+"/resume", nil).is(200)); got.Status != planning.StatusPlanning {
		t.Errorf("resumed it is %s", got.Status)
	}
}

func TestAPI_Permission(t *testing.T) {
	r := newRig(t)
	id := r.begin()
	path := "/sessions/" + id + "/permissions/"
	r.agent(id, planning.ModelMessage{Calls: []planning.ToolCall{{ID: "c1", Name: "shell"}}},
		planning.PermissionAsked{ID: "p1", Call: "c1", Tool: "shell", Command: "make"}, planning.RunParked{Wait: planning.WaitPermission})
	got := read[sessionView](r.api("GET", "/sessions/"+id, nil))
	if got.Status != planning.StatusWaiting || len(got.Permissions) != 1 || got.Permissions[0].Command != "make" {
		t.Errorf("asked: %+v", got)
	}
	r.api("POST", path+"p1", permissionBody{}).fails(422, fault.Invalid, "answer")
	r.api("POST", path+"p1", permissionBody{Answer: "always"}).fails(422, fault.Invalid, "answer")
	r.api("POST", path+"p2", permissionBody{Answer: planning.AnswerOnce}).fails(404, fault.NotFound, "")
	got = read[sessionView](r.api("POST", path+"p1", permissionBody{Answer: planning.AnswerRefuse, Reason: "not now"}).is(200))
	if len(got.Permissions) != 0 {
		t.Errorf("answered: %+v", got.Permissions)
	}
	a := r.api("POST", path+"p1", permissionBody{Answer: planning.AnswerOnce}).is(409)
	if now := read[errorBody](a).Error.Current; now == nil {
		t.Error("the loser is not told who answered")
	}
}

// What is sent twice under one key acts once.
func TestAPI_IdempotencyKey(t *testing.T) {
	r := newRig(t)
	key := header("Idempotency-Key: k-1")
	first := r.api("POST", "/sessions", createBody{Task: "x"}, key).is(201)
	again := r.api("POST", "/sessions", createBody{Task: "x"}, key).is(201)
	if first.body != again.body || again.Header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("the second answer is %s", again.body)
	}
	r.api("POST", "/sessions", createBody{Task: "y"}, key).fails(409, fault.Conflict, "")
	r.person("Rae", review.RoleReviewer, "other")
	r.do("POST", apiPrefix+"/sessions", strings.NewReader(`{"task":"z"}`), as("other"), key).is(201) // keys are a person's own
	if n := len(read[sessionsView](r.api("GET", "/sessions", nil)).Sessions); n != 2 {
		t.Errorf("%d sessions, want 2", n)
	}
	r.api("POST", "/sessions", createBody{Task: "x"}, header("Idempotency-Key: "+strings.Repeat("k", 201))).fails(422, fault.Invalid, "")
}

// A call that was refused did nothing, so its key is free again.
func TestAPI_IdempotencyKeyOfARefusedCall(t *testing.T) {
	r := newRig(t)
	path := "/sessions/" + r.begin() + "/resume"
	key := header("Idempotency-Key: k-2")
	r.api("POST", path, nil, key).fails(409, fault.Conflict, "")
	r.api("POST", strings.Replace(path, "resume", "pause", 1), nil).is(200)
	r.api("POST", path, nil, key).is(200)
	r.api("POST", path, nil, key).is(200) // the answer from before, not a second resume
}

func TestAPI_IdempotencyKeySentAtOnce(t *testing.T) {
	r := newRig(t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if a := r.api("POST", "/sessions", createBody{Task: "x"}, "Idempotency-Key: k-3"); a.StatusCode != 201 && a.StatusCode != 409 {
				t.Errorf("status %d: %s", a.StatusCode, a.body)
			}
		})
	}
	wg.Wait()
	if n := len(read[sessionsView](r.api("GET", "/sessions", nil)).Sessions); n != 1 {
		t.Errorf("%d sessions", n)
	}
}

func TestAPI_R11_Changes(t *testing.T) {
	r := newRig(t)
	id := r.begin()
	changed := func(path, before, after string, existed, exists, inPlan bool, todo string) planning.FileChanged {
		return planning.FileChanged{Path: path, Before: before, After: after, Existed: existed, Exists: exists, InPlan: inPlan, Todo: todo}
	}
	r.agent(id,
		changed("a.go", "one\ntwo\nthree\n", "one\n2\nthree\n", true, true, true, "s1"),
		changed("a.go", "one\n2\nthree\n", "one\n2\nthree\nfour", true, true, true, "s2"),
		changed("new.go", "", "package x\n", false, true, false, ""),
		changed("gone.go", "package y\n", "", true, false, true, "s2"),
		changed("back.go", "same\n", "other\n", true, true, true, ""),
		changed("back.go", "other\n", "same\n", true, true, true, ""),
		changed("brief.go", "", "x\n", false, true, true, ""),
		changed("brief.go", "x\n", "", true, false, true, ""),
		changed("empty", "", "", false, true, true, ""),
		planning.FileChanged{Path: "pic.png", Existed: true, Exists: true, InPlan: true, Omitted: "It is binary."},
	)
	got := read[changesView](r.api("GET", "/sessions/"+id+"/changes", nil).is(200)).Changes
	want := []Change{
		{Path: "a.go", Existed: true, Exists: true, InPlan: true, Todos: []string{"s1", "s2"}, Added: 2, Removed: 1,
			Unified: "--- a/a.go\n+++ b/a.go\n@@ -1,3 +1,4 @@\n one\n-two\n+2\n three\n+four\n\\ No newline at end of file\n"},
		{Path: "new.go", Exists: true, Todos: []string{}, Added: 1, Unified: "--- /dev/null\n+++ b/new.go\n@@ -0,0 +1 @@\n+package x\n"},
		{Path: "gone.go", Existed: true, InPlan: true, Todos: []string{"s2"}, Removed: 1, Unified: "--- a/gone.go\n+++ /dev/null\n@@ -1 +0,0 @@\n-package y\n"},
		{Path: "empty", Exists: true, InPlan: true, Todos: []string{}},
		{Path: "pic.png", Existed: true, Exists: true, InPlan: true, Todos: []string{}, Omitted: "It is binary."},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	st, err := r.db.State(context.Background(), id)
	r.must(err)
	list, err := changes(context.Background(), r.db, st)
	r.must(err)
	lines := []Line{{' ', 1, 1, "one", false}, {'-', 2, 0, "two", false}, {'+', 0, 2, "2", false}, {' ', 3, 3, "three", false}, {'+', 0, 4, "four", true}}
	if diff := cmp.Diff([]Hunk{{From: 1, To: 1, Lines: lines}}, list[0].Hunks); diff != "" {
		t.Error(diff)
	}
}

func TestMetrics(t *testing.T) {
	r := newRig(t)
	conn := r.watch("")
	readFrame(t, conn)
	r.begin()
	r.api("GET", "/nothing", nil).is(404)
	a := r.do("GET", "/metrics", nil, r.bearer()).is(200)
	for _, line := range []string{
		`countersign_build_info{version="test"} 1`,
		`countersign_http_requests_total{method="GET",status="404"} 1`,
		`countersign_http_requests_total{method="POST",status="201"} 1`,
		`countersign_sessions{status="planning"} 1`,
		`countersign_sessions{status="in_review"} 0`,
		`countersign_watchers 1`,
		`countersign_events_appended_total 2`,
	} {
		a.says(line + "\n")
	}
}

func TestHealth_NeedsTheDatabase(t *testing.T) {
	r := newRig(t)
	r.do("GET", "/healthz", nil).is(200).says("ok")
	r.must(r.db.Close())
	r.do("GET", "/healthz", nil).fails(503, fault.Unavailable, "")
}

func TestHTTP_ServerHasTimeouts(t *testing.T) {
	srv := newRig(t).web.HTTP()
	for name, d := range map[string]time.Duration{
		"ReadHeaderTimeout": srv.ReadHeaderTimeout, "ReadTimeout": srv.ReadTimeout, "WriteTimeout": srv.WriteTimeout, "IdleTimeout": srv.IdleTimeout,
	} {
		if d <= 0 {
			t.Errorf("%s is not set", name)
		}
	}
	if srv.MaxHeaderBytes == 0 || srv.MaxHeaderBytes > http.DefaultMaxHeaderBytes {
		t.Errorf("MaxHeaderBytes is %d", srv.MaxHeaderBytes)
	}
}
