package builtin

import (
	"fmt"
	"slices"
	"strings"
)

// draft is a plan made from a survey.
type draft struct {
	steps []step
}

// draftOf finds the lines that are to change in each file.
func draftOf(s *survey) draft {
	var d draft
	for _, name := range s.names() {
		f := s.files[name]
		st := step{title: s.talk.say().stepTitle(s.talk.task, name), path: name}
		for _, n := range f.numbers() {
			line := f.lines[n]
			changed := substitute(s.talk.task.changes, line)
			cut := cutLine().MatchString(line)
			switch {
			case changed == line && !(cut && slices.Contains(f.matches, n)):
			case cut:
				s.leave(fmt.Sprintf("%s:%d", name, n), s.talk.say().longLine)
			default:
				st.hunks = append(st.hunks, hunk{line: n, old: []string{line}, new: []string{changed}})
			}
		}
		if len(st.hunks) > 0 {
			d.steps = append(d.steps, st)
		}
	}
	return d
}

// numbers are the numbers of the known lines, in order.
func (f *source) numbers() []int {
	numbers := make([]int, 0, len(f.lines))
	for n := range f.lines {
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	return numbers
}

func (d draft) lines() int {
	n := 0
	for _, s := range d.steps {
		n += s.lines()
	}
	return n
}

func (d draft) files() []string {
	var files []string
	for _, s := range d.steps {
		if !slices.Contains(files, s.path) {
			files = append(files, s.path)
		}
	}
	return files
}

// markdown writes the plan.
func (d draft) markdown(t task, notes []string, say *words) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n\n", say.planTitle(t), say.intro(t))
	if len(notes) > 0 {
		fmt.Fprintf(&b, "%s\n\n", say.notes)
		for _, n := range notes {
			fmt.Fprintf(&b, "- %s\n", n)
		}
		b.WriteString("\n")
	}
	for i, s := range d.steps {
		b.WriteString(s.markdown(i+1, say))
	}
	fmt.Fprintf(&b, "## %s\n\n%s\n", say.verification, say.verify(t))
	return b.String()
}

// markdown writes one step. The fence is longer than any in the lines.
func (s step) markdown(number int, say *words) string {
	var b strings.Builder
	for _, h := range s.hunks {
		fmt.Fprintf(&b, "@@ %s @@\n", say.line(h.line))
		for _, l := range h.old {
			b.WriteString("-" + l + "\n")
		}
		for _, l := range h.new {
			b.WriteString("+" + l + "\n")
		}
	}
	fence := fenceFor(b.String())
	return fmt.Sprintf("## %s%s\n\n%sdiff\n%s%s\n\n", say.stepNumber(number), s.title, fence, b.String(), fence)
}

func fenceFor(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence
}
