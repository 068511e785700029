package markdown

import (
	"html"
	"path"
	"strings"
)

// CodeLines colours lines of a file, given by its name, by chroma's classes:
// HTML, one text for each line and without line ends. Its lexers see at most a
// few kilobytes at once, so what begins far above, such as a long comment, may
// not be known further down. What can't be coloured comes escaped.
func CodeLines(name string, lines []string) []string {
	out := make([]string, 0, len(lines))
	language := languageOf(name)
	for len(lines) > 0 {
		n, size := 0, 0
		for n < len(lines) && (n == 0 || size+len(lines[n])+1 <= maxColored) {
			size += len(lines[n]) + 1
			n++
		}
		out = append(out, colorLines(language, lines[:n])...)
		lines = lines[n:]
	}
	return out
}

// languageOf is the ending of a file's name, or the whole name where it has
// none: "Makefile".
func languageOf(name string) string {
	base := strings.ToLower(path.Base(name))
	if ending := strings.TrimPrefix(path.Ext(base), "."); ending != "" {
		return ending
	}
	return base
}

func colorLines(language string, lines []string) []string {
	text := strings.Join(lines, "\n") + "\n"
	if moderate(text) {
		if colored, ok := highlight(text, language); ok {
			if list := splitLines(strings.TrimSuffix(colored, "\n")); len(list) == len(lines) {
				return list
			}
		}
	}
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = html.EscapeString(l)
	}
	return out
}

// splitLines cuts coloured code into lines; what is open at the end of one is
// closed there and opened again on the next. Elements are spans and do not
// stand inside each other.
func splitLines(colored string) []string {
	list := strings.Split(colored, "\n")
	open := ""
	for i, l := range list {
		line := open + l
		if at := strings.LastIndex(line, "<span"); at >= 0 && !strings.Contains(line[at:], "</span>") {
			end := strings.IndexByte(line[at:], '>')
			open = line[at : at+end+1]
			line += "</span>"
		} else {
			open = ""
		}
		list[i] = line
	}
	return list
}
