package templates

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"countersign/internal/planning"
	"countersign/internal/review"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
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
	scope := planning.Scope{Files: []string{"pkg/**"}}
	for i := 1; i <= 200; i++ {
		scope.Files = append(scope.Files, fmt.Sprintf("pkg/file%d.go", i))
	}
	v, err := planning.NewVersion(planning.State{NextBlock: 1}, bigPlan(), scope)
	if err != nil {
		b.Fatal(err)
	}
	plan := planning.Plan{Version: 1, Status: planning.PlanInReview, Title: v.Title, Markdown: v.Markdown, Blocks: v.Blocks, Scope: scope, SHA256: v.SHA256}
	return PlanPage{
		Page:  Page{Person: review.Person{ID: "p", Name: "Ana", Role: review.RoleOwner}, Now: time.Now()},
		State: planning.State{ID: "s", Title: "Big", Plans: []planning.Plan{plan}, Approvals: 1}, Plan: plan,
	}
}

// BenchmarkPlan_200Steps renders the page of a plan of 200 steps: with nothing
// known, and again, as every update of the page does. Beside them stands what
// the same document costs as Markdown alone, without review, sanitizing or
// coloured code: the difference is ours.
func BenchmarkPlan_200Steps(b *testing.B) {
	p := bigPage(b)
	page := func(w io.Writer) error { return Plan(p).Render(context.Background(), w) }
	b.Run("first", func(b *testing.B) {
		benchOutput(b, func(w io.Writer) error {
			rendered.Purge()
			return page(w)
		})
	})
	b.Run("again", func(b *testing.B) { benchOutput(b, page) })
	b.Run("goldmark", func(b *testing.B) {
		md, source := goldmark.New(goldmark.WithExtensions(extension.GFM)), []byte(p.Plan.Markdown)
		benchOutput(b, func(w io.Writer) error { return md.Convert(source, w) })
	})
}

// benchOutput measures write, and reports the size of what it writes, as it is
// and as it travels.
func benchOutput(b *testing.B, write func(io.Writer) error) {
	b.Helper()
	var out, zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	if err := errors.Join(write(io.MultiWriter(&out, z)), z.Close()); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := write(io.Discard); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(out.Len()), "bytes")
	b.ReportMetric(float64(zipped.Len()), "gz-bytes")
}
