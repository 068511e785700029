package e2e

import (
	"context"
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
)

// stub puts the test's own notifications in the place of the browser's, and lets
// the page believe that it is in the background. It holds until the next page.
const stub = `(() => {
	window.notes = []; window.asked = 0; window.away = false;
	window.Notification = class {
		static permission = "default";
		static async requestPermission() { window.asked++; return this.permission = window.answer; }
		constructor(title, options) { Object.assign(this, options, { title }); window.notes.push(this); }
		close() { this.closed = true; }
	};
	Object.defineProperty(document, "hidden", { get: () => window.away });
	return true;
})()`

// tab opens another tab of the same browser.
func (b *browser) tab(url string) *browser {
	b.t.Helper()
	life, die := context.WithCancelCause(b.ctx)
	ctx, detach := chromedp.NewContext(life, chromedp.WithDetachOnCancel(), crash(die))
	b.t.Cleanup(detach) // it is closed with the browser
	other := &browser{t: b.t, ctx: ctx}
	other.settle(detach)
	other.open(url)
	return other
}

// newPlan lets the built-in planner plan something.
func (s *server) newPlan(n int) string {
	s.t.Helper()
	id := s.task(fmt.Sprintf("Rename Old%d to New%d", n, n), nil)
	s.status(id, "in_review")
	return id
}

// TestWaiting_R8_BadgeAndNotifications: every page counts what waits for its
// person, live, and a page in the background says it once, if it was asked to.
func TestWaiting_R8_BadgeAndNotifications(t *testing.T) {
	t.Parallel()
	s := newServer(t, workspace(t, map[string]string{"a.txt": "Old1 Old2 Old3 Old4 Old5\n"}))
	b := newBrowser(t)
	b.open(s.link)
	b.open(s.base + "/people/me") // a page that is about no session
	b.until("the connection", `document.querySelector("#live .on")`)
	b.until("no badge", `!document.title.startsWith("(")`)
	eval[bool](b, stub)

	// Not before somebody asks for it; and what is refused is explained.
	b.click("#me summary")
	b.reads("#notify", "Notify me in this browser")
	if n := eval[int](b, `asked`); n != 0 {
		t.Errorf("the page asked for permission %d times by itself", n)
	}
	eval[bool](b, `(window.answer = "denied", true)`)
	b.click("#notify")
	b.reads("#notify-why", "blocks notifications")
	eval[bool](b, `(window.answer = "granted", true)`)
	b.click("#notify")
	b.reads("#notify", "Stop notifying")
	b.until("the explanation to go", `document.getElementById("notify-why").hidden`)

	first := s.newPlan(1)
	b.until("the badge", `document.title.startsWith("(1) ") && document.getElementById("icon").href.includes("waiting")`)
	if n := eval[int](b, `notes.length`); n != 0 {
		t.Errorf("%d notifications while one looks at the page", n)
	}

	other := b.tab(s.base + "/sessions/" + first + "/activity")
	other.until("the connection", `document.querySelector("#live .on") && document.title.startsWith("(1) ")`)
	eval[bool](other, stub)
	eval[bool](other, `(Notification.permission = "granted", window.away = true)`)
	eval[bool](b, `(window.away = true)`)
	second := s.newPlan(2)
	var note struct{ Title, Body, Tag string }
	eventually(t, "a notification", func() bool {
		for _, tab := range []*browser{b, other} {
			if eval[int](tab, `notes.length`) > 0 {
				note = eval[struct{ Title, Body, Tag string }](tab, `({ Title: notes[0].title, Body: notes[0].body, Tag: notes[0].tag })`)
				return true
			}
		}
		return false
	})
	if note.Title != "Rename Old2 to New2" || note.Body != "Plan v1 waits for your decision" {
		t.Errorf("the notification is %+v", note)
	}
	for _, tab := range []*browser{b, other} {
		tab.until("the badge", `document.title.startsWith("(2) ")`)
		if eval[bool](tab, `notes.some(n => n.tag !== `+quote(note.Tag)+`) || notes.length > 1`) {
			t.Error("a notification comes twice") // with one tag the browser shows one
		}
	}

	// A click leads to the plan.
	from := b
	if eval[int](b, `notes.length`) == 0 {
		from = other
	}
	eval[bool](from, `(notes[0].onclick(), true)`)
	from.until("the plan", `location.pathname === `+quote("/sessions/"+second+"/plan"))
	from.sees("article.step")

	// Off again, by the same button, in all tabs.
	eval[bool](from, stub)
	eval[bool](from, `(Notification.permission = "granted", true)`)
	from.click("#me summary")
	from.until("the button", `document.getElementById("notify").textContent.startsWith("Stop") || document.querySelector("#notify")`)
	if eval[string](from, `document.getElementById("notify").textContent`) == "Notify me in this browser" {
		eval[bool](from, `(dispatchEvent(new StorageEvent("storage", { key: "notify:" + document.body.dataset.user })), true)`)
	}
	from.reads("#notify", "Stop notifying")
	from.click("#notify")
	from.reads("#notify", "Notify me")
	eval[bool](from, `(window.away = true)`)
	before := eval[int](from, `notes.length`)
	s.newPlan(3)
	from.until("the badge", `document.title.startsWith("(3) ")`)
	if n := eval[int](from, `notes.length`); n != before || eval[string](from, `String(localStorage.getItem("notify:" + document.body.dataset.user))`) != "null" {
		t.Errorf("%d notifications after they were turned off", n-before)
	}
}

// TestWaiting_R8_AnswerOnTheDashboard: who replied to me is on my dashboard
// until I open the plan, in whatever tab.
func TestWaiting_R8_AnswerOnTheDashboard(t *testing.T) {
	t.Parallel()
	s := newServer(t, workspace(t, nil))
	ana := newBrowser(t)
	base, id := ana.sampleSession(s)
	link := ana.invite(s, "reviewer")
	bo := newBrowser(t)
	bo.join(link, "Bo")
	bo.until("nothing for Bo", `!document.querySelector("#waiting") && document.querySelector("#others .card") && !document.title.startsWith("(")`)
	board := bo.tab(s.base + "/")
	bo.open(base + "/plan")
	bo.comment(1, "Why?")
	bo.open(base + "/activity")
	ana.open(base + "/plan")
	thread := s.plan(id, 1).Threads[0].ID
	s.must(201, "POST", "/threads/"+thread+"/replies", object{"body": "Because."})
	board.reads("#waiting .card", "replied to you")
	board.until("the badge", `document.title.startsWith("(1) ")`)
	bo.until("the badge on another page", `document.title.startsWith("(1) ")`)
	bo.open(base + "/plan")
	bo.until("no badge on the plan itself", `!document.title.startsWith("(")`)
	board.until("no badge on the dashboard", `!document.title.startsWith("(") && !document.querySelector("#waiting")`)

	// A plan that is open in the background is not read, until one looks.
	eval[bool](bo, stub)
	eval[bool](bo, `(window.away = true)`)
	s.must(201, "POST", "/threads/"+thread+"/replies", object{"body": "And because."})
	bo.reads(".thread", "And because.")
	bo.until("the badge", `document.title.startsWith("(1) ")`)
	board.reads("#waiting .card", "replied to you")
	eval[bool](bo, `(window.away = false, document.dispatchEvent(new Event("visibilitychange")))`)
	bo.until("no badge", `!document.title.startsWith("(")`)
	board.until("nothing on the dashboard", `!document.querySelector("#waiting")`)
}
