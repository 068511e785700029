package templates

import (
	"context"
	"strings"

	"countersign/internal/planning/document"
)

// longestSubject is how many characters of a step's title a screen reader gets
// to hear before each thing that can be done with it.
const longestSubject = 40

// subject is how a block is called for a screen reader.
func (b block) subject(ctx context.Context) string {
	switch {
	case b.lead:
		return tr(ctx, "the plan")
	case b.Kind != document.Step:
		return tr(ctx, "paragraph %d", b.paragraph)
	case b.Title == "":
		return tr(ctx, "step %d", b.Number)
	default:
		return tr(ctx, "step %d, %s", b.Number, shortened(visible(b.Title), longestSubject))
	}
}

// shortened cuts a text after so many characters, if it is longer.
func shortened(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return strings.TrimSpace(string(runes[:most-1])) + "…"
	}
	return text
}
