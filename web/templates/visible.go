package templates

import (
	"regexp"
	"strings"

	"countersign/web/templates/markdown"
)

// escapes are what terminals act on: colours, titles, links, the clipboard.
// One that is not closed is taken up to the end of its line.
var escapes = regexp.MustCompile(`\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)?|\x1b[ -/]*[0-~]`)

// visible makes plain text safe to look at: escapes for terminals are taken
// out, and characters that reorder or hide others are named instead of obeyed
// (see markdown.Visible). What comes as HTML from package markdown has been
// through that already.
func visible(s string) string {
	if strings.IndexByte(s, 0x1b) >= 0 {
		s = escapes.ReplaceAllString(s, "")
	}
	return markdown.Visible(s)
}
