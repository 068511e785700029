package builtin

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// maxSubmits is how often a plan is submitted whose arrival is unknown.
const maxSubmits = 3

// afterReview goes on from the result of the last submission.
func (t talk) afterReview(p call, fb feedback) turn {
	say := t.say()
	switch {
	case interrupted(p) && t.submits() < maxSubmits:
		again := submitted(p)
		return t.submit(say.again, again.Plan, again.scopeArgs)
	case p.failed || !p.done:
		return turn{text: fmt.Sprintf(say.notTaken, short(p.result, 300))}
	case fb.verdict == changesWanted:
		return t.revise(p, fb)
	case fb.verdict == abandoned:
		return turn{text: say.abandoned}
	}
	return turn{text: fmt.Sprintf(say.notTaken, short(p.result, 300))}
}

func (t talk) submits() int {
	n := 0
	for _, c := range t.calls {
		if c.Name == "submit_plan" {
			n++
		}
	}
	return n
}

func submitted(p call) submitArgs {
	var args submitArgs
	if json.Unmarshal([]byte(p.Arguments), &args) != nil {
		return submitArgs{}
	}
	return args
}

// revise makes the next version: the last one with what the reviewers asked
// for, and nothing else.
func (t talk) revise(p call, fb feedback) turn {
	say := t.say()
	base := fb.final
	if base == "" {
		base = submitted(p).Plan
	}
	r := newRevision(base, t.pinned(), say)
	r.edit(fb.edits)
	r.arrange(fb.order)
	page := r.steps()
	for _, c := range fb.comments {
		if c.earlier { // done, or not, in its own round; its numbers are those of that version
			reply := say.replying(c.text)
			r.answers = append(r.answers, reply.about(c)+" "+reply.answered)
			continue
		}
		r.obey(c, page)
	}
	for _, c := range t.remarks(p) {
		r.obey(c, page)
	}
	r.reportEdits()
	if len(r.answers) == 0 {
		r.answers = []string{say.noComments}
	}
	if len(r.steps()) == 0 {
		return turn{text: say.nothingLeft + "\n\n- " + strings.Join(r.answers, "\n- ")}
	}
	scope := scopeArgs{Files: r.files()}
	if set := t.scopeSet(); set != nil {
		scope = *set
	}
	return t.submit(say.revised, r.markdown(), scope)
}

// scopeSet is what a reviewer set that plans may change and run, in this round
// or the last one in which somebody did; nil if nobody has.
func (t talk) scopeSet() *scopeArgs {
	for _, c := range slices.Backward(t.calls) {
		if c.Name != "submit_plan" || !c.done || c.failed {
			continue
		}
		if set := readFeedback(c.result).scope; set != nil {
			return set
		}
	}
	return nil
}

// pinned are the texts that reviewers wrote so far, and who did.
func (t talk) pinned() map[string]string {
	texts := map[string]string{}
	for _, c := range t.calls {
		if c.Name != "submit_plan" || !c.done || c.failed {
			continue
		}
		for _, e := range readFeedback(c.result).edits {
			if e.op != deleted {
				texts[strings.TrimSpace(e.text)] = e.by
			}
		}
	}
	return texts
}

// remarks are what people said since a plan was submitted, outside its review:
// in messages, and as reasons for a refusal that sent the session back.
func (t talk) remarks(p call) []comment {
	var out []comment
	for _, c := range t.calls {
		if c.at <= p.at || !c.failed {
			continue
		}
		if head, reason, ok := strings.Cut(c.result, "submit a new plan."); ok && strings.TrimSpace(reason) != "" {
			by := strings.TrimSuffix(strings.TrimPrefix(strings.SplitN(head, ".", 2)[0], "Refused by "), ".")
			out = append(out, comment{by: by, text: strings.TrimSpace(reason), at: c.at})
		}
	}
	for _, n := range t.notes {
		if n.at > p.at {
			out = append(out, comment{by: t.say().message, text: n.text, at: n.at})
		}
	}
	return out
}
