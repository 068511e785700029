package web

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"countersign/internal/fault"
	"countersign/internal/planning"
	"countersign/internal/review"

	"github.com/PuerkitoBio/goquery"
)

func TestBoard_FromTheFirstPageToASession(t *testing.T) {
	r := newRig(t, func(c *Config) { c.Sample = c.Workspaces[0] })
	b := r.browse(r.owner).open("/")
	b.sees("#empty h2", "Nothing waits for you").sees("#notes", "built-in planner").sees("#empty", SampleTask)
	b.submit("#try")
	id := strings.Split(b.at, "/")[2]
	st := b.state(id)
	if st.Task != SampleTask || st.Mode != planning.ModePlan {
		t.Errorf("started %q in %s", st.Task, st.Mode)
	}
	b.sees("#mode", "Plan mode").sees(".empty", "No plan yet").open("/sessions/"+id+"/activity").sees("#feed .person", SampleTask)
	b.open("/").sees("#running .card h3", SampleTask).lacks("#empty")
}

func TestBoard_P1_TheTickChoosesTheMode(t *testing.T) {
	r := newRig(t)
	b := r.browse(r.owner).open("/")
	b.submit("#compose", "task", "Do it", "plan", "")
	if st := b.state(strings.Split(b.at, "/")[2]); st.Mode != planning.ModeNormal {
		t.Errorf("without the tick it starts in %s", st.Mode)
	}
	b.open("/").submit("#compose", "task", "Do it")
	if st := b.state(strings.Split(b.at, "/")[2]); st.Mode != planning.ModePlan {
		t.Errorf("with the tick it starts in %s", st.Mode)
	}
}

func TestBoard_WhatIsWrongStandsBesideTheField(t *testing.T) {
	r := newRig(t)
	b := r.browse(r.owner).open("/").submit("#compose", "task", "  ")
	if b.status != http.StatusUnprocessableEntity {
		t.Fatalf("status %d", b.status)
	}
	b.sees("#task-problem", "Say what should be done.")
	for field, c := range map[string]struct{ value, words string }{
		"workspace": {filepath.Join(r.config.Workspaces[0], "nowhere"), "no folder"},
		"model":     {"openai:none", "There is no model"},
		"approvals": {"-1", "whole number"},
		"task":      {"", "Say what should be done."},
	} {
		b.open("/new").submit("#new", "task", "Keep <me>", field, c.value)
		if b.status != http.StatusUnprocessableEntity {
			t.Errorf("%s: status %d", field, b.status)
		}
		b.sees("#"+field+"-problem", c.words)
		if got := b.doc.Find("#task").Text(); field != "task" && got != "Keep <me>" {
			t.Errorf("%s: the task is now %q", field, got)
		}
		if got, _ := b.doc.Find("#" + field).Attr("value"); field != "task" && got != c.value {
			t.Errorf("%s: the field is now %q", field, got)
		}
		b.sees("#" + field + "[aria-invalid=true]")
	}
	b.open("/new").submit("#new", "task", "Go", "approvals", "2", "mode", "normal")
	if st := b.state(strings.Split(b.at, "/")[2]); st.Approvals != 2 || st.Mode != planning.ModeNormal {
		t.Errorf("%d approvals, mode %s", st.Approvals, st.Mode)
	}
}

