package review

import (
	"strings"
	"testing"
	"time"

	"countersign/internal/fault"
	"countersign/internal/planning"
)

var (
	ana   = Person{ID: "1", Name: "Ana", Role: RoleOwner}
	bo    = Person{ID: "2", Name: "Bo", Role: RoleApprover}
	chen  = Person{ID: "3", Name: "Chen", Role: RoleReviewer}
	guest = Person{ID: "4", Name: "Guest", Role: RoleViewer}
)

const firstPlan = "# Pause jobs\n\nWhy we do it.\n\n1. Store the state\n2. Skip paused jobs\n3. Add commands\n4. Write tests\n"

// desk is a session on which a test acts as people and as the agent.
type desk struct {
	t   *testing.T
	s   planning.State
	log []planning.Record
}

func newDesk(t *testing.T, approvals int) *desk {
	t.Helper()
	d := &desk{t: t}
	d.record(planning.Event{Actor: ana.Actor(), Payload: planning.SessionCreated{
		Title: "T", Workspace: "/w", Model: "builtin", Mode: planning.ModePlan, Approvals: approvals,
	}}, planning.Event{Actor: ana.Actor(), Payload: planning.UserMessage{Text: "task"}})
	return d
}

func (d *desk) record(events ...planning.Event) {
	d.t.Helper()
	for _, e := range events {
		r, err := planning.NewRecord("x", d.s.Seq+1, time.Unix(d.s.Seq, 0), e)
		if err != nil {
			d.t.Fatal(err)
		}
		if d.s, err = d.s.Apply(r); err != nil {
			d.t.Fatal(err)
		}
		d.log = append(d.log, r)
	}
}

// submit hands in the next version, as the loop does.
func (d *desk) submit(markdown string, files ...string) planning.Plan {
	d.t.Helper()
	p, err := planning.NewVersion(d.s, markdown, planning.Scope{Files: files})
	if err != nil {
		d.t.Fatal(err)
	}
	p.Call = "call"
	d.record(planning.Event{Actor: planning.Actor{Kind: planning.ActorAgent}, Payload: p}, planning.Event{Payload: planning.RunParked{Wait: planning.WaitReview}})
	return d.plan()
}

func (d *desk) plan() planning.Plan {
	p, _ := d.s.Plan()
	return p
}

// ok records what an action answers and fails the test if it is refused.
func (d *desk) ok(events []planning.Event, err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
	d.record(events...)
}

func (d *desk) step(number int) planning.Block {
	d.t.Helper()
	return d.plan().Steps()[number-1]
}

func (d *desk) comment(by Person, id string, step int, body string) {
	d.t.Helper()
	in := NewComment{Thread: id, Version: d.plan().Version, Body: body}
	if step > 0 {
		in.Step = d.step(step).ID
	}
	d.ok(Comment(d.s, by, in))
}

func (d *desk) edit(by Person, e NewEdit) ([]planning.Event, error) {
	e.Version = d.plan().Version
	if e.Base == "" {
		e.Base = d.plan().SHA256
	}
	return EditPlan(d.s, by, e)
}

func (d *desk) verdict(by Person, v planning.Verdict, note string) ([]planning.Event, error) {
	p := d.plan()
	return Decide(d.s, by, NewDecision{Version: p.Version, Verdict: v, SHA256: p.SHA256, Note: note})
}

func wantCode(t *testing.T, what string, err error, code fault.Code) {
	t.Helper()
	if !fault.Is(err, code) {
		t.Errorf("%s: error %v, want %s", what, err, code)
	}
}

func TestReview_R7_Roles(t *testing.T) {
	d := newDesk(t, 1)
	d.submit(firstPlan)
	p := d.plan()
	_, err := Comment(d.s, guest, NewComment{Thread: "t", Version: 1, Body: "x"})
	wantCode(t, "a viewer comments", err, fault.Forbidden)
	_, err = d.edit(guest, NewEdit{Op: planning.EditRewrite, Step: p.Steps()[0].ID, Markdown: "1. x"})
	wantCode(t, "a viewer rewrites", err, fault.Forbidden)
	_, err = d.verdict(chen, planning.VerdictApprove, "")
	wantCode(t, "a reviewer decides", err, fault.Forbidden)
	_, err = d.verdict(Person{ID: "9", Role: "admin"}, planning.VerdictApprove, "")
	wantCode(t, "a role nobody knows decides", err, fault.Forbidden)
	if (Person{Role: RoleOwner}).Can("fly") {
		t.Error("an owner may do something that is no action")
	}
}

