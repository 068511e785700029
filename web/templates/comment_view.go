package templates

import (
	"context"
	"fmt"
	"strings"

	"countersign/internal/planning"
)

// commentPath is where the forms of a comment go.
func (p PlanPage) commentPath(t planning.Thread, c planning.Comment) string {
	return fmt.Sprintf("%sthreads/%s/comments/%d", p.root(), t.ID, c.Seq)
}

// commentText is what stands in the field of a comment's form: what a form that
// came back brought, or the comment.
func (p PlanPage) commentText(c planning.Comment) string {
	if p.Compose.Comment == c.Seq {
		return p.Compose.Body
	}
	return c.Body
}

func (p PlanPage) commentProblem(c planning.Comment) string {
	if p.Compose.Comment == c.Seq {
		return p.Compose.Problem
	}
	return ""
}

func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

// agreedNames says who agrees, for the pointer to rest on.
func agreedNames(ctx context.Context, c planning.Comment) string {
	if len(c.Agreed) == 0 {
		return ""
	}
	names := make([]string, len(c.Agreed))
	for i, a := range c.Agreed {
		names[i] = visible(a.Name)
	}
	return tr(ctx, "Agreed by %s", strings.Join(names, tr(ctx, ", ")))
}

func agreeWords(ctx context.Context, c planning.Comment) string {
	if len(c.Agreed) == 0 {
		return tr(ctx, "Agree")
	}
	return tr(ctx, "%d agree", len(c.Agreed))
}

// agreeLabel is the button for a screen reader.
func agreeLabel(ctx context.Context, c planning.Comment) string {
	label := tr(ctx, "Agree with the comment of %s", visible(c.By.Name))
	if names := agreedNames(ctx, c); names != "" {
		return label + " · " + names
	}
	return label
}
