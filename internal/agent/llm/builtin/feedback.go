package builtin

import (
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
	order    []int // of the steps, 0 for an inserted one; nil if nothing was moved
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
	step  int    // 0: not on a step
	title string // of the block; "" for the plan as a whole
	gone  bool   // the block is not in the plan any more
	quote string
	by    string
	text  string
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

var (
	aboutPlan   = regexp.MustCompile(`^On the plan as a whole:$`)
	aboutStep   = regexp.MustCompile(`^On step (\d+) “(.*)”:$`)
	aboutBlock  = regexp.MustCompile(`^On “(.*)”(, which is not in the plan any more)?:$`)
	wasRewrit   = regexp.MustCompile(`^(?:Step (\d+) )?“(.*)” was rewritten by (.+)\. Keep it word for word:$`)
	wasDeleted  = regexp.MustCompile(`^(?:Step (\d+) )?“(.*)” was deleted by (.+)\. Leave it out\.$`)
	wasInserted = regexp.MustCompile(`^A step was inserted by (.+)\. Keep it word for word:$`)
	newOrder    = regexp.MustCompile(`^The steps are now, in this order: (.+)\.$`)
	noteFrom    = regexp.MustCompile(`^Note from (.+):$`)
	finalText   = regexp.MustCompile(`^The reviewers changed it\. This is the final text:$`)
	onlyFiles   = regexp.MustCompile(`^Only these files may be changed: `)
	firstLine   = regexp.MustCompile(`^(?:The plan was reviewed|Approved) by (.+?)\. `)
	bareFence   = regexp.MustCompile("^`{3,}$")
)

// readFeedback reads the text section by section. A section begins behind a
// blank line; what doesn't look like the beginning of one belongs to the one
// before.
func readFeedback(text string) feedback {
	r := feedbackReader{lines: strings.Split(text, "\n")} // CR LF inside a rewritten step is to stay
	head := r.lines[0]
	switch {
	case strings.HasPrefix(head, "Approved by "):
		r.verdict = approved
	case strings.HasPrefix(head, "The plan was reviewed by "):
		r.verdict = changesWanted
	case strings.HasPrefix(head, "The plan was abandoned"):
		r.verdict = abandoned
	}
	if m := firstLine.FindStringSubmatch(head); m != nil {
		r.names = strings.Split(strings.ReplaceAll(m[1], " and ", ", "), ", ")
	}
	for r.at = 1; r.at < len(r.lines); r.at++ {
		if r.lines[r.at-1] != "" || !r.section() {
			r.body()
		}
	}
	for i := range r.comments {
		r.comments[i].text = strings.TrimSpace(r.comments[i].text)
	}
	return r.feedback
}

type feedbackReader struct {
	feedback
	lines []string
	at    int
	names []string
	about *comment // the section that lines belong to; nil if to none
	open  bool     // the last comment goes on
}

// section takes the line that begins a section, and what is fenced behind it.
func (r *feedbackReader) section() bool {
	line := r.lines[r.at]
	var about *comment
	switch {
	case aboutPlan.MatchString(line):
		about = &comment{}
	case aboutStep.MatchString(line):
		m := aboutStep.FindStringSubmatch(line)
		n, _ := strconv.Atoi(m[1])
		about = &comment{step: n, title: m[2]}
	case aboutBlock.MatchString(line):
		m := aboutBlock.FindStringSubmatch(line)
		about = &comment{title: m[1], gone: m[2] != ""}
	case noteFrom.MatchString(line):
		r.comments = append(r.comments, comment{by: noteFrom.FindStringSubmatch(line)[1]})
		r.about, r.open = nil, true
		return true
	case finalText.MatchString(line):
		r.final = r.fenced()
	case newOrder.MatchString(line):
		r.order = readOrder(newOrder.FindStringSubmatch(line)[1])
	case onlyFiles.MatchString(line):
	case !r.edit(line):
		return false
	}
	r.about, r.open = about, false
	return true
}

func (r *feedbackReader) edit(line string) bool {
	var e edit
	switch {
	case wasRewrit.MatchString(line):
		m := wasRewrit.FindStringSubmatch(line)
		e = edit{op: rewritten, title: m[2], by: m[3], text: r.fenced()}
		e.step, _ = strconv.Atoi(m[1])
	case wasDeleted.MatchString(line):
		m := wasDeleted.FindStringSubmatch(line)
		e = edit{op: deleted, title: m[2], by: m[3]}
		e.step, _ = strconv.Atoi(m[1])
	case wasInserted.MatchString(line):
		e = edit{op: inserted, by: wasInserted.FindStringSubmatch(line)[1], text: r.fenced()}
	default:
		return false
	}
	r.edits = append(r.edits, e)
	return true
}

// fenced reads the fenced text on the lines that follow, byte for byte.
func (r *feedbackReader) fenced() string {
	if r.at+1 >= len(r.lines) || !bareFence.MatchString(r.lines[r.at+1]) {
		return ""
	}
	fence := r.lines[r.at+1]
	from := r.at + 2
	for i := from; i < len(r.lines); i++ {
		if r.lines[i] == fence {
			r.at = i
			return strings.Join(r.lines[from:i], "\n")
		}
	}
	r.at = len(r.lines)
	return strings.Join(r.lines[min(from, len(r.lines)):], "\n")
}

// body takes a line that begins no section: a quote, the beginning of a
// comment, or more of the one before.
func (r *feedbackReader) body() {
	line := r.lines[r.at]
	if r.about != nil {
		if quote, ok := strings.CutPrefix(line, "> "); ok && !r.open {
			r.about.quote += quote + "\n"
			return
		}
		if name, text, ok := r.named(line); ok {
			c := *r.about
			c.by, c.text = name, text+"\n"
			r.comments = append(r.comments, c)
			r.open = true
			return
		}
		if quote, ok := strings.CutPrefix(line, "> "); ok && r.newThread() {
			r.about.quote, r.open = quote+"\n", false
			return
		}
	}
	if r.open {
		r.comments[len(r.comments)-1].text += line + "\n"
	}
}

// newThread tells whether the quote on this line begins another thread on the
// same block: after the lines of the quote somebody's name follows.
func (r *feedbackReader) newThread() bool {
	for i := r.at; i < len(r.lines); i++ {
		if !strings.HasPrefix(r.lines[i], "> ") {
			_, _, ok := r.named(r.lines[i])
			return ok
		}
	}
	return false
}

var anyName = regexp.MustCompile(`^([^:\n>]{1,80}): (.*)$`)

// named splits "Ana: text". Names that the first line lists begin a comment
// anywhere, others only where one must begin.
func (r *feedbackReader) named(line string) (name, text string, ok bool) {
	for _, n := range r.names {
		if text, ok := strings.CutPrefix(line, n+": "); ok {
			return n, text, true
		}
	}
	if m := anyName.FindStringSubmatch(line); m != nil && !r.open {
		return m[1], m[2], true
	}
	return "", "", false
}

func readOrder(list string) []int {
	order := []int{}
	for _, word := range strings.Split(list, ", ") {
		n, err := strconv.Atoi(word)
		if err != nil {
			n = 0
		}
		order = append(order, n)
	}
	return order
}
