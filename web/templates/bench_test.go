package templates

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"countersign/internal/planning"
	"countersign/internal/review"
)

// bigPlan is a plan of 200 steps and 100 KB.
func bigPlan() string {
	var b strings.Builder
	b.WriteString("# A big plan\n\nIntro.\n\n")
	for i := 1; i <= 200; i++ {
		fmt.Fprintf(&b, "%d. Change package number %d and its tests\n\n     %s\n     - `file%d.go` gets the new name\n     - tests follow\n\n", i, i, strings.Repeat("Here are words about what changes and why. ", 9), i)
	}
	return b.String()
}

func bigPage(b *testing.B) PlanPage {
	b.Helper()
	v, err := planning.NewVersion(planning.State{NextBlock: 1}, bigPlan(), planning.Scope{})
	if err != nil {
		b.Fatal(err)
	}
	plan := planning.Plan{Version: 1, Status: planning.PlanInReview, Title: v.Title, Markdown: v.Markdown, Blocks: v.Blocks, SHA256: v.SHA256}
	return PlanPage{
		Page:  Page{Person: review.Person{ID: "p", Name: "Ana", Role: review.RoleOwner}, Now: time.Now()},
		State: planning.State{ID: "s", Title: "Big", Plans: []planning.Plan{plan}, Approvals: 1}, Plan: plan,
	}
}

func BenchmarkPlan_200Steps(b *testing.B) {
	p := bigPage(b)
	var out strings.Builder
	if err := Plan(p).Render(context.Background(), &out); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := Plan(p).Render(context.Background(), io.Discard); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(out.Len())/1024, "KB")
}
