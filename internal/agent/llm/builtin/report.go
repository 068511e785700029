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
	lines, whole := 0, 0
	for i, p := range all {
		s := w.steps[i]
		lines += p.changed
		if p.whole {
			whole++
		}
		if p.changed > 0 {
			line := fmt.Sprintf(say.doneFile, code(s.path), say.lines(p.changed))
			if p.whole && len(p.why) > 0 {
				line += " " + strings.Join(p.why, " ")
			}
			done = append(done, line)
		}
		if !p.whole {
			not = append(not, fmt.Sprintf(say.notDoneStep, i+1, plain(s.title), strings.Join(p.why, " ")))
		}
	}
	out := fmt.Sprintf(say.done, whole, len(all), say.lines(lines))
	if lines == 0 && len(not) == 0 {
		out = say.nothingDone
	}
	for _, section := range []struct {
		head string
		list []string
	}{{"", done}, {say.notDone, not}, {say.remarks, w.notes}} {
		if len(section.list) == 0 {
			continue
		}
		if section.head != "" {
			out += "\n\n" + section.head
		}
		out += "\n"
		for _, l := range section.list[:min(len(section.list), maxListed)] {
			out += "\n- " + l
		}
		if more := len(section.list) - maxListed; more > 0 {
			out += "\n- " + fmt.Sprintf(say.more, more)
		}
	}
	return out
}
