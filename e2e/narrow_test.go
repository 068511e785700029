package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"countersign/internal/agent/llm/fakeopenai"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// widePlan has what makes pages too wide: words without an end, code, tables.
var widePlan = "# Change " + strings.Repeat("everything", 20) + "\n\nIntro with `" + strings.Repeat("code", 40) + "`.\n\n" +
	"## Step 1: Edit " + strings.Repeat("a/very/long/path/", 10) + "file.go\n\n```go\n" + strings.Repeat("x := 1; ", 60) + "\n```\n\n" +
	"| a | b | c | d | e | f |\n|---|---|---|---|---|---|\n| " + strings.Repeat(strings.Repeat("cell", 8)+" | ", 6) + "\n\n" +
	"## Step 2: Look at a.txt\n\n- https://example.com/" + strings.Repeat("address", 30) + "\n\n## Step 3: Wait\n\nText.\n"

// wideCommand is as long as a command gets to be.
var wideCommand = "echo " + strings.Repeat("0123456789abcdef", 1900) + "\n" + strings.Repeat("echo line\n", 90) + "echo the-end"

// looks sets how wide the window is and which colours it prefers.
func (b *browser) looks(width int64, scheme string) {
	b.t.Helper()
	b.do("resize", chromedp.EmulateViewport(width, 860))
	b.prefers("prefers-color-scheme", scheme)
}

// prefers sets what the person likes, as their system tells the browser.
func (b *browser) prefers(feature, value string) {
	b.t.Helper()
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: feature, Value: value}}}
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, media); err != nil {
		b.t.Fatal(err)
	}
}

// fits checks that nothing on the page leads out of the window at its side.
func (b *browser) fits(what string) {
	b.t.Helper()
	b.until("the page", `document.readyState === "complete"`)
	got := eval[string](b, `(() => {
		// What is fixed to the window makes the page no wider; it is cut off.
		const bars = [...document.querySelectorAll(".decide .in, .top")].map(e => e.scrollWidth - e.clientWidth);
		const wide = Math.max(document.scrollingElement.scrollWidth - innerWidth, ...bars);
		if (wide <= 0) return "";
		const clipped = e => e && (getComputedStyle(e).overflowX !== "visible" || clipped(e.parentElement));
		const right = e => e.getBoundingClientRect().right;
		const out = [...document.body.querySelectorAll("*")].filter(e => right(e) > innerWidth + 1 && !clipped(e.parentElement))
			.sort((a, b) => right(b) - right(a)).map(e => e.tagName.toLowerCase() + "#" + e.id + "." + e.className);
		return wide + " px: " + out.slice(0, 8).join(", ") })()`)
	if got != "" {
		b.t.Errorf("%s is too wide by %s", what, got)
	}
}

