package templates

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"countersign/internal/planning"
)

// bigComparison is two versions of a plan of 200 steps and 100 KB: "edited" has
// some words of every step changed, "other" shares nothing but its shape.
func bigComparison(b *testing.B, change func(string) string) ComparePage {
	b.Helper()
	page := bigPage(b)
	v, err := planning.NewVersion(page.State, change(page.Plan.Markdown), page.Plan.Scope)
	if err != nil {
		b.Fatal(err)
	}
	to := planning.Plan{Version: 2, Title: v.Title, Markdown: v.Markdown, Blocks: v.Blocks, Scope: v.Scope, SHA256: v.SHA256}
	page.State.Plans = append(page.State.Plans, to)
	return ComparePage{Page: page.Page, State: page.State, From: page.Plan, To: to}
}

// BenchmarkCompare_200Steps renders two versions held against each other;
// beside it stands the plan page, which compares nothing.
func BenchmarkCompare_200Steps(b *testing.B) {
	edited := bigComparison(b, strings.NewReplacer("what changes and why", "all that changes", "gets the new name", "keeps its name").Replace)
	n := 0
	other := bigComparison(b, func(plan string) string {
		return strings.NewReplacer("Here are words about what changes and why.", "x").Replace(plan)
	})
	long := ComparePage{Page: edited.Page, State: edited.State, From: oneStep("a"), To: oneStep("b")}
	for name, p := range map[string]ComparePage{"edited": edited, "other": other, "one-long-step": long} {
		for _, side := range []bool{false, true} {
			p.Side = side
			b.Run(fmt.Sprintf("%s/side=%v", name, side), func(b *testing.B) {
				benchOutput(b, func(w io.Writer) error { n++; return Compare(p).Render(context.Background(), w) })
			})
		}
	}
	b.Run("plan", func(b *testing.B) {
		page := bigPage(b)
		benchOutput(b, func(w io.Writer) error { return Plan(page).Render(context.Background(), w) })
	})
}

// oneStep is a plan of one step with as many words as are compared at most,
// none of them twice.
func oneStep(word string) planning.Plan {
	var b strings.Builder
	b.WriteString("# T\n\n1. One\n\n   ")
	for i := range mostTokens/4 - 50 {
		fmt.Fprintf(&b, "%s%d ", word, i)
	}
	v, err := planning.NewVersion(planning.State{NextBlock: 1}, b.String()+"\n", planning.Scope{})
	if err != nil {
		panic(err)
	}
	return planning.Plan{Version: 1, Markdown: v.Markdown, Blocks: v.Blocks, SHA256: v.SHA256}
}
