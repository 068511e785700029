package builtin

import (
	"slices"
	"strconv"
	"strings"
)

// hunk is a change of some lines of a file that follow each other. In a plan
// it looks like this, in a fenced block marked as diff:
//
//	@@ line 12 @@
//	-func Old() {
//	+func New() {
//
// More lines of each kind, and lines that stay (with a blank in front), are
// understood too, because people may write them.
type hunk struct {
	line     int // number of the first line, counted from 1
	old, new []string
	from, to int // lines of the step's text that it stands on
}

// step is a step of a plan as far as this planner understands it.
type step struct {
	title string
	path  string
	hunks []hunk
	why   string // why it can't be carried out; "" if it can
}

func (s step) lines() int {
	n := 0
	for _, h := range s.hunks {
		n += max(len(h.old), len(h.new))
	}
	return n
}

var (
	fenceOpen = lazily("^([ \t]*)(`{3,}|~{3,})[ \t]*([A-Za-z]*)")
	hunkHead  = lazily(`^@@\s*(?:lines?\s+|第\s*|行\s*)?-?(\d+)[^@]*@@`)
	backticks = lazily("`+")
)

// readStep reads the text of a step. Nothing is guessed: a block of lines that
// does not have the form is a reason to leave the whole step.
func readStep(title, text string, say *words) step {
	s := step{title: title}
	all := lines(text)
	s.path = pathIn(all[0])
	if s.path == "" {
		s.why = say.noPath
		return s
	}
	blocks := 0
	for i := 0; i < len(all); i++ {
		m := fenceOpen().FindStringSubmatch(all[i])
		if m == nil {
			continue
		}
		end := fenceEnd(all, i, m[2])
		if m[3] == "diff" || i+1 < end && hunkHead().MatchString(strings.TrimSpace(all[i+1])) {
			blocks++
			if s.why = s.readHunks(all, i+1, end, m[1], say); s.why != "" {
				return s
			}
		}
		i = end
	}
	if blocks == 0 {
		s.why = say.noLines
	}
	return s
}

// fenceEnd is the index of the line that closes a fence, or of the end.
func fenceEnd(all []string, open int, fence string) int {
	for i := open + 1; i < len(all); i++ {
		t := strings.TrimSpace(all[i])
		if len(t) >= len(fence) && strings.Trim(t, fence[:1]) == "" {
			return i
		}
	}
	return len(all)
}

// readHunks reads the lines between two fences, less their indentation.
func (s *step) readHunks(all []string, from, to int, indent string, say *words) string {
	first := len(s.hunks)
	for i := from; i < to; i++ {
		line := strings.TrimPrefix(all[i], indent)
		if m := hunkHead().FindStringSubmatch(line); m != nil {
			n, err := strconv.Atoi(m[1])
			if err != nil || n < 1 {
				return say.badLine(i+1, line)
			}
			s.hunks = append(s.hunks, hunk{line: n, from: i, to: i + 1})
			continue
		}
		if strings.TrimSpace(line) == "" && !strings.HasPrefix(line, " ") {
			continue
		}
		if len(s.hunks) == first {
			return say.badLine(i+1, line)
		}
		h := &s.hunks[len(s.hunks)-1]
		switch line[0] {
		case '-':
			h.old = append(h.old, line[1:])
		case '+':
			h.new = append(h.new, line[1:])
		case ' ':
			h.old, h.new = append(h.old, line[1:]), append(h.new, line[1:])
		default:
			return say.badLine(i+1, line)
		}
		h.to = i + 1
	}
	for _, h := range s.hunks[first:] {
		if len(h.old) == 0 && len(h.new) > 0 {
			return say.onlyNew(h.line)
		}
	}
	s.hunks = slices.DeleteFunc(s.hunks, func(h hunk) bool { return len(h.old) == 0 || slices.Equal(h.old, h.new) })
	return ""
}

// pathIn finds the file that a step's first line names: in a code span, else
// the only word that looks like a path.
func pathIn(line string) string {
	if span, ok := codeSpan(line); ok {
		return cleanPattern(span)
	}
	var found []string
	for _, word := range strings.Fields(line) {
		word = strings.Trim(word, `"'“”‘’,:;()*`)
		if strings.ContainsAny(word, "/.") && !strings.HasSuffix(word, ".") && strings.ContainsFunc(word, joins) {
			found = append(found, word)
		}
	}
	if len(found) != 1 {
		return ""
	}
	return cleanPattern(found[0])
}

// codeSpan returns the text of the first code span of a line.
func codeSpan(line string) (string, bool) {
	text, _, to := firstSpan(line)
	return text, to > 0
}

// firstSpan finds the first code span of a line, where it begins and where it
// ends (0 if there is none): what stands between two runs of backticks of the
// same length, less one blank at each end if it has one at both.
func firstSpan(line string) (text string, from, to int) {
	runs := backticks().FindAllStringIndex(line, -1)
	for i, open := range runs {
		for _, end := range runs[i+1:] {
			if end[1]-end[0] != open[1]-open[0] {
				continue
			}
			s := line[open[1]:end[0]]
			if len(s) > 2 && s[0] == ' ' && s[len(s)-1] == ' ' && strings.TrimSpace(s) != "" {
				s = s[1 : len(s)-1]
			}
			return s, open[0], end[1]
		}
	}
	return "", 0, 0
}

// without returns the text of a step without some of its hunks. Every other
// byte stays.
func without(text string, drop []hunk) string {
	all := strings.SplitAfter(text, "\n")
	for _, h := range drop {
		for i := h.from; i < h.to; i++ {
			all[i] = ""
		}
	}
	return strings.Join(all, "")
}
