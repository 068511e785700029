package builtin

import (
	"fmt"
	"strings"
)

// maxListed is how many files and faults a report names.
const maxListed = 40

// report says at the end what was done, file by file, and what was not.
func (w *work) report(all []progress) string {
	say := w.talk.say()
	var done, not []string
	lines, before, whole := 0, 0, 0
	for i, p := range all {
		s := w.steps[i]
		lines += p.changed
		before += p.before
		if p.whole {
			whole++
		}
		why := ""
		if p.whole && len(p.why) > 0 {
			why = " " + strings.Join(p.why, " ")
		}
		if p.changed > 0 {
			done = append(done, fmt.Sprintf(say.doneFile, code(s.path), say.lines(p.changed))+why)
			why = ""
		}
		if p.before > 0 {
			done = append(done, fmt.Sprintf(say.beforeFile, code(s.path), say.lines(p.before))+why)
		}
		if !p.whole {
			not = append(not, fmt.Sprintf(say.notDoneStep, i+1, plain(s.title), strings.Join(p.why, " ")))
		}
	}
	out := fmt.Sprintf(say.done, whole, len(all), say.lines(lines))
	switch {
	case before > 0:
		out += " " + fmt.Sprintf(say.before, say.lines(before))
	case lines == 0 && len(not) == 0:
		out = say.nothingDone
	}
	return out + say.bullets("", done) + say.bullets(say.notDone, not) + say.bullets(say.remarks, w.notes)
}

// bullets is a list with a line above it, cut where it gets long; nothing for
// an empty one.
func (w *words) bullets(head string, list []string) string {
	if len(list) == 0 {
		return ""
	}
	out := "\n"
	if head != "" {
		out = "\n\n" + head + "\n"
	}
	for _, l := range list[:min(len(list), maxListed)] {
		out += "\n- " + l
	}
	if more := len(list) - maxListed; more > 0 {
		out += "\n- " + fmt.Sprintf(w.more, more)
	}
	return out
}
