package builtin

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"countersign/internal/planning"
	"countersign/internal/review"
)

// desk is the review of a session's plans, done with the real rules, so that
// what the model reads is what people's reviews really come to.
type desk struct {
	s     *session
	state planning.State
	n     int
}

func person(name string) review.Person {
	return review.Person{ID: strings.ToLower(name), Name: name, Role: review.RoleOwner}
}

func newDesk(s *session) *desk {
	d := &desk{s: s}
	d.apply(planning.Event{Actor: planning.System, Payload: planning.SessionCreated{Title: "t", Mode: planning.ModePlan, Approvals: 1}})
	return d
}

func (d *desk) apply(events ...planning.Event) {
	d.s.t.Helper()
	for _, e := range events {
		r, err := planning.NewRecord("s", d.state.Seq+1, time.Unix(0, 0), e)
		if err != nil {
			d.s.t.Fatal(err)
		}
		if d.state, err = d.state.Apply(r); err != nil {
			d.s.t.Fatal(err)
		}
	}
}

func (d *desk) must(events []planning.Event, err error) {
	d.s.t.Helper()
	if err != nil {
		d.s.t.Fatal(err)
	}
	d.apply(events...)
}

// open puts the plan that was just submitted on the desk.
func (d *desk) open() planning.Plan {
	d.s.t.Helper()
	p := d.s.plan()
	calls := d.s.messages[len(d.s.messages)-1].Calls
	version, err := planning.NewVersion(d.state, p.Plan, planning.Scope{Files: p.Files, Commands: p.Commands})
	if err != nil {
		d.s.t.Fatal(err)
	}
	version.Call = calls[0].ID
	d.apply(
		planning.Event{Payload: planning.ModelMessage{Calls: calls}},
		planning.Event{Payload: version},
	)
	return d.plan()
}

func (d *desk) plan() planning.Plan {
	p, _ := d.state.Plan()
	return p
}

// block is the id of a step; 0 stands for the plan as a whole.
func (d *desk) block(step int) string {
	if step == 0 {
		return ""
	}
	return d.plan().Steps()[step-1].ID
}

func (d *desk) comment(who string, step int, quote, body string) {
	d.s.t.Helper()
	d.n++
	d.must(review.Comment(d.state, person(who), review.NewComment{
		Thread: fmt.Sprint("t", d.n), Version: d.plan().Version, Step: d.block(step), Quote: quote, Body: body,
	}))
}

func (d *desk) reply(who string, body string) {
	d.s.t.Helper()
	d.must(review.Reply(d.state, person(who), fmt.Sprint("t", d.n), body))
}

func (d *desk) edit(who string, op planning.EditOp, step int, markdown string) {
	d.s.t.Helper()
	d.editAt(who, op, step, 0, markdown)
}

// editAt is an edit with a place: behind the step after, 0 for the first place.
func (d *desk) editAt(who string, op planning.EditOp, step, after int, markdown string) {
	d.s.t.Helper()
	d.must(review.EditPlan(d.state, person(who), review.NewEdit{
		Op: op, Version: d.plan().Version, Step: d.block(step), After: d.block(after), Markdown: markdown, Base: d.plan().SHA256,
	}))
}

func replyTo(d *desk, thread, body string) ([]planning.Event, error) {
	return review.Reply(d.state, person("Ana"), thread, body)
}

// text is what a reviewer has before them when they rewrite a step.
func (d *desk) text(step int) string {
	p := d.plan()
	return strings.TrimSpace(p.Text(p.Steps()[step-1]))
}

// decide gives the verdict and lets the model have what comes of it.
func (d *desk) decide(who string, v planning.Verdict, note string) {
	d.s.t.Helper()
	events, err := review.Decide(d.state, person(who), review.NewDecision{
		Version: d.plan().Version, Verdict: v, SHA256: d.plan().SHA256, Note: note,
	})
	d.must(events, err)
	d.s.decide(d.plan().Decision.Result)
	if v == planning.VerdictApprove {
		d.s.todos, d.s.offered = d.state.Todos, execTools
	}
}

// next sends the plan back and puts the new version on the desk.
func (d *desk) next(t *testing.T) planning.Plan {
	t.Helper()
	d.decide("Ana", planning.VerdictRequestChanges, "")
	d.s.run()
	return d.open()
}

// reviewing starts a session and brings its first plan onto the desk.
func reviewing(t *testing.T, files map[string]string, task string) (*session, *desk) {
	t.Helper()
	s := newSession(t, files)
	s.say(task)
	s.run()
	d := newDesk(s)
	d.open()
	return s, d
}
