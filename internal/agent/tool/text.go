package tool

import (
	"strings"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"

	"countersign/internal/agent"
)

// maxAnswer is the largest answer that a tool gives, in bytes.
const maxAnswer = 256 << 10

// spec puts a tool's name and its description together.
func spec(name, text string) agent.ToolSpec {
	return agent.ToolSpec{Name: name, Description: strings.TrimSpace(text)}
}

// maxPreview bounds the diff that people are shown with a question, in bytes.
const maxPreview = 16 << 10

// preview is a change as a diff, as far as the arguments tell. They don't say
// where in the file it is, so there are no line numbers to believe.
func preview(name, before, after string) string {
	diff := udiff.Unified(name, name, endLine(before), endLine(after))
	if short, cut := cutText(diff, maxPreview); cut {
		return short + "\n… (more)\n"
	}
	return diff
}

func endLine(s string) string {
	if s == "" || strings.HasSuffix(s, "\n") {
		return s
	}
	return s + "\n"
}

// cutText cuts s to at most n bytes without breaking a character, and tells
// whether it had to.
func cutText(s string, n int) (string, bool) {
	if len(s) <= n {
		return s, false
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n], true
}
