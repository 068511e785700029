package review

import (
	"fmt"
	"testing"

	"countersign/internal/planning"
)

func TestWaits_R8_ForWhomAndWhy(t *testing.T) {
	inReview := planning.Summary{Status: planning.StatusInReview, CreatedBy: planning.Actor{ID: "owner"}}
	approved, answered := inReview, planning.Summary{Status: planning.StatusExecuting}
	approved.ApprovedBy = []string{"approver"}
	answered.Answers = []planning.Answer{{Person: "viewer", Seq: 7}, {Person: "reviewer", Seq: 9}}
	both := inReview
	both.Answers = []planning.Answer{{Person: "approver", Seq: 9}}
	asks := planning.Summary{Status: planning.StatusWaiting, Wait: planning.WaitPermission, Asks: "a.go"}
	own := Rules{RefuseOwn: true}
	for name, c := range map[string]struct {
		sum                               planning.Summary
		rules                             Rules
		read                              int64
		viewer, reviewer, approver, owner string
	}{
		"a plan":                   {sum: inReview, approver: "[review]", owner: "[review]"},
		"one's own plan":           {sum: inReview, rules: own, approver: "[review]"},
		"approved by one of two":   {sum: approved, owner: "[review]"},
		"a question":               {sum: asks, approver: "[permission]", owner: "[permission]"},
		"a question while it runs": {sum: planning.Summary{Status: planning.StatusWaiting, Asks: "make"}, approver: "[permission]", owner: "[permission]"},
		"a message":                {sum: planning.Summary{Status: planning.StatusWaiting}, reviewer: "[message]", approver: "[message]", owner: "[message]"},
		"paused":                   {sum: planning.Summary{Status: planning.StatusPaused}, reviewer: "[resume]", approver: "[resume]", owner: "[resume]"},
		"failed":                   {sum: planning.Summary{Status: planning.StatusFailed}, reviewer: "[resume]", approver: "[resume]", owner: "[resume]"},
		"running":                  {sum: planning.Summary{Status: planning.StatusExecuting}},
		"done":                     {sum: planning.Summary{Status: planning.StatusDone}},
		"answers":                  {sum: answered, viewer: "[answer]", reviewer: "[answer]"},
		"answers, one read":        {sum: answered, read: 8, reviewer: "[answer]"},
		"answers, all read":        {sum: answered, read: 9},
		"a plan and an answer":     {sum: both, approver: "[review answer]", owner: "[review]"},
	} {
		for role, want := range map[Role]string{
			RoleViewer: c.viewer, RoleReviewer: c.reviewer, RoleApprover: c.approver, RoleOwner: c.owner, "": "",
		} {
			if want == "" {
				want = "[]"
			}
			p := Person{ID: string(role), Role: role}
			if got := fmt.Sprint(c.rules.Waits(c.sum, p, c.read)); got != want {
				t.Errorf("%s, %q: %s, want %s", name, role, got, want)
			}
		}
	}
}
