package web

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"countersign/internal/agent"
	"countersign/internal/planning"
)

// tricky is what a terminal or an editor follows instead of showing it: a C1
// control sequence, a text turned around, an isolate without an end, a delete.
const tricky = "\u009b31m red \u202e denrut \u2066 apart \u200f right \u061c mark \x7f gone \x1b]8;;x"

// obeyed is the first character in a text that would be followed.
func obeyed(text string) (rune, bool) {
	i := strings.IndexFunc(text, func(r rune) bool {
		return unicode.IsControl(r) && !strings.ContainsRune("\n\r\t", r) || unicode.Is(unicode.Bidi_Control, r)
	})
	if i < 0 {
		return 0, false
	}
	return []rune(text[i:])[0], true
}

// trickySession has such a text wherever people, the model and tools can put
// one, and returns its id and the seq of a tool's result.
func (r *rig) trickySession() (id string, result int64) {
	r.t.Helper()
	id = read[sessionView](r.api("POST", "/sessions", createBody{Task: tricky, Title: tricky}).is(201)).ID
	r.submit(id, "# T "+tricky+"\n\n## Step 1: "+tricky+"\n\n"+tricky+"\n")
	thread := read[threadView](r.api("POST", "/sessions/"+id+"/plans/1/threads", threadBody{Body: tricky, Quote: tricky}).is(201)).ID
	r.api("POST", "/threads/"+thread+"/replies", replyBody{Body: tricky}).is(201)
	r.api("POST", "/sessions/"+id+"/goal", goalBody{Op: planning.GoalCreate, Objective: tricky}).is(200)
	st := r.agent(id,
		planning.ModelMessage{Text: tricky, Calls: []planning.ToolCall{{ID: "c", Name: "shell", Arguments: `{"command":"x"}`}}, Seen: 2},
		planning.ToolFinished{Call: "c", Output: tricky})
	return id, st.Seq
}

// TestExport_R10_NothingIsObeyed: no file to keep, no answer of the API and no
// live message holds a character that a terminal would follow, and JSON means
// what was written all the same.
func TestExport_R10_NothingIsObeyed(t *testing.T) {
	r := newRig(t)
	id, _ := r.trickySession()
	n := 0
	r.tableRoutes(func(route, method, path string) {
		if method != http.MethodGet || !strings.HasPrefix(path, apiPrefix) {
			return
		}
		n++
		a := r.do(method, strings.Replace(path, "/plans/1/diff", "/plans/1/diff?from=0", 1), nil, r.bearer())
		if c, found := obeyed(a.body); found || !json.Valid([]byte(a.body)) {
			t.Errorf("%s: %U in it, or no JSON: %s", route, c, a.body)
		}
	})
	if n < 12 {
		t.Errorf("only %d calls", n)
	}
	session := "/sessions/" + id
	for _, path := range []string{
		session, session + "/events", session + "/plans", session + "/plans/1", session + "/plans/1/feedback", session + "/plans/1/diff?from=0",
	} {
		if c, found := obeyed(r.api("GET", path, nil).is(200).body); found {
			t.Errorf("%s: %U in it", path, c)
		}
	}
	if got := read[sessionView](r.api("GET", session, nil)); got.Title != tricky {
		t.Errorf("the title is %q", got.Title)
	}
	again := header(idempotencyKey + ": k")
	for range 2 {
		a := r.api("POST", session+"/messages", messageBody{Text: tricky}, again).is(200)
		if c, found := obeyed(a.body); found {
			t.Errorf("%s: %U in it", a.what, c)
		}
	}
	refused := r.api("POST", session+"/messages", map[string]any{tricky: ""}).is(422)
	if c, found := obeyed(refused.body); found {
		t.Errorf("a refusal: %U in it", c)
	}
}

// TestExport_R10_FilesObeyNothing is the same for the files to keep.
func TestExport_R10_FilesObeyNothing(t *testing.T) {
	r := newRig(t)
	id, result := r.trickySession()
	cookie := header("Cookie: " + r.cookie(r.owner))
	for _, path := range []string{"export?format=json", "export?format=markdown", "results/" + strconv.FormatInt(result, 10)} {
		a := r.do("GET", "/sessions/"+id+"/"+path, nil, cookie).is(200)
		if c, found := obeyed(a.body); found {
			t.Errorf("%s: %U in it", path, c)
		}
	}
	exported := read[struct {
		Session struct{ Title string }
		Threads []planning.Thread
		Goal    planning.Goal
	}](r.do("GET", "/sessions/"+id+"/export?format=json", nil, cookie))
	if exported.Session.Title != tricky || exported.Threads[0].Comments[0].Body != tricky || exported.Goal.Objective != tricky {
		t.Errorf("the file means something else: %+v", exported)
	}
}

// TestFeed_S5_NothingIsObeyed is the same for the live feed.
func TestFeed_S5_NothingIsObeyed(t *testing.T) {
	r := newRig(t)
	id, _ := r.trickySession()
	conn := r.watch(url.Values{"session": {id}, "format": {"json"}, "after": {"0"}}.Encode())
	st := r.state(id)
	for seq := int64(0); seq < st.Seq; {
		var f struct{ Seq int64 }
		_, data, err := conn.ReadMessage()
		r.must(err)
		if c, found := obeyed(string(data)); found || json.Unmarshal(data, &f) != nil {
			t.Fatalf("%U in %s", c, data)
		}
		if strings.Contains(string(data), `"event"`) {
			seq = f.Seq
		}
	}
	r.hub.Frame(id, agent.Frame{Type: "delta", Text: tricky})
	_, data, err := conn.ReadMessage()
	r.must(err)
	var f agent.Frame
	if c, found := obeyed(string(data)); found || json.Unmarshal(data, &f) != nil || f.Text != tricky {
		t.Errorf("%U in %s", c, data)
	}
}
