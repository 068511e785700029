package web

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"countersign/internal/fault"
	"countersign/internal/planning"
)

func TestAPI_CreateSession(t *testing.T) {
	r := newRig(t)
	a := r.api("POST", "/sessions", createBody{Task: "Rename Alpha to Beta\nin all files", Approvals: 2}).is(201)
	got := read[sessionView](a)
	if got.Status != planning.StatusPlanning || got.Mode != planning.ModePlan || got.Title != "Rename Alpha to Beta" ||
		got.Model != "builtin" || got.Approvals != 2 || got.Seq != 2 || got.Plan != nil || got.Todos == nil || got.CreatedBy.Name != "Olivia" {
		t.Errorf("got %+v", got)
	}
	for _, part := range []string{`"plan":null`, `"goal":null`, `"questions":[]`, `"permissions":[]`, `"todos":[]`, `"subagents":[]`, `"instructions":[]`, `"usage":{`} {
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
