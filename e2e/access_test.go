package e2e

import (
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	_ "modernc.org/sqlite" // registers itself as "sqlite"
)

// pageState is a page in a state that people meet: what to open, and what to do
// there before it is looked at.
type pageState struct {
	what, path string
	open       []string // selectors to press, one after the other
	until      string   // a selector that is there in the end
}

// TestAccess_EveryPage: nothing on any page, whatever is open on it, is hidden
// from a screen reader, unreachable, unnamed or too faint; in both languages,
// in light and dark, wide and narrow.
func TestAccess_EveryPage(t *testing.T) {
	t.Parallel()
	s, review, asking, done := wideSessions(t)
	b := newBrowser(t)
	a := newAxe(b)
	b.looks(1280, "light")
	b.open(s.base + "/sign-in")
	a.page("sign-in")
	b.open(s.link)
	b.sees(".compose")
	join := b.invite(s, "reviewer")[len(s.base):]
	a.page("people with a link")
	person := eval[string](b, `document.querySelector("main .rows a[href^='/people/']").getAttribute("href")`)
	states := append(sessionStates(s, review, asking, done), []pageState{
		{what: "board", path: "/"}, {what: "menu", path: "/", open: []string{"#me > summary"}},
		{what: "new session", path: "/new"}, {what: "models", path: "/models"}, {what: "people", path: "/people"},
		{what: "record of accounts", path: "/people/record"}, {what: "webhooks", path: "/webhooks"},
		{what: "own page", path: "/people/me"}, {what: "a person", path: person, open: []string{"#remove summary"}},
		{what: "join", path: join}, {what: "nothing here", path: "/nothing-here"},
	}...)
	for _, language := range []string{"en", "zh-Hans"} {
		b.language(s, language)
		for _, state := range states {
			if language == "en" {
				b.reach(s, state)
				a.page(state.what)
			} else if len(state.open) == 0 { // what is drawn is the same; what is said is not
				b.reach(s, state)
				a.inspect(language+": "+state.what, allRules)
			}
		}
	}
	s.damage(done)
	for _, state := range []pageState{{what: "board with a damaged session", path: "/"}, {what: "damaged plan", path: "/sessions/" + done + "/plan"}} {
		b.reach(s, state)
		b.until("the mark", `document.querySelector(".chip.bad") !== null`)
		a.page(state.what)
	}
}

// damage changes the last entry of a session behind the server's back, and lets
// the server find it.
func (s *server) damage(session string) {
	s.t.Helper()
	file, err := sql.Open("sqlite", filepath.Join(s.data, "private", "countersign.db"))
	if err == nil {
		_, err = file.Exec("UPDATE events SET actor_name = 'Eve' WHERE session = ?1 AND seq = (SELECT max(seq) FROM events WHERE session = ?1)", session)
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		s.t.Fatal(err)
	}
	s.events(session)
}

// sessionStates are the pages of sessions.
func sessionStates(s *server, review, asking, done string) []pageState {
	step := s.plan(review, 2).Steps[0].ID
	of := func(id, page string) string { return "/sessions/" + id + "/" + page }
	at := "#" + step
	states := []pageState{
		{what: "plan", path: of(review, "plan"), open: []string{"main details:not([open]) > summary"}},
		{what: "keys", path: of(review, "plan"), open: []string{"[data-open=keys]"}, until: "#keys[open]"},
		{what: "menus of a plan", path: of(review, "plan"), open: []string{"#versions > summary", "#note > summary"}},
		{what: "comment", path: of(review, "plan"), open: []string{at + " [data-do=comment]"}, until: at + " .composer"},
		{what: "rewrite", path: of(review, "plan"), open: []string{at + " [data-do=rewrite]"}, until: at + " textarea[name=markdown]"},
		{what: "feedback dialog", path: of(review, "plan"), open: []string{".decide a[href$=feedback]"}, until: "dialog[open] #letter"},
		{what: "scope dialog", path: of(review, "plan"), open: []string{"#edit-scope"}, until: "dialog[open] #scope-files"},
		{what: "comment without script", path: of(review, "plan?comment=") + step},
		{what: "older version", path: of(review, "plan?version=1")},
		{what: "marked changes", path: of(review, "plan?version=2&from=1")},
		{what: "comparison", path: of(review, "compare?from=1&to=2"), open: []string{"main details:not([open]) > summary"}},
		{what: "comparison side by side", path: of(review, "compare?from=1&to=2&view=side")},
		{what: "feedback", path: of(review, "feedback")}, {what: "stop", path: of(review, "feedback?verdict=abandon")},
		{what: "approve with comments", path: of(review, "feedback?verdict=approve")},
		{what: "scope", path: of(review, "scope")},
	}
	for _, op := range []string{"rewritten", "inserted", "moved", "deleted"} {
		states = append(states, pageState{what: "edit " + op, path: of(review, "edit?op="+op+"&step=") + step})
	}
	for name, id := range map[string]string{"in review": review, "asking": asking, "done": done} {
		states = append(states,
			pageState{what: "activity " + name, path: of(id, "activity"), open: []string{"main details:not([open]) > summary"}},
			pageState{what: "changes " + name, path: of(id, "changes")},
			pageState{what: "history " + name, path: of(id, "history")})
	}
	return append(states, pageState{what: "no plan", path: of(asking, "plan")}, pageState{what: "questions", path: of(asking, "questions")}, pageState{what: "approved plan", path: of(done, "plan")},
		pageState{what: "print", path: of(done, "print")},
		pageState{what: "comment on a line", path: of(done, "changes"), open: []string{"[data-note]"}, until: "main textarea"})
}

// reach opens a page and does what leads to the state. All that a selector
// matches is pressed.
func (b *browser) reach(s *server, state pageState) {
	b.t.Helper()
	b.looks(1280, "light")
	b.open(s.base + state.path)
	b.until("the page", `document.readyState === "complete"`)
	for _, selector := range state.open {
		b.until(selector, fmt.Sprintf(`(() => { const all = document.querySelectorAll(%s); for (const e of all) e.click(); return all.length })()`, quote(selector)))
	}
	if state.until != "" {
		b.do("wait for "+state.until, chromedp.WaitReady(chromedp.CSS(state.until)))
	}
}

// language switches the pages to a language, as people do.
func (b *browser) language(s *server, code string) {
	b.t.Helper()
	b.open(s.base + "/")
	if eval[string](b, `document.documentElement.lang`) == code {
		return
	}
	b.click("#me > summary")
	b.click(fmt.Sprintf("button[name=language][value=%s]", code))
	b.until(code, fmt.Sprintf(`document.documentElement.lang === %s`, quote(code)))
}

// TestAccess_ReducedMotion: who asks for less motion gets none, even where
// something is going on.
func TestAccess_ReducedMotion(t *testing.T) {
	t.Parallel()
	s := newServer(t, workspace(t, nil))
	b := newBrowser(t)
	b.sampleSession(s)
	const moving = `document.getAnimations().filter(a => a.playState === "running").length`
	b.until("something that moves", moving+" > 0") // or the test can't fail
	b.prefers("prefers-reduced-motion", "reduce")
	b.until("stillness", moving+" === 0")
	if got := eval[[]string](b, `[...document.querySelectorAll("*")].flatMap(e => [null, "::before", "::after"].map(p => getComputedStyle(e, p)))
		.filter(s => s.animationName !== "none" || s.transitionDuration.split(", ").some(d => d !== "0s") && s.transitionProperty !== "none" || s.scrollBehavior === "smooth")
		.map(s => s.animationName + " " + s.transitionProperty)`); len(got) > 0 {
		t.Errorf("these still move: %q", got)
	}
	// What a script would move, it would move now.
	b.press("?")
	b.focused("#keys[open]")
	b.stroke(kb.Escape)
	b.press("j")
	if n := eval[int](b, moving); n > 0 {
		t.Errorf("%d animations run", n)
	}
}