func TestBoard_SortsByWhatItIsToThePerson(t *testing.T) {
	r := newRig(t)
	inReview, failed, done, asking := r.begin(), r.begin(), r.begin(), r.begin()
	r.submit(inReview, samplePlan)
	r.agent(failed, planning.RunFailed{Message: "The model server is down."})
	r.agent(done, planning.RunFinished{Unfinished: 2})
	r.agent(asking, planning.ModelMessage{Calls: []planning.ToolCall{{ID: "c", Name: "shell"}}},
		planning.PermissionAsked{ID: "p1", Call: "c", Tool: "shell", Command: "rm x"}, planning.RunParked{Wait: planning.WaitPermission})
	b := r.browse(r.owner).open("/")
	b.sees("#waiting h2", "Waiting for you · 3").sees("#waiting #s-"+inReview, "Plan v1 to review", "3 steps")
	b.sees("#waiting #s-"+failed, "The model server is down.").sees("#waiting #s-"+asking, "rm x").sees("#finished #s-"+done, "Unfinished: 2 items")
	if title := b.doc.Find("title").Text(); !strings.HasPrefix(title, "(3) ") {
		t.Errorf("the title is %q", title)
	}
	if icon, _ := b.doc.Find("#icon").Attr("href"); !strings.Contains(icon, "waiting") {
		t.Errorf("the icon is %s", icon)
	}
	// A reviewer decides on neither, but may let a failed one go on.
	bo := r.browse(r.person("Bo", review.RoleReviewer, "bo")).open("/")
	bo.sees("#others #s-" + inReview).sees("#others #s-" + asking).sees("#waiting #s-" + failed + ` form[action$="/resume"]`)
	bo.submit(`form[action$="/resume"]`)
	if bo.at != "/" || r.state(failed).Run.Phase != planning.PhaseRunning {
		t.Errorf("at %s, phase %s", bo.at, r.state(failed).Run.Phase)
	}
}

func TestBoard_T10_BarIsTheListCellByCell(t *testing.T) {
	r := newRig(t)
	id := r.begin()
	r.agent(id, planning.TodoWritten{Items: []planning.Todo{
		{ID: "a", Text: "One", Status: planning.TodoCompleted}, {ID: "b", Text: "Two", Status: planning.TodoInProgress}, {ID: "c", Text: "Three", Status: planning.TodoPending},
	}})
	b := r.browse(r.owner).open("/").sees("#running .card", "Two")
	var cells []string
	b.doc.Find(".card .bar i").Each(func(_ int, c *goquery.Selection) { cells = append(cells, c.AttrOr("class", "-")) })
	if got := strings.Join(cells, ""); got != "dp-" {
		t.Errorf("the cells are %q", got)
	}
	b.sees(`.card .bar[role=img][aria-label*="1 of 3"]`)
}

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
		line, err := ActivityLine(record)
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
	b.sees("#file-0 summary", "a.go", "+1", "−1", "in the plan", "The step").sees("#file-0 tr.r", "two").sees("#file-0 tr.a", "TWO")
	b.sees("#file-1 summary", "b<i>.go", "new", "not in the plan").sees("#file-1", "no line end")
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
	b.do(http.MethodGet, "/sessions/"+id+"/export?format=md", nil, b.cookie).is(http.StatusOK).says(p.SHA256)
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

func TestPeople_AnInvitationShowsOnceAndWorks(t *testing.T) {
	r := newRig(t)
	b := r.browse(r.owner).open("/people").sees(".table", "Olivia", "owner").lacks("#invitation")
	b.submit("#invite", "role", string(review.RoleApprover))
	link := b.text("#invitation code")
	path := strings.TrimPrefix(link, r.srv.URL)
	if path == link {
		t.Fatalf("the link is %q", link)
	}
	b.open("/people").lacks("#invitation")
	guest := &browser{rig: r, cookie: "X-None: 1"}
	guest.open(path).submit(`form[action="/join"]`, "name", "")
	guest.sees("#name-problem")
	people, err := r.db.People(context.Background())
	r.must(err)
	if len(people) != 1 {
		t.Errorf("%d people before a name was given", len(people))
	}
	b.open("/people").submit("#invite", "role", "king")
	if b.status != http.StatusUnprocessableEntity {
		t.Errorf("a role that is none: %d", b.status)
	}
	bo := r.browse(r.person("Bo", review.RoleReviewer, "bo")).load("/people")
	if bo.status != http.StatusForbidden || bo.text("#alert") == "" {
		t.Errorf("a reviewer on /people: %d %q", bo.status, bo.text("#alert"))
	}
}

