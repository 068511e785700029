package templates

import "strings"

// diffLine is one line of a unified diff.
type diffLine struct{ class, sign, text string }

// unified splits a diff into lines to colour; its file header is left out.
func unified(text string) []diffLine {
	var lines []diffLine
	header := true
	for line := range strings.Lines(text) {
		line = visible(strings.TrimRight(line, "\r\n"))
		if strings.HasPrefix(line, "@@") {
			header = false
		} else if header && (strings.HasPrefix(line, "--- ") || strings.HasPrefix(line, "+++ ")) {
			continue
		}
		lines = append(lines, oneLine(line))
	}
	return lines
}

func oneLine(line string) diffLine {
	switch {
	case strings.HasPrefix(line, "@@"):
		return diffLine{"h", "", line}
	case strings.HasPrefix(line, "+"):
		return diffLine{"a", "+", line[1:]}
	case strings.HasPrefix(line, "-"):
		return diffLine{"r", "−", line[1:]}
	case strings.HasPrefix(line, " "):
		return diffLine{"", "", line[1:]}
	default:
		return diffLine{"", "", line}
	}
}
