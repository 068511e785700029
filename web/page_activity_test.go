package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"countersign/internal/planning"
	"countersign/internal/review"
	"countersign/web/lang"
)

func TestActivity_ResultsStandUnderTheirCalls(t *testing.T) {
	r := newRig(t)
	id := r.begin()
	long := strings.Repeat("line\n", 30)
	r.agent(id,
		planning.ModelMessage{Text: "Looking.", Calls: []planning.ToolCall{{ID: "c1", Name: "shell"}, {ID: "c2", Name: "write_file"}}},
		planning.ToolStarted{Call: "c1", Name: "shell", Summary: "go test ./..."},
		planning.FileChanged{Call: "c1", Path: "x.go", Added: 3, Removed: 1},
		planning.ToolFinished{Call: "c1", Name: "shell", Outcome: planning.OutcomeOK, Summary: "exit 0", Output: long},
		planning.ToolFinished{Call: "c2", Name: "write_file", Outcome: planning.OutcomeDenied, Output: "Not one of the files."})
	b := r.browse(r.owner).open("/sessions/" + id + "/activity")
	b.sees(`[data-call="c1"]`, "go test ./...", "exit 0", "x.go", "+3", "−1", "not in the plan").sees(`[data-call="c1"] details summary`, "26 more lines")
	b.sees("#feed .deny", "refused: Not one of the files.")
	// The socket sends the same lines.
	records, err := r.db.Records(context.Background(), id, 0, 100)
	r.must(err)
	for _, record := range records {
		line, err := ActivityLine(lang.English, record)
		r.must(err)
		if record.Kind == planning.KindToolFinished && !strings.Contains(line, `data-part-of="c`) {
			t.Errorf("a result does not say what it is of: %s", line)
		}
		if line != "" && !strings.Contains(line, fmt.Sprintf(`data-seq="%d"`, record.Seq)) {
			t.Errorf("record %d does not say its seq: %s", record.Seq, line)
		}
	}
}

func TestActivity_PagesBackAndFollowsOn(t *testing.T) {
	r := newRig(t)
	id := r.begin()
	var many []planning.Payload
	for i := range 450 {
		many = append(many, planning.ModelMessage{Text: fmt.Sprintf("message %d", i)})
	}
	r.agent(id, many...)
	b := r.browse(r.owner).open("/sessions/" + id + "/activity")
	seen := 0
	for {
		n := b.doc.Find("#feed > li").Length()
		seen += n
		if n == 0 || n > activityMost {
			t.Fatalf("%d lines on a page", n)
		}
		older, ok := b.doc.Find(`a.older[href*="before="]`).Attr("href")
		if !ok {
			break
		}
		b.open(older).lacks("#say").sees(`a.older[href$="/activity"]`)
	}
	if seen != 452 {
		t.Errorf("%d lines in all, want 452", seen)
	}
	b.open("/sessions/" + id + "/activity?after=450")
	if n := b.doc.Find("#feed > li").Length(); n != 2 {
		t.Errorf("%d lines after 450, want 2", n)
	}
	b.open("/sessions/" + id + "/activity?after=452").sees("#say")
	if n := b.doc.Find("#feed > li").Length(); n != 0 {
		t.Errorf("%d lines after the last", n)
	}
}

func TestActivity_MessagesPauseAndPermission(t *testing.T) {
	r := newRig(t)
	id := r.begin()
	b := r.browse(r.owner).open("/sessions/" + id + "/activity")
	b.submit("#say", "text", "/fly away")
	if b.status != http.StatusUnprocessableEntity {
		t.Fatalf("status %d", b.status)
	}
	b.sees("#say-problem", "no command /fly").sees("#say textarea", "/fly away")
	b.submit("#say", "text", "/help").sees("#commands[open]", "/plan TASK", "/plan off", "/help")
	b.sees(`#commands dt[data-insert="/plan "]`, "/plan TASK").sees(`#commands dt[data-insert="/plan off"]`).
		sees(`#commands dt[data-insert="/goal "] + dd`, "Set a goal").sees(`#commands dt[data-insert="/compact"]`)
	if st := b.state(id); st.Seq != 2 {
		t.Errorf("/help is an event: the log is at %d", st.Seq)
	}
	b.submit("#say", "text", "Look at a.go\nfirst").sees("#feed .person", "Look at a.go")
	b.submit(`form[action$="/pause"]`).sees("#state-calm", "Paused by Olivia.").sees("#mode", "Paused")
	b.submit(`#asks form[action$="/resume"]`).lacks("#state-calm")

	r.agent(id, planning.ModelMessage{Calls: []planning.ToolCall{{ID: "c", Name: "write_file"}}},
		planning.PermissionAsked{ID: "p1", Call: "c", Tool: "write_file", Reason: "Not in the plan.", Paths: []string{"bot/help.go"}, Detail: "@@ -1 +1 @@\n-old\n+new\n"},
		planning.RunParked{Wait: planning.WaitPermission})
	b.open("/sessions/"+id+"/activity").sees("#ask-p1", "bot/help.go", "Not in the plan.", "old", "new")
	r.browse(r.person("Bo", review.RoleReviewer, "bo")).open("/sessions/" + id + "/activity").lacks("#ask-p1 form")
	b.submit("#refuse-p1 form", "reason", "Use the other file.", "answer", "refuse").lacks("#ask-p1").sees("#feed .deny", "Olivia refused", "Use the other file.")
	if p, _ := b.state(id).Permission("p1"); p.Answer != planning.AnswerRefuse || p.Reply != "Use the other file." {
		t.Errorf("stored %+v", p)
	}
}

