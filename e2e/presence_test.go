package e2e

import (
	"testing"
)

// TestPresence_R8_TwoPeople: each sees that the other is here, where, and that
// they type; who loses the connection is gone by themselves.
func TestPresence_R8_TwoPeople(t *testing.T) {
	t.Parallel()
	s := newServer(t, workspace(t, nil))
	ana := newBrowser(t)
	base, _ := ana.sampleSession(s)
	link := ana.invite(s, "viewer")
	boLink := ana.invite(s, "reviewer")
	ana.open(base + "/plan")
	cable := newWire(t, s)
	bo := newBrowser(t)
	bo.join(cable.through(s, boLink), "Bo Li")
	bo.open(cable.through(s, base+"/plan"))

	ana.reads("#here li", "Bo Li")
	bo.until("Ana", `document.querySelectorAll("#here li").length === 1 && document.querySelector("#here li").checkVisibility()`)
	ana.until("the initials", `document.querySelector("#here .avatar > [aria-hidden]").textContent === "BL"`)

	// Where Bo types, and that he does; and where Ana is when he stops.
	typing := bo.step(2) + ` .composer:not(.inline) textarea`
	bo.click(bo.step(2) + ` [data-do=comment]`)
	before := eval[float64](ana, `document.querySelector(`+quote(ana.step(2))+`).getBoundingClientRect().top`)
	bo.keys(typing, "hm")
	ana.reads("#here li", "Bo Li, typing at step 2")
	ana.until("Bo at the step", `document.querySelector(`+quote(ana.step(2)+" .eyes .avatar.typing")+`)`)
	ana.reads("#here li", "Bo Li, at step 2") // by itself, after a few seconds
	if after := eval[float64](ana, `document.querySelector(`+quote(ana.step(2))+`).getBoundingClientRect().top`); after != before {
		t.Errorf("the step jumped by %v px", after-before)
	}
	eval[bool](ana, `(document.querySelector(`+quote(ana.step(1)+" a[data-do=comment]")+`).focus(), true)`)
	bo.reads("#here li", ", at step 1")

	// A second tab of Bo's is the same person, and a viewer is shown too.
	eval[bool](bo, `(window.open(location.href), true)`)
	vera := newBrowser(t)
	vera.open(link)
	vera.keys(`input[name=name]`, "Vera")
	vera.click(`main form button`)
	vera.sees("main.board")
	vera.open(base + "/plan")
	ana.reads("#here li", "Vera")
	if n := eval[int](ana, `document.querySelectorAll("#here li").length`); n != 2 {
		t.Errorf("%d people are here for Ana, want 2", n)
	}
	ana.open(base + "/plan") // who comes later sees who was here before
	ana.reads("#here li", "Vera")
	ana.reads("#here li", "Bo Li")

	cable.hang()
	ana.until("Bo to be gone", `![...document.querySelectorAll("#here li")].some(e => e.textContent.includes("Bo Li"))`)
	ana.reads("#here li", "Vera")
	ana.until("no face at the step", `!document.querySelector(`+quote(ana.step(2)+" .eyes .avatar")+`)`)
}
