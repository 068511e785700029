package builtin

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
)

// feedback is the result of submit_plan, read back. Numbers of steps are those
// of the version as it was submitted.
type feedback struct {
	verdict  verdict
	final    string // the text that was approved, if reviewers changed it
	comments []comment
	edits    []edit
	order    []int      // of the steps, 0 for an inserted one; nil if nothing was moved
	scope    *scopeArgs // what a reviewer set; nil if nobody has
}

type verdict int

const (
	unclear verdict = iota
	approved
	changesWanted
	abandoned
)

// comment is what somebody wrote about a step, a text beside the steps, or the
// plan.
type comment struct {
	step    int    // 0: not on a step
	title   string // of the block; "" for the plan as a whole
	gone    bool   // the block is not in the plan any more
	quote   string
	by      string
	text    string
	earlier bool // the planner has got it in an earlier round already
	at      int  // index of the message that it came in; 0 for one that came with a decision
}

// edit is a change that a reviewer made to the plan.
type edit struct {
	op    editOp
	step  int // 0: a text beside the steps, or an insertion
	title string
	by    string
	text  string
}

type editOp int

const (
	rewritten editOp = iota
	inserted
	deleted
)

// untitled stands where a block has no title.
const untitled = "a part without a title"

// The letter's own lines, without the block that some begin with.
var (
	onPlan      = lazily(`^On the plan as a whole(?:, opened on version \d+)?:$`)
	onBlock     = lazily(`^(, which is not in the plan any more)?(?:, opened on version \d+)?:$`)
	quotedFrom  = lazily(`^Quoted from it(?:, as it was before; these words are not in it any more)?:$`)
	wrote       = lazily(`^(.+?) wrote( in an earlier round)?(?:, agreed by .+)?:$`)
	corrected   = lazily(`^(.+) corrected a comment of an earlier round\. It said:$`)
	saysNow     = lazily(`^It says now(?:, agreed by .+)?:$`)
	wasRewrit   = lazily(`^ was rewritten by (.+)\. Keep it word for word:$`)
	wasDeleted  = lazily(`^ was deleted by (.+)\. Leave it out\.$`)
	wasInserted = lazily(`^A step (?:was inserted|that you left out was written) by (.+)\. Keep it word for word:$`)
	newOrder    = lazily(`^(?:The reviewers asked for another order before, and it still stands\. The steps are to be|The steps are now), in this order: (.+)\.$`)
	noteFrom    = lazily(`^Note from (.+):$`)
	scopeSet    = lazily(`^What the plan may change and run was set by (.+)\. Submit it with exactly this:$`)
	finalText   = lazily(`^The reviewers changed it\. This is the final text:$`)
	bareFence   = lazily("^`{3,}$")
)

// readFeedback reads the letter by its borders: what stands between two fences
// is taken as it is and never searched for anything, and a line outside them
// that is not one of the letter's own is left aside.
func readFeedback(text string) feedback {
	r := feedbackReader{lines: strings.Split(text, "\n")} // CR LF inside a rewritten step is to stay
	switch head := r.lines[0]; {
	case strings.HasPrefix(head, "Approved by "):
		r.verdict = approved
	case strings.HasPrefix(head, "The plan was reviewed by "):
		r.verdict = changesWanted
	case strings.HasPrefix(head, "The plan was abandoned by "):
		r.verdict = abandoned
	}
	for r.at = 1; r.at < len(r.lines); r.at++ {
		if !r.thread() && !r.edit() {
			r.other()
		}
	}
	return r.feedback
}

type feedbackReader struct {
	feedback
	lines []string
	at    int
	about *comment // the thread whose comments follow; nil outside one
}

// match tells whether the line is of this form, and returns what it holds.
func (r *feedbackReader) match(form *regexp.Regexp) ([]string, bool) {
	m := form.FindStringSubmatch(r.lines[r.at])
	return m, m != nil
}

// matchBlock does so for a line that names a block behind a few words.
func (r *feedbackReader) matchBlock(words string, form *regexp.Regexp) (step int, title string, m []string, ok bool) {
	line, begins := strings.CutPrefix(r.lines[r.at], words)
	step, title, rest, named := cutBlock(line)
	if !begins || !named {
		return 0, "", nil, false
	}
	m = form.FindStringSubmatch(rest)
	return step, title, m, m != nil
}