func TestChanges_R11_DiffByFile(t *testing.T) {
	r := newRig(t)
	id := r.begin()
	r.agent(id, planning.TodoWritten{Items: []planning.Todo{{ID: "s1", Text: "The step", Status: planning.TodoInProgress}}},
		planning.FileChanged{Call: "c", Path: "a.go", Existed: true, Exists: true, Before: "one\ntwo\n", After: "one\nTWO\n", InPlan: true, Todo: "s1"},
		planning.FileChanged{Call: "c", Path: "b<i>.go", Exists: true, After: "x"})
	b := r.browse(r.owner).open("/sessions/"+id+"/changes").sees("main header", "2 files changed", "1 file outside the plan")
	one, two := "details.file:nth-of-type(1)", "details.file:nth-of-type(2)"
	b.sees(one+" summary", "a.go", "+1", "−1", "in the plan", "The step").sees(one+" tr.r", "two").sees(one+" tr.a", "TWO")
	b.sees(two+" summary", "b<i>.go", "new", "not in the plan").sees(two, "no line end")
	r.browse(r.owner).open("/sessions/"+r.begin()+"/changes").sees(".empty", "Nothing has changed")
}

func TestHistory_R10_WhoDidWhatToWhichHash(t *testing.T) {
	b, id, p := inReview(t)
	b.submit("#approve").open("/sessions/"+id+"/history").sees("#log", "Olivia approved v1", "Agent submitted plan v1", "Olivia started the session")
	b.sees(`#log .hash[title="` + p.SHA256 + `"]`)
	a := b.do(http.MethodGet, "/sessions/"+id+"/export?format=json", nil, b.cookie).is(http.StatusOK)
	if !json.Valid([]byte(a.body)) || !strings.Contains(a.Header.Get("Content-Disposition"), "attachment") {
		t.Errorf("%q: %.80s", a.Header.Get("Content-Disposition"), a.body)
	}
	for _, query := range []string{"", "?format=md", "?format=markdown"} {
		a = b.do(http.MethodGet, "/sessions/"+id+"/export"+query, nil, b.cookie).is(http.StatusOK).says(p.SHA256)
		if name := a.Header.Get("Content-Disposition"); !strings.HasSuffix(name, `.md"`) || !strings.HasPrefix(a.Header.Get("Content-Type"), "text/markdown") {
			t.Errorf("%q: %s, %s", query, name, a.Header.Get("Content-Type"))
		}
	}
	b.load("/sessions/" + id + "/export?format=exe")
	if b.status != http.StatusUnprocessableEntity {
		t.Errorf("status %d", b.status)
	}
}

func TestHistory_LongSilenceEndsThePageEarly(t *testing.T) {
	r := newRig(t)
	id := r.begin()
	for range 12 {
		var many []planning.Payload
		for range historyWindow {
			many = append(many, planning.ToolStarted{Call: "c", Name: "grep"})
		}
		r.agent(id, many...)
	}
	b := r.browse(r.owner).open("/sessions/" + id + "/history")
	if n := b.doc.Find("#log li").Length(); n != 0 {
		t.Errorf("%d entries", n)
	}
	older, _ := b.doc.Find("a.older").Attr("href")
	b.open(older).sees("#log", "Olivia started the session").lacks("a.older")
}
