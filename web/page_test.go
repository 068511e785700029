package web

import (
	"bytes"
	"context"
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

func TestBoard_TheSampleTaskIsInTheLanguageOfThePage(t *testing.T) {
	r := newRig(t, func(c *Config) { c.Sample = c.Workspaces[0] })
	b := r.browse(r.owner)
	b.cookie += "; " + languageCookie + "=zh-Hans"
	const task = "把 Greeter 改名为 Welcomer"
	b.open("/").sees("#empty", task).submit("#try")
	if st := b.state(strings.Split(b.at, "/")[2]); st.Task != task {
		t.Errorf("started %q", st.Task)
	}
	b.open("/models").sees("main", task)
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
	b.open("/").submit("#compose", "task", "Begun on the short form", "plan", "", "more", "yes").sees("#task", "Begun on the short form").sees("#new input[value=normal][checked]", "")
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

func TestPeople_AnInvitationShowsOnceAndWorks(t *testing.T) {
	r := newRig(t)
	b := r.browse(r.owner).open("/people").sees(".rows", "Olivia", "owner").lacks("#invitation")
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