func TestPlan_P16_AnApprovalNamesTheHashThatWasSeen(t *testing.T) {
	d := newDesk(t, 1)
	seen := d.submit(firstPlan)
	d.ok(d.edit(bo, NewEdit{Op: planning.EditRewrite, Step: d.step(2).ID, Markdown: "2. Leave paused jobs out"}))
	for _, v := range []planning.Verdict{planning.VerdictApprove, planning.VerdictRequestChanges} {
		_, err := Decide(d.s, ana, NewDecision{Version: 1, Verdict: v, SHA256: seen.SHA256})
		wantCode(t, "stale "+string(v), err, fault.Conflict)
		f, _ := fault.As(err)
		now, _ := f.Current.(map[string]any)
		if now["sha256"] != d.plan().SHA256 || now["edits"] == nil {
			t.Errorf("the conflict does not say what changed: %v", now)
		}
	}
	_, err := Decide(d.s, ana, NewDecision{Version: 1, Verdict: planning.VerdictApprove})
	wantCode(t, "no hash", err, fault.Invalid)
	_, err = Decide(d.s, ana, NewDecision{Version: 1, Verdict: "yes", SHA256: d.plan().SHA256})
	wantCode(t, "no verdict", err, fault.Invalid)
	_, err = Decide(d.s, ana, NewDecision{Version: 7, Verdict: planning.VerdictApprove, SHA256: d.plan().SHA256})
	wantCode(t, "no such version", err, fault.NotFound)
	d.submit(firstPlan + "5. More\n")
	_, err = Decide(d.s, ana, NewDecision{Version: 1, Verdict: planning.VerdictApprove, SHA256: seen.SHA256})
	wantCode(t, "an older version", err, fault.Conflict)
}

func TestPlan_P17_OneVerdictWins(t *testing.T) {
	d := newDesk(t, 1)
	d.submit(firstPlan)
	d.ok(d.verdict(bo, planning.VerdictRequestChanges, ""))
	_, err := d.verdict(ana, planning.VerdictApprove, "")
	wantCode(t, "the second verdict", err, fault.Conflict)
	if f, _ := fault.As(err); f.Current.(map[string]any)["by"] != "Bo" {
		t.Errorf("the loser is not told who decided: %v", f.Current)
	}
	_, err = Comment(d.s, chen, NewComment{Thread: "t", Version: 1, Body: "late"})
	wantCode(t, "a comment after the decision", err, fault.Conflict)
}

func TestReview_R7_QuorumAndStaleApprovals(t *testing.T) {
	d := newDesk(t, 2)
	d.submit(firstPlan)
	d.ok(d.verdict(ana, planning.VerdictApprove, "fine"))
	if !d.s.InReview() || d.s.Runnable() {
		t.Fatal("one of two approvals ended the review")
	}
	_, err := d.verdict(ana, planning.VerdictApprove, "")
	wantCode(t, "the same person again", err, fault.Conflict)
	d.ok(d.edit(chen, NewEdit{Op: planning.EditRewrite, Step: d.step(1).ID, Markdown: "1. Keep the state"}))
	d.ok(d.verdict(bo, planning.VerdictApprove, ""))
	if !d.s.InReview() {
		t.Fatal("an approval of another text was counted")
	}
	d.ok(d.verdict(ana, planning.VerdictApprove, "still fine"))
	if d.s.InReview() || d.s.Queued != planning.ModeExecuting || !d.s.Runnable() {
		t.Fatalf("after two approvals of one text: in review %v, queued %q", d.s.InReview(), d.s.Queued)
	}
	result := d.plan().Decision.Result
	for _, want := range []string{"Approved by Bo and Ana.", "1. Keep the state", "Note from Ana:\n```\nstill fine\n```"} {
		if !strings.Contains(result, want) {
			t.Errorf("the agent does not get %q:\n%s", want, result)
		}
	}
}

