package review

import (
	"strings"
	"testing"

	"countersign/internal/fault"
	"countersign/internal/planning"
)

func (d *desk) approves(by Person, rules Rules) ([]planning.Event, error) {
	p := d.plan()
	return Decide(d.s, by, NewDecision{Version: p.Version, Verdict: planning.VerdictApprove, SHA256: p.SHA256, Rules: rules})
}

func TestReview_R7_AStaleApprovalIsKeptWithItsHash(t *testing.T) {
	d := newDesk(t, 2)
	seen := d.submit(firstPlan)
	d.ok(d.verdict(ana, planning.VerdictApprove, ""))
	d.ok(d.edit(chen, NewEdit{Op: planning.EditRewrite, Step: d.step(1).ID, Markdown: "1. Other"}))
	stale := d.plan().StaleApprovals()
	if len(stale) != 1 || stale[0].By.Name != "Ana" || stale[0].SHA256 != seen.SHA256 || len(d.plan().ValidApprovals()) != 0 {
		t.Errorf("stale %+v", stale)
	}
	if a, stands := d.plan().ApprovalOf(ana.ID); a.SHA256 != seen.SHA256 || stands {
		t.Errorf("Ana's approval %+v, stands %v", a, stands)
	}
	d.ok(d.verdict(ana, planning.VerdictApprove, ""))
	if len(d.plan().StaleApprovals()) != 0 || len(d.plan().ValidApprovals()) != 1 {
		t.Error("a new approval does not take the place of the stale one")
	}
}

func TestReview_R7_WithdrawAnApproval(t *testing.T) {
	d := newDesk(t, 2)
	d.submit(firstPlan)
	_, err := WithdrawApproval(d.s, ana, 1)
	wantCode(t, "nothing to withdraw", err, fault.Conflict)
	d.ok(d.verdict(ana, planning.VerdictApprove, ""))
	_, err = WithdrawApproval(d.s, bo, 1)
	wantCode(t, "somebody else's", err, fault.Conflict)
	d.ok(WithdrawApproval(d.s, ana, 1))
	d.ok(d.verdict(bo, planning.VerdictApprove, ""))
	if !d.s.InReview() {
		t.Fatal("a withdrawn approval was counted")
	}
	d.ok(d.verdict(ana, planning.VerdictApprove, ""))
	if d.s.InReview() {
		t.Fatal("two approvals did not decide")
	}
	_, err = WithdrawApproval(d.s, ana, 1)
	wantCode(t, "after the decision", err, fault.Conflict)
}

func TestReview_R7_OnesOwnSession(t *testing.T) {
	d := newDesk(t, 1)
	d.submit(firstPlan)
	_, err := d.approves(ana, Rules{RefuseOwn: true})
	wantCode(t, "the one who started it approves", err, fault.Forbidden)
	if _, err := d.approves(ana, Rules{}); err != nil {
		t.Errorf("where it is allowed: %v", err)
	}
	if _, err := d.approves(bo, Rules{RefuseOwn: true}); err != nil {
		t.Errorf("somebody else: %v", err)
	}
	// Whoever started it may always ask for changes.
	p := d.plan()
	d.ok(Decide(d.s, ana, NewDecision{Version: 1, Verdict: planning.VerdictRequestChanges, SHA256: p.SHA256, Rules: Rules{RefuseOwn: true}}))
}

func TestReview_R7_OpenThreadsCanBlock(t *testing.T) {
	d := newDesk(t, 1)
	d.submit(firstPlan)
	d.comment(chen, "t", 1, "Why?")
	_, err := d.approves(bo, Rules{ThreadsBlock: true})
	wantCode(t, "approve with an open comment", err, fault.Conflict)
	if f, _ := fault.As(err); f.Current.(map[string]any)["open_threads"] != 1 || !strings.Contains(f.Message, "open") {
		t.Errorf("%v", err)
	}
	d.ok(Resolve(d.s, chen, "t"))
	d.ok(d.approves(bo, Rules{ThreadsBlock: true}))
}