// thread takes a line that begins a thread, and those that belong to one.
func (r *feedbackReader) thread() bool {
	if _, ok := r.match(onPlan()); ok {
		r.about = &comment{}
		return true
	}
	if step, title, m, ok := r.matchBlock("On ", onBlock()); ok {
		if step == 0 && title == "" {
			title = untitled
		}
		r.about = &comment{step: step, title: title, gone: m[1] != ""}
		return true
	}
	if r.about == nil {
		return false
	}
	if _, ok := r.match(quotedFrom()); ok {
		r.about.quote = r.fenced()
		return true
	}
	if m, ok := r.match(wrote()); ok {
		r.says(unspan(m[1]), m[2] != "")
		return true
	}
	if m, ok := r.match(corrected()); ok {
		r.about.by = unspan(m[1])
		r.fenced() // what it said is not so any more
		return true
	}
	if _, ok := r.match(saysNow()); ok {
		r.says(r.about.by, false)
		return true
	}
	return false
}

// says takes the text that follows as a comment of the thread.
func (r *feedbackReader) says(by string, earlier bool) {
	c := *r.about
	c.by, c.earlier, c.text = by, earlier, r.fenced()
	r.comments = append(r.comments, c)
}

// edit takes a line about a change that a reviewer made.
func (r *feedbackReader) edit() bool {
	var e edit
	if step, title, m, ok := r.matchBlock("", wasRewrit()); ok {
		e = edit{op: rewritten, step: step, title: title, by: unspan(m[1]), text: r.fenced()}
	} else if step, title, m, ok := r.matchBlock("", wasDeleted()); ok {
		e = edit{op: deleted, step: step, title: title, by: unspan(m[1])}
	} else if m, ok := r.match(wasInserted()); ok {
		e = edit{op: inserted, by: unspan(m[1]), text: r.fenced()}
	} else {
		return false
	}
	r.edits, r.about = append(r.edits, e), nil
	return true
}

// other takes every other line. Text between fences that nothing has announced
// is passed over as a whole.
func (r *feedbackReader) other() {
	if m, ok := r.match(noteFrom()); ok {
		r.about = nil
		r.comments = append(r.comments, comment{by: unspan(m[1]), text: r.fenced()})
	} else if _, ok := r.match(finalText()); ok {
		r.final = r.fenced()
	} else if _, ok := r.match(scopeSet()); ok {
		r.about = nil
		var set scopeArgs
		if json.Unmarshal([]byte(r.fenced()), &set) == nil {
			r.scope = &set
		}
	} else if m, ok := r.match(newOrder()); ok {
		r.order = readOrder(m[1])
	} else if bareFence().MatchString(r.lines[r.at]) {
		r.at--
		r.fenced()
	}
}

// fenced reads the fenced text on the lines that follow, byte for byte. It
// ends at the first line that is the same fence again.
func (r *feedbackReader) fenced() string {
	if r.at+1 >= len(r.lines) || !bareFence().MatchString(r.lines[r.at+1]) {
		return ""
	}
	fence, from := r.lines[r.at+1], r.at+2
	for i := from; i < len(r.lines); i++ {
		if r.lines[i] == fence {
			r.at = i
			return strings.Join(r.lines[from:i], "\n")
		}
	}
	r.at = len(r.lines)
	return strings.Join(r.lines[from:], "\n")
}

var stepNumber = lazily(`^[Ss]tep (\d+) ?`)

// cutBlock reads the block that a line begins with, by its number and title or
// by its title alone, and returns the rest of the line.
func cutBlock(line string) (step int, title, rest string, ok bool) {
	if m := stepNumber().FindStringSubmatch(line); m != nil {
		step, ok = number(m[1]), true
		line = line[len(strings.TrimSuffix(m[0], " ")):]
		rest, titled := strings.CutPrefix(line, " ")
		if !titled || !strings.HasPrefix(rest, "`") {
			return step, "", line, true
		}
		line = rest
	}
	if len(line) >= len(untitled) && strings.EqualFold(line[:len(untitled)], untitled) {
		return step, "", line[len(untitled):], true
	}
	if text, from, to := firstSpan(line); to > 0 && from == 0 {
		return step, text, line[to:], true
	}
	return step, "", line, ok
}

// unspan returns what stands in a code span, and any other text as it is.
func unspan(s string) string {
	if text, from, to := firstSpan(s); from == 0 && to == len(s) {
		return text
	}
	return s
}

// number reads a number; what is none is 0.
func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}

func readOrder(list string) []int {
	order := []int{}
	for _, word := range strings.Split(list, ", ") {
		order = append(order, number(word))
	}
	return order
}
