package tool

import (
	"strings"
	"unicode/utf8"

	"countersign/internal/agent"
)

// maxAnswer is the largest answer that a tool gives, in bytes.
const maxAnswer = 256 << 10

// spec puts a tool's name and its description together.
func spec(name, text string) agent.ToolSpec {
	return agent.ToolSpec{Name: name, Description: strings.TrimSpace(text)}
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
