package templates

import (
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
func agreedNames(c planning.Comment) string {
	if len(c.Agreed) == 0 {
		return ""
	}
	names := make([]string, len(c.Agreed))
	for i, a := range c.Agreed {
		names[i] = visible(a.Name)
	}
	return "Agreed by " + strings.Join(names, ", ")
}

func agreedCount(c planning.Comment) string {
	return count(len(c.Agreed), "1 agrees", "%d agree")
}

func agreeWords(c planning.Comment) string {
	if len(c.Agreed) == 0 {
		return "Agree"
	}
	return agreedCount(c)
}

// agreeLabel is the button for a screen reader.
func agreeLabel(c planning.Comment) string {
	label := fmt.Sprintf("Agree with the comment of %s", visible(c.By.Name))
	if names := agreedNames(c); names != "" {
		return label + ". " + names
	}
	return label
}
