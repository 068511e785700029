package builtin

import (
	"regexp"
	"strings"
	"unicode"
)

// task is what a message asks for.
type task struct {
	changes []change
	only    []string // patterns of the files it is about; none: all
	skip    []string // patterns of files to leave alone
	unread  []string // parts of the message that were not understood
	chinese bool     // the message is in Chinese, and so are the answers
}

// allows tells whether the task is about this file.
func (t task) allows(file string) bool {
	return (len(t.only) == 0 || matchesAny(t.only, file)) && !matchesAny(t.skip, file)
}

// A text in a task: in quotes of any sort, in which it may hold blanks or be
// empty, or a single word.
const (
	quoted = `"[^"]*"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|「[^」]*」|『[^』]*』|‘[^’]*’|'[^']*'|` + "``[^`]+``|`[^`]+`"
	term   = `(` + quoted + `|[^\s"“”„«»「」『』‘’]+)`
	kinds  = `(?:function|func|method|type|struct|interface|class|variable|var|constant|const|field|identifier|name|symbol|word|text|string|package|module)s?\s+`
	to     = `\s+(?:to|into|as|by|with|->|=>|→)\s+`
)

var (
	renameTask  = lazily(`(?i)^(?:rename)\s+(?:the\s+)?(?:` + kinds + `)?` + term + `(?:\s+(?:to|into|as)\s+|\s*(?:->|=>|→)\s*)` + term)
	replaceTask = lazily(`(?i)^(?:replace|substitute)\s+(?:all\s+)?(?:the\s+)?(?:occurrences\s+of\s+)?(?:the\s+)?(?:` + kinds + `)?` + term + `(?:\s+(?:with|by)\s+|\s*(?:->|=>|→)\s*)` + term)
	changeTask  = lazily(`(?i)^(?:change|turn)\s+(?:all\s+)?(?:the\s+)?(?:` + kinds + `)?` + term + `(?:\s+(?:to|into)\s+|\s*(?:->|=>|→)\s*)` + term)
	moreTask    = lazily(`(?i)^\s*(?:,|;|and|,\s*and)\s+(?:rename\s+|replace\s+|change\s+)?` + term + `(?:\s+(?:to|into|with|by|as)\s+|\s*(?:->|=>|→)\s*)` + term)
	politeness  = lazily(`(?i)^(?:/plan\s+|please\s+|pls\s+|can you\s+|could you\s+|now\s+|then\s+|hi,?\s+|hello,?\s+|请(?:你)?(?:帮我)?|帮我|麻烦(?:你)?|接下来|然后)\s*`)
	everywhere  = lazily(`(?i)^\s*,?\s*(?:everywhere|throughout(?: the (?:code|code ?base|project|repository|workspace))?|in (?:the )?(?:whole|entire) (?:code ?base|project|repository|workspace)|in all (?:the )?files|as well|too|please|now)\b`)
	within      = lazily(`(?i)^\s*,?\s*(?:(?:but\s+)?only\s+)?(?:in|within|under|inside|below)\s+(.+)$`)
	excepting   = lazily(`(?i)[\s,;]+(?:but\s+|and\s+)?(skip(?:ping)?|exclud(?:e|ing)|except(?:\s+for)?(?:\s+in)?|ignor(?:e|ing)|without|not in|not|leave out|don't touch|do not touch)\s+(.+)$`)
)

// parseTask reads a message. Anything beside the task itself must be
// something that it can obey, or it says no: half a task done is worse than
// none.
func parseTask(message string) (task, bool) {
	t := task{chinese: isChinese(mask(message))}
	for _, line := range lines(message) {
		line = trimSentence(politely(line))
		switch {
		case line == "":
		case t.read(line):
		case len(t.changes) > 0 && t.readSkip(line):
		default:
			t.unread = append(t.unread, line)
		}
	}
	return t, len(t.changes) > 0
}

// read takes a sentence that names a change, in either language.
func (t *task) read(line string) bool {
	n := *t
	if n.readEnglish(line) {
		n.chinese = false
		*t = n
		return true
	}
	n = *t
	if n.readChinese(line) {
		n.chinese = true
		*t = n
		return true
	}
	return false
}

func (t *task) readSkip(line string) bool {
	for _, s := range sentences(line) {
		w := readWish(s, nil)
		if len(w.skip) == 0 && len(w.only) == 0 {
			return false
		}
		t.skip, t.only = append(t.skip, w.skip...), append(t.only, w.only...)
	}
	return true
}

func (t *task) readEnglish(line string) bool {
	m, whole := terms(renameTask(), line), true
	if m == nil {
		m, whole = terms(replaceTask(), line), false
	}
	if m == nil {
		m = terms(changeTask(), line)
		whole = m != nil && isIdentifier(unquote(m[0]))
	}
	if m == nil || !t.add(m[0], m[1], whole) {
		return false
	}
	rest := m[2]
	for more := terms(moreTask(), rest); more != nil; more = terms(moreTask(), rest) {
		if !t.add(more[0], more[1], whole) {
			return false
		}
		rest = more[2]
	}
	return t.readRest(rest)
}

// readRest takes what stands behind the changes: where, and where not.
func (t *task) readRest(rest string) bool {
	if m := excepting().FindStringSubmatchIndex(rest); m != nil {
		skip, ok := pathList(rest[m[4]:m[5]])
		if !ok {
			return false
		}
		t.skip, rest = append(t.skip, skip...), rest[:m[0]]
	}
	for {
		m := everywhere().FindString(rest)
		if m == "" {
			break
		}
		rest = rest[len(m):]
	}
	if m := within().FindStringSubmatch(rest); m != nil {
		only, ok := pathList(m[1])
		if !ok {
			return false
		}
		t.only, rest = append(t.only, only...), ""
	}
	return strings.Trim(rest, " .,;!") == ""
}

// add takes a change in. A text that is to be found can't be empty, and none
// can go over several lines; an empty new text takes the old one out.
func (t *task) add(old, new string, whole bool) bool {
	c := change{old: unquote(old), new: unquote(new), whole: whole}
	if c.old == "" || strings.ContainsAny(c.old+c.new, "\n\r\x00") {
		return false
	}
	t.changes = append(t.changes, c)
	return true
}

// terms returns the two texts of a task and what stands behind them.
func terms(re *regexp.Regexp, line string) []string {
	m := re.FindStringSubmatchIndex(line)
	if m == nil {
		return nil
	}
	rest := line[m[1]:]
	if rest != "" && !strings.HasPrefix(rest, " ") && !strings.ContainsAny(rest[:1], ",;.!\t") {
		return nil
	}
	new := line[m[4]:m[5]]
	if cut := strings.TrimRight(new, ",;"); cut != new && unquote(new) == new {
		rest, new = new[len(cut):]+rest, cut
	}
	return []string{line[m[2]:m[3]], new, rest}
}

// isIdentifier: letters, digits and underscores, perhaps joined by dots.
func isIdentifier(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r != '.' && !joins(r) })
}

func isChinese(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.Han, r) })
}