// wideSessions leads one session to a review with everything in it, one to a
// question about a long command, and one to its end.
func wideSessions(t *testing.T) (s *server, review, asking, done string) {
	t.Helper()
	work := workspace(t, map[string]string{"a.txt": "old\n"})
	long := strings.Repeat("long", 60) + ".txt"
	settings := "[allow]\ncommands = [\"make " + strings.Repeat("allowed", 30) + "\"]\n[mcp.tools]\nurl = \"http://127.0.0.1:1/" + strings.Repeat("nobody", 30) + "\"\n"
	if err := os.WriteFile(filepath.Join(filepath.Dir(work), "countersign.toml"), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	s, _ = scripted(t, work,
		fakeopenai.Calls(call("p", "submit_plan", object{"plan": widePlan, "files": []string{strings.Repeat("a/very/long/path/", 10) + "file.go", "a.txt"}, "commands": []string{"echo " + strings.Repeat("x", 300)}})),
		fakeopenai.Calls(call("p1", "submit_plan", object{"plan": widePlan + "\nMore.\n", "files": []string{"a.txt"}})),
		fakeopenai.Calls(call("p2", "submit_plan", object{"plan": "# Ask\n\n1. Edit a.txt\n", "files": []string{"a.txt", strings.Repeat("l", 200) + "/**"}})),
		fakeopenai.Calls(call("w", "write_file", object{"path": "a.txt", "content": strings.Repeat("wide ", 200) + "\n"}),
			call("o", "write_file", object{"path": long, "content": strings.Repeat("wide", 200) + "\n"})),
		fakeopenai.Text("All done: "+strings.Repeat("very", 100)),
		fakeopenai.Calls(call("s", "shell", object{"command": wideCommand}), call("q", "ask_user", object{"questions": []object{
			{"id": "one", "question": strings.Repeat("which", 60) + "?", "options": []string{strings.Repeat("option", 60), "x"}},
			{"id": "some", "question": "Which ones?", "options": []string{"x", "y"}, "multiple": true}, {"id": "words", "question": "Why?"},
		}})),
	)
	review = s.task("change "+strings.Repeat("everything", 30), object{"approvals": 2})
	s.status(review, "in_review")
	p := s.plan(review, 1)
	for _, step := range []string{"", p.Steps[0].ID} {
		s.must(201, "POST", "/sessions/"+review+"/plans/1/threads", object{"step": step, "quote": strings.Repeat("quote", 60), "body": strings.Repeat("comment", 60)})
	}
	s.must(200, "DELETE", "/sessions/"+review+"/plans/1/steps/"+p.Steps[2].ID, object{"base": p.SHA256})
	if status, answer := s.decide(review, s.plan(review, 1), "request_changes", strings.Repeat("note", 80)); status != 200 {
		t.Fatalf("request changes: %d %v", status, answer)
	}
	eventually(t, "version 2", func() bool { return len(of[object](t, s.events(review), "plan.submitted")) == 2 })
	s.status(review, "in_review")
	s.must(200, "POST", "/sessions/"+review+"/goal", object{"op": "create", "objective": strings.Repeat("objective", 60)})

	done = s.task("ask", nil)
	s.status(done, "in_review")
	if status, answer := s.decide(done, s.plan(done, 1), "approve", ""); status != 200 {
		t.Fatalf("approve: %d %v", status, answer)
	}
	file := s.status(done, "waiting")["permissions"].([]any)[0].(object)["id"].(string)
	s.must(200, "POST", "/sessions/"+done+"/permissions/"+file, object{"answer": "once"})
	s.status(done, "done")

	asking = s.task("run it", object{"mode": "normal"})
	s.status(asking, "waiting")
	return s, review, asking, done
}

// TestPages_NarrowAndDark: no page is wider than a window of 400 pixels, in
// light and in dark, whatever it holds.
func TestPages_NarrowAndDark(t *testing.T) {
	t.Parallel()
	s, review, asking, done := wideSessions(t)
	step := s.plan(review, 2).Steps[0].ID
	b := newBrowser(t)
	b.looks(400, "light")
	b.open(s.base + "/sign-in")
	b.fits("/sign-in")
	b.open(s.link)
	join := strings.TrimPrefix(b.invite(s, "reviewer"), s.base)
	b.fits("/people with a link")
	paths := []string{
		"/", "/new", "/people", "/models", "/sign-in", join, "/nothing-here",
		"/sessions/" + review + "/plan", "/sessions/" + review + "/plan?version=1", "/sessions/" + review + "/plan?version=2&from=1",
		"/sessions/" + asking + "/questions", "/sessions/" + review + "/plan?comment=" + step, "/sessions/" + review + "/feedback", "/sessions/" + review + "/feedback?verdict=abandon",
	}
	for _, op := range []string{"rewritten", "inserted", "moved", "deleted"} {
		paths = append(paths, "/sessions/"+review+"/edit?step="+step+"&op="+op)
	}
	for _, id := range []string{review, asking, done} {
		for _, tab := range []string{"plan", "activity", "changes", "history"} {
			paths = append(paths, "/sessions/"+id+"/"+tab)
		}
	}
	for _, scheme := range []string{"light", "dark"} {
		b.looks(400, scheme)
		for _, path := range paths {
			b.open(s.base + path)
			eval[bool](b, `(() => { for (const d of document.querySelectorAll("main details")) d.open = true; return true })()`)
			b.fits(fmt.Sprintf("%s (%s)", path, scheme))
		}
	}
}

// TestPermission_P24_TheWholeCommandIsSeen: nothing of what one is asked to
// allow lies below a fold or beside the window.
func TestPermission_P24_TheWholeCommandIsSeen(t *testing.T) {
	t.Parallel()
	s, _, asking, _ := wideSessions(t)
	b := newBrowser(t)
	for _, width := range []int64{400, 1280} {
		b.looks(width, "light")
		if width == 400 {
			b.open(s.link)
		}
		b.open(s.base + "/sessions/" + asking + "/activity")
		b.reads(".ask pre", "the-end")
		if got := eval[string](b, `document.querySelector(".ask pre").textContent`); got != wideCommand {
			t.Errorf("%d px: %d characters are shown, want %d", width, len(got), len(wideCommand))
		}
		if !eval[bool](b, `(() => { const p = document.querySelector(".ask pre");
			return p.scrollHeight <= p.clientHeight && p.scrollWidth <= p.clientWidth && p.getBoundingClientRect().right <= innerWidth })()`) {
			t.Errorf("%d px: a part of the command is hidden", width)
		}
		b.reads(".ask .why", "All of it is shown")
	}
}
