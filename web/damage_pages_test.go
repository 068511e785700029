package web

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"countersign/internal/planning"
	"countersign/internal/review"

	"github.com/PuerkitoBio/goquery"
	"github.com/gorilla/websocket"
)

// changeAnEntry makes a session's record damaged from an entry on, and lets
// the server find it.
func (r *rig) changeAnEntry(session string, seq int64) {
	r.t.Helper()
	r.harm("UPDATE events SET actor_name = 'Eve' WHERE session = ? AND seq = ?", session, seq)
	if _, err := r.db.Records(context.Background(), session, seq-1, 1); err != nil {
		r.t.Fatal(err)
	}
}

// busySession has everything on its pages that one can write in: a plan in
// review with a thread and an edit, a question, a request for permission, a
// grant, a goal, and a changed file. What its last entry says is on no page.
func busySession(r *rig) (id string, last int64) {
	r.t.Helper()
	id = r.begin()
	r.api("POST", "/sessions/"+id+"/goal", map[string]any{"op": "create", "objective": "All green"}).is(http.StatusOK)
	r.agent(id,
		planning.FileChanged{Path: "a.go", Existed: true, Exists: true, Before: "one\n", After: "two\n", Added: 1, Removed: 1},
		planning.PermissionAsked{ID: "p1", Call: "c1", Tool: "write_file", Paths: []string{"b.go"}, Reason: "It is not in the plan."})
	r.api("POST", "/sessions/"+id+"/permissions/p1", map[string]string{"answer": "session"}).is(http.StatusOK)
	plan := r.submit(id, samplePlan)
	version := "/sessions/" + id + "/plans/1"
	r.api("POST", version+"/threads", map[string]string{"step": plan.Steps()[0].ID, "body": "Why?"}).is(http.StatusCreated)
	r.api("PUT", version+"/steps/"+plan.Steps()[1].ID, map[string]string{"markdown": "## Step 2: Change it\n", "base": plan.SHA256}).is(http.StatusOK)
	st := r.agent(id,
		planning.PermissionAsked{ID: "p2", Call: "c2", Tool: "shell", Command: "make", Reason: "It writes."},
		planning.QuestionAsked{ID: "q1", Call: "c3", Questions: []planning.Question{{ID: "a", Question: "Which one?", Options: []string{"This", "That"}}}},
		planning.RunParked{Wait: planning.WaitReview})
	return id, st.Seq
}

// writing finds what on a page would change the session.
func writing(a answer, session string) []string {
	a.t.Helper()
	doc := a.doc()
	var found []string
	note := func(_ int, s *goquery.Selection) {
		html, _ := goquery.OuterHtml(s)
		found = append(found, html)
	}
	templates := doc.Find("template") // what a script puts into the page
	templates.Each(func(_ int, s *goquery.Selection) {
		inner, _ := s.Html()
		s.ReplaceWithHtml("<div>" + inner + "</div>")
	})
	doc.Find(`form[method=post], form[method=POST]`).Each(func(i int, s *goquery.Selection) {
		if action, _ := s.Attr("action"); action != "/sign-out" && action != "/language" {
			note(i, s)
		}
	})
	doc.Find(`textarea:not([readonly]), [draggable=true], [data-do], [data-dialog], [data-note], #approve-button, [data-put]`).Each(note)
	for _, page := range []string{"edit", "scope", "feedback"} {
		doc.Find(`a[href*="/` + page + `"], a[href^="` + page + `"]`).Each(note)
	}
	return found
}

// No page of a damaged session has a form, or a link to one, that would write:
// all of them would be refused. Viewing, exporting and comparing stay.
func TestDamage_S1_NoPageHasAFormThatWouldBeRefused(t *testing.T) {
	r := newRig(t)
	id, last := busySession(r)
	owner := header("Cookie: " + r.cookie(r.owner))
	step := ""
	if st, err := r.db.State(context.Background(), id); err != nil {
		t.Fatal(err)
	} else if p, ok := st.Plan(); ok {
		step = p.Steps()[0].ID
	}
	pages := []string{
		"plan", "plan?comment=" + step, "plan?version=1", "activity", "activity?help=yes", "questions", "changes", "changes?by=step",
		"history", "compare", "print",
	}
	sound := 0
	for _, page := range pages {
		sound += len(writing(r.do("GET", "/sessions/"+id+"/"+page, nil, owner).is(http.StatusOK), id))
	}
	if sound < 30 {
		t.Fatalf("only %d things to write in on the pages before; this test finds too little", sound)
	}
	r.changeAnEntry(id, last)
	entry := fmt.Sprintf("entry %d was changed", last)
	for _, page := range pages {
		a := r.do("GET", "/sessions/"+id+"/"+page, nil, owner).is(http.StatusOK)
		for _, html := range writing(a, id) {
			t.Errorf("%s: %s", page, html)
		}
		for _, words := range []string{entry, "from there on", "can be read", "Other sessions go on", "countersign verify"} {
			if !strings.Contains(banner(a), words) {
				t.Errorf("%s does not say %q: %s", page, words, banner(a))
			}
		}
	}
	for _, page := range []string{"edit?step=" + step, "scope", "feedback"} { // nothing but forms
		a := r.do("GET", "/sessions/"+id+"/"+page, nil, owner).is(http.StatusForbidden).says(entry).says("This session is damaged")
		for _, html := range writing(a, id) {
			t.Errorf("%s: %s", page, html)
		}
	}
	r.do("GET", "/sessions/"+id+"/export?format=json", nil, owner).is(http.StatusOK)
}

