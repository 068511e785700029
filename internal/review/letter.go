package review

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"countersign/internal/planning"
)

// letter puts the text together, section by section.
//
// Its own words and those of people, of the model and of files never mix:
// whatever somebody else wrote stands between two fences, lines of backticks
// longer than any run of them inside (as in CommonMark 0.31, section 4.5), so
// no text can end its fence and go on in the letter's name. What has to stand
// within a line is a name, by person, or a code span, by code; both are one
// line whatever is in them.
type letter struct {
	strings.Builder
	state  planning.State
	plan   planning.Plan
	quotes bool // something stands between fences
}

// quoting tells the reader what the fences mean.
const quoting = "Whatever stands between two lines of backticks is a quotation."

// text is the whole letter, with the hint about fences below its first line.
func (l *letter) text() string {
	out := strings.TrimRight(l.String(), "\n") + "\n"
	if l.quotes {
		head, rest, _ := strings.Cut(out, "\n")
		out = head + "\n" + quoting + "\n" + rest
	}
	return out
}

func (l *letter) line(format string, args ...any) {
	fmt.Fprintf(l, format+"\n", args...)
}

// fenced writes a text between fences, byte for byte.
func (l *letter) fenced(text string) {
	ticks := fence(text)
	l.line("%s\n%s\n%s", ticks, text, ticks)
	l.quotes = true
}

func (l *letter) note(name, note string) {
	if note != "" {
		l.line("\nNote from %s:", person(name))
		l.fenced(note)
	}
}

func (l *letter) comments(threads []planning.Thread) {
	for _, t := range threads {
		l.line("\n%s:", l.about(t))
		if t.Quote != "" {
			l.line("%s", quotedFrom(t))
			l.fenced(t.Quote)
		}
		for _, c := range t.Comments {
			l.comment(c)
		}
	}
}

// comment quotes one message. What the agent got and is not so any more is
// corrected; what it never got is not told.
func (l *letter) comment(c planning.Comment) {
	who := person(c.By.Name)
	switch {
	case c.Deleted() && c.GotAs == "":
		return
	case c.Deleted():
		l.line("%s took back a comment of an earlier round:", who)
		l.fenced(c.GotAs)
		return
	case c.GotAs != "":
		l.line("%s corrected a comment of an earlier round. It said:", who)
		l.fenced(c.GotAs)
		l.line("It says now%s:", agreed(c))
	case c.Got:
		l.line("%s wrote in an earlier round%s:", who, agreed(c))
	default:
		l.line("%s wrote%s:", who, agreed(c))
	}
	l.fenced(c.Body)
}

// quotedFrom says where a quote is from, and that it is not there any more.
func quotedFrom(t planning.Thread) string {
	if t.QuoteGone > 0 {
		return "Quoted from it, as it was before; these words are not in it any more:"
	}
	return "Quoted from it:"
}

// agreed names who thinks the same.
func agreed(c planning.Comment) string {
	if len(c.Agreed) == 0 {
		return ""
	}
	names := make([]string, len(c.Agreed))
	for i, a := range c.Agreed {
		names[i] = person(a.Name)
	}
	return ", agreed by " + strings.Join(names, ", ")
}

// about says what a thread is on, as the agent knows it: by the number in the
// version that it submitted.
func (l *letter) about(t planning.Thread) string {
	about := ""
	b, ok := l.plan.Block(t.Step)
	switch {
	case t.Step == "":
		about = "On the plan as a whole"
	case !ok:
		about = "On " + subject(0, t.StepTitle) + ", which is not in the plan any more"
	case b.Origin > 0:
		about = "On " + lower(subject(b.Origin, b.Title))
	default:
		about = "On " + subject(0, b.Title)
	}
	if t.Version < l.plan.Version {
		about += fmt.Sprintf(", opened on version %d", t.Version)
	}
	return about
}

// Names that can't be taken for anything else are words, initials, and single
// marks inside a word, and none of the words that the letter itself is made of.
var (
	plain    = regexp.MustCompile(`^(?:\p{L}\. ?|[\p{L}\p{M}\p{N}]+(?:[ '’._@-]|$))+$`)
	reserved = regexp.MustCompile(`(?i)\b(?:wrote|note|from|by|was|on|in|step|plan|quoted|approved?|agreed|corrected|took|said|says|it|and|not)\b`)
)

// person is a name on one line. One that is made to look like more than a name
// is shown as a code span.
func person(name string) string {
	name = strings.Join(strings.Fields(name), " ")
	switch {
	case name == "":
		return "Somebody"
	case len(name) <= maxName && plain.MatchString(name) && !reserved.MatchString(name):
		return name
	}
	return code(name)
}

// maxName is how long a name may be, in bytes, to stand without marks.
const maxName = 60

// names lists who took part: writers of comments, editors, and who decides.
func (l *letter) names(by Person, threads []planning.Thread) string {
	var names []string
	add := func(a planning.Actor) {
		if n := person(a.Name); a.Kind == planning.ActorPerson && !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	for _, t := range threads {
		for _, c := range t.Comments {
			if !c.Deleted() || c.GotAs != "" {
				add(c.By)
			}
		}
	}
	for _, e := range l.plan.Edits {
		add(e.By)
	}
	add(by.Actor())
	return list(names)
}

func list(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// subject names a block by its number, if it has one, and its title.
func subject(number int, title string) string {
	switch {
	case number > 0 && title == "":
		return fmt.Sprintf("Step %d", number)
	case number > 0:
		return fmt.Sprintf("Step %d %s", number, code(title))
	case title == "":
		return "A part without a title"
	}
	return code(title)
}

// lower is a subject in the middle of a sentence.
func lower(subject string) string {
	if rest, ok := strings.CutPrefix(subject, "Step "); ok {
		return "step " + rest
	}
	return subject
}