// TestPages_NothingThatSomebodyWroteActs puts hostile text wherever people,
// models or files can put some, and looks at every page.
func TestPages_NothingThatSomebodyWroteActs(t *testing.T) {
	const evil = `<script>alert(1)</script><img src=x onerror=alert(2)> " ' ` + "\u202egnp.exe \x1b]52;c;AAAA\x07\x1b[31mred"
	r := newRig(t)
	mallory := r.person(`<b onclick="x">M</b>`, review.RoleOwner, "mallory")
	b := r.browse(mallory).open("/").submit("#compose", "task", evil)
	id := strings.Split(b.at, "/")[2]
	st := r.state(id)
	plan, err := planning.NewVersion(st, "# "+evil+"\n\n1. "+evil+"\n\n   [x](javascript:alert(1)) ![y](//evil.example/z)\n", planning.Scope{Files: []string{evil}, Commands: []string{evil}})
	r.must(err)
	r.agent(id, planning.ModelMessage{Text: evil, Reasoning: evil, Stop: evil, Calls: []planning.ToolCall{{ID: "c", Name: "shell"}}},
		planning.ToolStarted{Call: "c", Name: evil, Summary: evil},
		planning.FileChanged{Call: "c", Path: evil, Exists: true, After: evil},
		planning.ToolFinished{Call: "c", Name: evil, Outcome: planning.OutcomeError, Output: evil, Summary: evil},
		plan, planning.RunParked{Wait: planning.WaitReview})
	p, _ := r.state(id).Plan()
	b.open("/sessions/"+id+"/plan?comment="+stepID(p, 1)).submit(`form[action$="/threads"]`, "body", evil, "quote", evil)
	for _, page := range []string{"/", "/new", "/people", "/models"} {
		b.open(page)
	}
	for _, page := range []string{"plan", "activity", "changes", "history", "feedback", "feedback?verdict=approve", "edit?step=" + stepID(p, 1)} {
		b.open("/sessions/" + id + "/" + page)
		b.doc.Find("textarea").Remove() // a field has what is written, to the letter
		html, err := b.doc.Html()
		r.must(err)
		if strings.ContainsAny(html, "\x1b\u202e") {
			t.Errorf("%s: characters that act on what is shown are on the page", page)
		}
		if page != "edit?step="+stepID(p, 1) && b.doc.Find("main script, main b[onclick]").Length() > 0 {
			t.Errorf("%s: what was text is an element", page)
		}
	}
}

func TestPages_ErrorsArePages(t *testing.T) {
	r := newRig(t)
	b := r.browse(r.owner)
	for path, status := range map[string]int{
		"/sessions/none": 404, "/sessions/none/plan": 404, "/nowhere": 404,
		"/sessions/" + r.begin() + "/feedback": 404, "/sessions/" + r.begin() + "/edit?step=s1": 404,
	} {
		if b.load(path); b.status != status || b.text("#alert") == "" {
			t.Errorf("%s: %d %q", path, b.status, b.text("#alert"))
		}
	}
}

func TestPages_SignedOutEndsAtTheSignIn(t *testing.T) {
	r := newRig(t)
	id := r.begin()
	guest := &browser{rig: r, cookie: "X-None: 1"}
	for _, path := range []string{"/", "/new", "/people", "/models", "/sessions/" + id + "/plan", "/sessions/" + id + "/export"} {
		guest.open(path).sees("#token")
	}
}

func TestFormFault_OnlyWhatAFormCanMend(t *testing.T) {
	for code, mends := range map[fault.Code]bool{fault.Invalid: true, fault.Conflict: true, fault.TooLarge: true, fault.Forbidden: false, fault.NotFound: false, fault.Internal: false} {
		if f, _ := formFault(fault.New(code, "x")); (f != nil) != mends {
			t.Errorf("%s: %v", code, f)
		}
	}
	if f, err := formFault(bytes.ErrTooLarge); f != nil || err == nil {
		t.Error("an error of ours is shown")
	}
}