// The dashboard and the list of the API mark it, and it waits for nobody.
func TestDamage_S1_TheDashboardMarksIt(t *testing.T) {
	r := newRig(t)
	bad, well := r.begin(), r.begin()
	r.submit(bad, samplePlan)
	r.submit(well, samplePlan)
	owner := header("Cookie: " + r.cookie(r.owner))
	if n := r.board(owner).Find("#waiting .card").Length(); n != 2 {
		t.Fatalf("%d sessions wait", n)
	}
	r.changeAnEntry(bad, 2)
	doc := r.board(owner)
	card := doc.Find("#damaged #s-" + bad)
	if chip := card.Find(".chip.bad"); strings.TrimSpace(chip.Text()) != "Damaged" || !strings.Contains(chip.AttrOr("title", ""), "entry 2 was changed") {
		t.Errorf("the mark is %q, %q", chip.Text(), chip.AttrOr("title", ""))
	}
	if told := doc.Find("#" + card.Find("h3 a").AttrOr("aria-describedby", "none")).Text(); !strings.Contains(told, "entry 2 was changed") {
		t.Errorf("who hears the page is told %q", told)
	}
	if card.Find("form").Length() > 0 || doc.Find("#waiting .card").Length() != 1 || doc.Find("#waiting #s-"+well).Find(".chip.bad").Length() > 0 {
		t.Error("it still waits, or the other one is marked")
	}
	for _, s := range read[sessionsView](r.api("GET", "/sessions", nil).is(http.StatusOK)).Sessions {
		switch {
		case s.ID == bad && (s.Damage == nil || *s.Damage != planning.Damage{Seq: 2, Flaw: planning.FlawChanged} || len(s.WaitingForMe) > 0):
			t.Errorf("the API lists %v, which waits for %v", s.Damage, s.WaitingForMe)
		case s.ID == well && (s.Damage != nil || len(s.WaitingForMe) != 1):
			t.Errorf("the API lists the other one with %v, which waits for %v", s.Damage, s.WaitingForMe)
		}
	}
	if v := read[waitingView](r.do("GET", "/waiting", nil, owner)); v.Count != 1 {
		t.Errorf("%d wait", v.Count)
	}
}

// Pages and programs that are open are told when it is found, whatever they
// watch, and those that come later as well.
func TestDamage_S1_OpenPagesAreTold(t *testing.T) {
	r := newRig(t)
	id := r.begin()
	r.submit(id, samplePlan)
	st, err := r.db.State(context.Background(), id)
	r.must(err)
	after := "&session=" + id + "&after=" + strconv.FormatInt(st.Seq, 10)
	page, program, board := r.watch("x="+after), r.watch("format=json"+after), r.watch("")
	for _, w := range []string{readFrame(t, page).Type, readFrame(t, program).Type, readFrame(t, board).Type} {
		if w != frameHello {
			t.Fatal(w)
		}
	}
	r.changeAnEntry(id, 2)
	later := r.watch("format=json" + after)
	told := func(conn *websocket.Conn, kind string) anyFrame {
		for {
			if f := readFrame(t, conn); f.Type == kind {
				return f
			}
		}
	}
	told(page, frameDamage)
	told(later, frameDamage)
	if f := told(board, frameBoard); f.Session != id {
		t.Errorf("the dashboard is told %+v", f)
	}
	if f := told(program, frameDamage); f.Seq != 2 || f.Flaw != planning.FlawChanged {
		t.Errorf("a program is told %+v", f)
	}
}

// Viewers see the same as owners: the sentence, and nothing to write in.
func TestDamage_S1_AViewerReadsTheSame(t *testing.T) {
	r := newRig(t)
	id, last := busySession(r)
	viewer := header("Cookie: " + r.cookie(r.person("Vera", review.RoleViewer, "viewer-token")))
	r.changeAnEntry(id, last)
	for _, page := range []string{"plan", "activity", "questions"} {
		a := r.do("GET", "/sessions/"+id+"/"+page, nil, viewer).is(http.StatusOK)
		if strings.Contains(a.body, "An approver") || strings.Contains(a.body, "A reviewer answers") || banner(a) == "" {
			t.Errorf("%s says that somebody could still do something", page)
		}
	}
}
