package builtin

import (
	"strings"
)

// lines splits a text into its lines, without line ends.
func lines(s string) []string {
	return strings.Split(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
}

var sentenceEnd = lazily(`[.!?;]+(?:\s+|$)|[。！？；]+|\n+`)

// sentences splits a text into its sentences. A dot inside a word, as in
// "log.go", ends none.
func sentences(s string) []string {
	var out []string
	for from := 0; from < len(s); {
		end := sentenceEnd().FindStringIndex(mask(s)[from:])
		next := len(s)
		if end != nil {
			next = from + end[1]
		}
		if one := strings.TrimSpace(s[from:next]); one != "" {
			out = append(out, one)
		}
		from = next
	}
	return out
}

// trimSentence takes blanks and the marks at the end of a sentence away.
func trimSentence(s string) string {
	return strings.TrimSpace(strings.TrimRight(strings.TrimSpace(s), ".!。！;；,， "))
}

// politely takes away what people say before they come to the point.
func politely(s string) string {
	for {
		s = strings.TrimSpace(s)
		m := politeness().FindString(s)
		if m == "" {
			return s
		}
		s = s[len(m):]
	}
}

var quotes = []struct{ open, close string }{
	{"``", "``"}, {"`", "`"}, {`"`, `"`}, {"'", "'"}, {"“", "”"}, {"‘", "’"}, {"「", "」"}, {"『", "』"}, {"«", "»"}, {"„", "“"}, {"„", "”"},
}

// unquote takes one pair of quotes around a text away, which may be empty.
func unquote(s string) string {
	for _, q := range quotes {
		inside := len(s) - len(q.open) - len(q.close)
		if inside < 0 || inside == 0 && q.open[0] == '`' || !strings.HasPrefix(s, q.open) || !strings.HasSuffix(s, q.close) {
			continue // two backticks are no quotes around nothing
		}
		return s[len(q.open) : len(s)-len(q.close)]
	}
	return s
}

var inQuotes = lazily(quoted)

// mask makes every byte inside quotes an x, so that a search for keywords
// finds none there. The length stays.
func mask(s string) string {
	return inQuotes().ReplaceAllStringFunc(s, func(q string) string { return strings.Repeat("x", len(q)) })
}

// short cuts a text to at most n characters on one line.
func short(s string, n int) string {
	r := []rune(strings.Join(strings.Fields(s), " "))
	if len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return string(r)
}

// code makes a Markdown code span of a text, whatever is in it.
func code(s string) string {
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") || strings.Trim(s, " ") == "" {
		return fence + " " + s + " " + fence
	}
	return fence + s + fence
}

// plain makes a text from a person safe to stand in a Markdown paragraph.
func plain(s string) string {
	var b strings.Builder
	for _, r := range s {
		if strings.ContainsRune("\\`*_{}[]<>#|~!&", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
