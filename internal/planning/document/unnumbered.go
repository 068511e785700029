package document

import (
	"regexp"
	"strings"
)

var (
	listNumber = regexp.MustCompile(`^\d{1,9}([.)](?:\s|$))`)
	beforeText = regexp.MustCompile(`^(?:#{1,6}\s+|\*\*|__)`)
)

// WithoutNumber is a block's text without the blank lines around it and
// without the number that makes it a step: the marker of a list item, or what
// numbers a heading or a bold beginning. Any other figure stays.
func WithoutNumber(block string) string {
	block = strings.TrimSpace(block)
	if m := listNumber.FindStringSubmatch(block); m != nil {
		return m[1] + block[len(m[0]):]
	}
	lead := beforeText.FindString(block)
	if lead == "" {
		return block
	}
	line, rest, _ := strings.Cut(block[len(lead):], "\n")
	behind := ""
	if lead == "**" || lead == "__" { // the number may be all that is bold
		if end := strings.Index(line, lead); end >= 0 {
			line, behind = line[:end], line[end:]
		}
	}
	n, ok := numberOf(line)
	if !ok {
		return block
	}
	return lead + n.before + n.after + n.title + behind + "\n" + rest
}
