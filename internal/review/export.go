package review

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"

	"countersign/internal/planning"
)

// Export is a session as a file to keep: what it came to, and every event.
type Export struct {
	Session   planning.Summary      `json:"session"`
	Task      string                `json:"task"`
	People    []planning.Actor      `json:"people"` // who took part, in the order in which they first did
	Plans     []planning.Plan       `json:"plans"`
	Threads   []planning.Thread     `json:"threads"`
	Questions []planning.Inquiry    `json:"questions"`
	Goal      *planning.Goal        `json:"goal,omitempty"` // left out if there is none
	Changes   []planning.FileChange `json:"changes"`
	Events    []planning.Record     `json:"events"`
}

// JSON writes the session as an Export, indented, with nothing in it that a
// terminal or an editor would obey (see planning.EscapeJSON). The records are
// the whole log up to the state.
func JSON(w io.Writer, s planning.State, records []planning.Record) error {
	data, err := json.MarshalIndent(Export{
		Session: s.Summary(), Task: s.Task, People: people(records),
		Plans: full(s.Plans), Threads: full(s.Threads), Questions: full(s.Inquiries), Goal: s.Summary().Goal, Changes: full(s.Changes), Events: full(records),
	}, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(planning.EscapeJSON(data), '\n'))
	return err
}

// full makes an empty list of one that isn't there: in JSON [] and not null.
func full[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// people lists the persons that caused events.
func people(records []planning.Record) []planning.Actor {
	found := []planning.Actor{}
	for _, r := range records {
		if r.Actor.Kind == planning.ActorPerson && !slices.ContainsFunc(found, func(a planning.Actor) bool { return a.ID == r.Actor.ID }) {
			found = append(found, r.Actor)
		}
	}
	return found
}

// Markdown is the history of a session for people to read (R10). The records
// are the whole log up to the state. Whatever people, the model or tools wrote
// stands between fences that it can't end; control characters in it are shown
// as symbols, so that the file is safe to look at in a terminal.
func Markdown(s planning.State, records []planning.Record) string {
	h := &history{state: s, records: records}
	h.head()
	h.plans()
	h.activity()
	h.todos()
	h.goal()
	h.changes()
	return h.String()
}

// history puts the text together, section by section.
type history struct {
	strings.Builder
	state   planning.State
	records []planning.Record
}

func (h *history) line(format string, args ...any) {
	fmt.Fprintf(h, format+"\n", args...)
}

// gap ends a paragraph: it makes sure of one empty line.
func (h *history) gap() {
	if h.Len() > 0 && !strings.HasSuffix(h.String(), "\n\n") {
		h.WriteByte('\n')
	}
}

// part is a line that stands by itself: a heading, or a paragraph.
func (h *history) part(format string, args ...any) {
	h.gap()
	h.line(format, args...)
	h.gap()
}

func (h *history) head() {
	s := h.state
	h.part("# %s", inline(s.Title))
	h.line("- Session: %s, %s", code(s.ID), s.Status())
	h.line("- Workspace: %s", code(s.Workspace))
	h.line("- Model: %s, %d tokens", inline(s.Model), s.Usage.Input+s.Usage.Output)
	h.line("- Begun: %s by %s", clock(s.CreatedAt), actor(s.CreatedBy))
	h.line("- Last change: %s", clock(s.UpdatedAt))
	var names []string
	for _, p := range people(h.records) {
		names = append(names, actor(p))
	}
	h.line("- People: %s", list(names))
	if s.Task != "" {
		h.part("## Task")
		h.fence("text", s.Task)
	}
}

func (h *history) todos() {
	if len(h.state.Todos) == 0 {
		return
	}
	h.part("## To-do list")
	for _, t := range h.state.Todos {
		box, tail := " ", ""
		switch t.Status {
		case planning.TodoCompleted:
			box = "x"
		case planning.TodoInProgress:
			tail = " (in progress)"
		}
		h.line("- [%s] %s%s", box, inline(t.Text), tail)
	}
}

func (h *history) goal() {
	g := h.state.Goal
	if !g.Exists() {
		return
	}
	h.part("## Goal")
	h.line("- %s, revision %d, %s, round %d of %d%s", inline(g.ID), g.Revision, inline(string(g.Phase)), g.Rounds, g.MaxRounds, because(g.Reason))
	h.fence("text", g.Objective)
}

// fence writes text as a code block.
func (h *history) fence(language, text string) {
	h.gap()
	text = Visible(text)
	ticks := fence(text)
	h.line("%s%s\n%s\n%s", ticks, language, strings.TrimRight(text, "\n"), ticks)
}

// code puts a text on one line as a code span, runs of blanks as one.
func code(text string) string { return span(strings.Join(strings.Fields(text), " ")) }

// lineBreaks shows breaks of lines as symbols.
var lineBreaks = strings.NewReplacer("\n", "␊", "\u2028", "␊", "\u2029", "␊")

// span makes a code span (CommonMark 0.31, section 6.1) that nothing inside can
// end: a blank at each end is added where one would be taken away. Breaks of
// lines are shown as symbols, so it stays on one line.
func span(text string) string {
	text = lineBreaks.Replace(Visible(text))
	ticks := strings.Repeat("`", backticks(text)+1)
	ends := func(mark string) bool { return strings.HasPrefix(text, mark) && strings.HasSuffix(text, mark) }
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") || ends(" ") && strings.TrimSpace(text) != "" {
		text = " " + text + " "
	}
	return ticks + text + ticks
}

// fence is the line before and after a quoted text: longer than any run of
// backticks inside (CommonMark 0.31, section 4.5), so the text can't end it.
func fence(text string) string { return strings.Repeat("`", max(3, backticks(text)+1)) }

// backticks is the length of the longest run of them.
func backticks(text string) int {
	longest, run := 0, 0
	for _, r := range text {
		if run++; r != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	return longest
}

// Visible replaces what a terminal would obey or what would turn the text
// around: control characters by their symbols, other invisible ones by their
// number.
func Visible(text string) string {
	var b strings.Builder
	for _, r := range strings.ReplaceAll(text, "\r\n", "\n") {
		switch {
		case r == '\n' || r == '\t':
			b.WriteRune(r)
		case r < 0x20:
			b.WriteRune(0x2400 + r)
		case r == 0x7f:
			b.WriteRune(0x2421)
		case unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Bidi_Control, r):
			fmt.Fprintf(&b, "<U+%04X>", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// inline puts text on one line and takes the meaning from every character that
// has one in Markdown or HTML.
func inline(text string) string {
	var b strings.Builder
	number := true // so far there are only digits
	for i, r := range Visible(strings.Join(strings.Fields(text), " ")) {
		special := r < 0x80 && (unicode.IsPunct(r) || unicode.IsSymbol(r)) && !strings.ContainsRune(",;:?/'\"%-.", r)
		if special || i == 0 && r == '-' || number && r == '.' {
			b.WriteByte('\\')
		}
		number = number && '0' <= r && r <= '9'
		b.WriteRune(r)
	}
	return b.String()
}

// actor names who did something.
func actor(a planning.Actor) string {
	switch {
	case a.Name != "":
		return inline(a.Name)
	case a.ID != "":
		return inline(a.ID)
	}
	return string(a.Kind)
}

func clock(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }
