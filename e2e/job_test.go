package e2e

import (
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// sampleSession opens the dashboard and starts the sample task. It returns the
// address of the session's pages and its id.
func (b *browser) sampleSession(s *server) (base, id string) {
	b.t.Helper()
	b.open(s.link)
	b.sees(".empty button")
	b.click(".empty button")
	b.sees("article.step .no")
	where := eval[string](b, `location.href`)
	base, _, _ = strings.Cut(where, "/plan")
	return base, base[strings.LastIndexByte(base, '/')+1:]
}

// TestMainJob_Browser is what the product is for, from the task to the changed
// files, as a person does it.
func TestMainJob_Browser(t *testing.T) {
	t.Parallel()
	s := newServer(t, workspace(t, nil))
	b := newBrowser(t)
	base, id := b.sampleSession(s)
	before := s.plan(id, 1)

	// Comment on one step, rewrite another.
	readme := b.step(stepFor(t, before, "README.md"))
	b.click(readme + ` [data-do=comment]`)
	b.keys(readme+` .composer:not(.inline) textarea`, "skip README.md")
	b.keys(readme+` .composer:not(.inline) textarea`, kb.Enter+"please")
	b.click(readme + ` .composer:not(.inline) button:not([type=button])`)
	b.reads(readme+" .thread", "skip README.md")

	greet := b.step(stepFor(t, before, "greet/greet.go"))
	b.click(greet + ` [data-do=rewrite]`)
	b.sees(greet + ` textarea[name=markdown]`)
	eval[bool](b, fmt.Sprintf(`(() => { const a = document.querySelector(%s);
		a.value = a.value.replace("// Welcomer greets", "// Welcomer welcomes people and greets"); a.dispatchEvent(new Event("input", {bubbles: true})); return true })()`, quote(greet+` textarea[name=markdown]`)))
	b.click(greet + ` form button:not([type=button])`)
	b.reads(greet, "welcomes people")

	// Send it back; version 2 appears by itself.
	b.click(`.decide a[href$=feedback]`)
	b.reads("pre.letter", "skip README.md")
	letter := eval[string](b, `document.querySelector("pre.letter").textContent`)
	b.click(`dialog[open] footer button.primary, main.sheet footer button.primary, .sheet footer button.primary`)
	b.until("version 2", `document.querySelector("main")?.dataset.version === "2"`)
	b.reads("article.step .tag", "kept word for word")
	if got := eval[string](b, `document.querySelector(".decide").textContent`); strings.Contains(got, "1 open comment") {
		t.Errorf("the comment is not answered: %q", got)
	}
	if got := of[struct{ Result string }](t, s.events(id), "review.decided")[0].Result; strings.TrimSpace(got) != strings.TrimSpace(letter) {
		t.Errorf("R3: the page showed\n%s\nthe agent got\n%s", letter, got)
	}

	// Approve; the list fills and the files change.
	b.approve()
	s.status(id, "done")
	b.open(base + "/activity")
	b.until("a full list", `document.querySelectorAll(".todo li").length === document.querySelectorAll(".todo li.x").length && document.querySelector(".todo li")`)
	b.open(base + "/changes")
	b.reads("main", "greet/greet.go")
	b.reads("main", "welcomes people")
	if got := eval[string](b, `document.querySelector("main").textContent`); strings.Contains(got, "README.md") {
		t.Error("Changes shows a file that was left out")
	}
	b.open(s.base)
	b.reads("main", "Done as planned")
	sampleStillWorks(t, s.data+"/sample")
}

// approve gives the verdict, and confirms it if the page asks.
func (b *browser) approve() {
	b.t.Helper()
	b.until("the button", `!document.querySelector("#approve-button")?.disabled`)
	b.click(`#approve-button`)
	b.until("the decision", `(() => {
		const sure = document.querySelector("dialog[open] footer button.primary, .sheet footer button.primary");
		if (sure) { sure.click(); return false }
		return !document.querySelector("#approve-button") })()`)
}

func stepFor(t *testing.T, p planJSON, file string) int {
	t.Helper()
	for _, s := range p.Steps {
		if strings.Contains(s.Title, file) {
			return s.Number
		}
	}
	t.Fatalf("no step for %s: %+v", file, p.Steps)
	return 0
}

func sampleStillWorks(t *testing.T, dir string) {
	t.Helper()
	if got := read(t, dir, "greet/greet.go"); strings.Contains(got, "type Greeter") || !strings.Contains(got, "type Welcomer") {
		t.Errorf("greet.go:\n%s", got)
	}
	cmd := exec.Command("go", "test", "./...")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("the sample's own tests: %v\n%s", err, out)
	}
}

// invite makes a sign-in link for somebody with this role.
func (b *browser) invite(s *server, role string) string {
	b.t.Helper()
	b.open(s.base + "/people")
	eval[bool](b, fmt.Sprintf(`(() => { const e = document.querySelector("[name=role][value=%[1]s]") ?? document.querySelector("[name=role]");
		if (e.type === "radio") e.checked = true; else e.value = "%[1]s"; return true })()`, role))
	b.click(`main form button:not([type=button])`)
	b.until("the link", `document.body.innerHTML.includes("/join?link=")`)
	link := eval[string](b, `document.body.innerHTML.match(/\/join\?link=[A-Za-z0-9_-]+/)[0]`)
	return s.base + link
}

func (b *browser) join(link, name string) {
	b.t.Helper()
	b.open(link)
	b.keys(`input[name=name]`, name)
	b.click(`main form button`)
	b.sees(".compose")
}

// TestLive_TwoReviewers: what one does is on the other's page, what the other
// is typing stays, and a pulled cable loses nothing (S5, R1).
func TestLive_TwoReviewers(t *testing.T) {
	t.Parallel()
	s := newServer(t, workspace(t, nil))
	ana := newBrowser(t)
	base, id := ana.sampleSession(s)
	link := ana.invite(s, "approver")
	ana.open(base + "/plan")
	cable := newWire(t, s)
	bo := newBrowser(t)
	bo.join(cable.through(s, link), "Bo")
	bo.open(cable.through(s, base+"/plan"))

	typing := bo.step(2) + ` .composer:not(.inline) textarea`
	bo.click(bo.step(2) + ` [data-do=comment]`)
	bo.keys(typing, "half a sen")
	ana.comment(2, "from Ana")
	bo.reads(bo.step(2)+" .thread", "from Ana")
	bo.keys(typing, "tence")
	if got := eval[string](bo, `document.querySelector(`+quote(typing)+`).value`); got != "half a sentence" {
		t.Errorf("what Bo typed is now %q", got)
	}

	cable.pull()
	bo.until("the banner", `[...document.querySelectorAll("[role=status], .banner")].some(e => e.offsetParent && /lost/i.test(e.textContent))`)
	for i := range 3 {
		ana.comment(1, fmt.Sprintf("while away %d", i))
	}
	cable.plug()
	for i := range 3 {
		bo.reads(bo.step(1)+" .thread", fmt.Sprintf("while away %d", i))
	}
	if n := eval[int](bo, `document.querySelectorAll(`+quote(bo.step(1)+" .thread")+`).length`); n != 3 {
		t.Errorf("Bo sees %d threads, want 3", n)
	}
	bo.click(bo.step(2) + ` .composer:not(.inline) button:not([type=button])`)
	ana.reads(ana.step(2)+" .thread", "half a sentence")
	if n := len(s.plan(id, 1).Threads); n != 5 {
		t.Errorf("%d threads in the log, want 5", n)
	}
}

func (b *browser) comment(step int, text string) {
	b.t.Helper()
	at := b.step(step)
	b.click(at + ` [data-do=comment]`)
	b.keys(at+` .composer:not(.inline) textarea`, text)
	b.click(at + ` .composer:not(.inline) button:not([type=button])`)
	b.reads(at+" .thread", text)
}

// TestForms_WithoutJavaScript: the whole review works by plain page loads.
func TestForms_WithoutJavaScript(t *testing.T) {
	t.Parallel()
	s := newServer(t, workspace(t, nil))
	b := newBrowser(t)
	b.withoutScripts()
	b.open(s.link)
	b.click(".empty button")
	var id string
	eventually(t, "the session", func() bool {
		var list struct{ Sessions []struct{ ID string } }
		convert(t, s.must(http.StatusOK, "GET", "/sessions", nil), &list)
		if len(list.Sessions) == 1 {
			id = list.Sessions[0].ID
		}
		return id != ""
	})
	s.status(id, "in_review")
	base := s.base + "/sessions/" + id
	p := s.plan(id, 1)
	first, second := p.Steps[0], p.Steps[1]

	b.open(base + "/plan?comment=" + first.ID)
	b.keys(`.composer:not(.inline) textarea[name=body]`, "by a plain form")
	b.click(`.composer:not(.inline) button`)
	b.reads("#"+first.ID+" .thread", "by a plain form")

	b.open(base + "/edit?step=" + second.ID)
	b.keys(`textarea[name=markdown]`, kb.End+"\n\nAnd look at it twice.")
	b.click(`form:has(textarea[name=markdown]) button`)
	b.reads("#"+second.ID, "look at it twice")

	b.open(base + "/feedback")
	b.reads("pre.letter", "by a plain form")
	b.click(`.sheet footer button.primary`)
	eventually(t, "version 2", func() bool { return len(of[object](t, s.events(id), "plan.submitted")) == 2 })
	s.status(id, "in_review")
	b.open(base + "/plan")
	b.click(`#approve-button`)
	if s.must(http.StatusOK, "GET", "/sessions/"+id, nil)["status"] == "in_review" { // it asks once, because a comment is open
		b.click(`.sheet footer button.primary`)
	}
	s.status(id, "done", "executing")
}

// TestKill_BrowserInTheMiddleOfAReview: the server dies and comes back on the
// same address; the page says so, catches up, and what was typed is there.
func TestKill_BrowserInTheMiddleOfAReview(t *testing.T) {
	s := newServer(t, workspace(t, nil))
	b := newBrowser(t)
	_, id := b.sampleSession(s)
	b.comment(1, "before the end")
	at := b.step(2)
	b.click(at + ` [data-do=comment]`)
	b.keys(at+` .composer:not(.inline) textarea`, "typed before")
	addr := strings.TrimPrefix(s.base, "http://")
	s.kill()
	b.until("the banner", `[...document.querySelectorAll("[role=status], .banner")].some(e => e.offsetParent && /lost/i.test(e.textContent))`)
	s.args = append(s.args, "--addr", addr)
	s.start()
	s.must(http.StatusCreated, "POST", "/sessions/"+id+"/plans/1/threads", object{"step": s.plan(id, 1).Steps[0].ID, "body": "after the start"})
	b.reads(b.step(1)+" .thread", "after the start")
	b.click(at + ` .composer:not(.inline) button:not([type=button])`)
	b.reads(at+" .thread", "typed before")
	if got := s.plan(id, 1); len(got.Threads) != 3 {
		t.Errorf("%d threads, want 3", len(got.Threads))
	}
}