func TestTodo_T8_ApprovalFillsTheList(t *testing.T) {
	d := newDesk(t, 1)
	p := d.submit(firstPlan)
	d.ok(d.verdict(bo, planning.VerdictApprove, ""))
	if len(d.s.Todos) != 4 {
		t.Fatalf("list: %v", d.s.Todos)
	}
	for i, todo := range d.s.Todos {
		if todo.ID != p.Steps()[i].ID || todo.Text != p.Steps()[i].Title || todo.Status != planning.TodoPending {
			t.Errorf("item %d: %+v", i, todo)
		}
	}
}

func TestReview_R6_TheSecondSaveGetsBothTexts(t *testing.T) {
	d := newDesk(t, 1)
	p := d.submit(firstPlan)
	second := d.step(2).ID
	seen := p.Text(d.step(2))
	d.ok(d.edit(bo, NewEdit{Op: planning.EditRewrite, Step: second, Markdown: "2. Bo's text", Base: p.SHA256}))

	_, err := d.edit(chen, NewEdit{Op: planning.EditRewrite, Step: second, Markdown: "2. Chen's text", Base: p.SHA256, Seen: &seen})
	wantCode(t, "the same step", err, fault.Conflict)
	f, _ := fault.As(err)
	now := f.Current.(map[string]any)
	if !strings.Contains(now["markdown"].(string), "Bo's text") || now["by"] != "Bo" {
		t.Errorf("the conflict carries %v", now)
	}
	_, err = d.edit(chen, NewEdit{Op: planning.EditRewrite, Step: d.step(3).ID, Markdown: "3. Other", Base: p.SHA256})
	wantCode(t, "a script that saw an older plan", err, fault.Conflict)
	other := p.Text(p.Steps()[2])
	d.ok(d.edit(chen, NewEdit{Op: planning.EditRewrite, Step: d.step(3).ID, Markdown: "3. Other", Base: p.SHA256, Seen: &other}))
	if !strings.Contains(d.plan().Markdown, "Bo's text") || !strings.Contains(d.plan().Markdown, "3. Other") {
		t.Errorf("plan:\n%s", d.plan().Markdown)
	}
}

func TestReview_BadInput(t *testing.T) {
	d := newDesk(t, 1)
	_, err := Comment(d.s, ana, NewComment{Thread: "t", Version: 1, Body: "x"})
	wantCode(t, "no plan yet", err, fault.NotFound)
	d.submit(firstPlan)
	for what, c := range map[string]struct {
		in   NewComment
		code fault.Code
	}{
		"blank":        {NewComment{Version: 1, Body: " \n"}, fault.Invalid},
		"too long":     {NewComment{Version: 1, Body: strings.Repeat("x", MaxComment+1)}, fault.TooLarge},
		"NUL":          {NewComment{Version: 1, Body: "a\x00"}, fault.Invalid},
		"no such step": {NewComment{Version: 1, Step: "s99", Body: "x"}, fault.NotFound},
		"version 2":    {NewComment{Version: 2, Body: "x"}, fault.NotFound},
	} {
		_, err := Comment(d.s, ana, c.in)
		wantCode(t, what, err, c.code)
	}
	_, err = Reply(d.s, ana, "nope", "x")
	wantCode(t, "reply to no thread", err, fault.NotFound)
	_, err = d.edit(ana, NewEdit{Op: "explode", Step: d.step(1).ID, Markdown: "x"})
	wantCode(t, "no such edit", err, fault.Invalid)
	_, err = EditPlan(d.s, ana, NewEdit{Op: planning.EditRewrite, Version: 1, Step: d.step(1).ID, Markdown: "x"})
	wantCode(t, "no base", err, fault.Invalid)
	_, err = d.edit(ana, NewEdit{Op: planning.EditRewrite, Step: d.step(1).ID, Markdown: "1. Store the state"})
	wantCode(t, "no change", err, fault.Invalid)
}
