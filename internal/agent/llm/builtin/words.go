package builtin

import (
	"fmt"
	"slices"
	"strings"
)

// words are the texts of one language. Sentences stand here as a whole and
// are never put together from pieces.
type words struct {
	// What it says in its turns.
	help, notUnderstood, noTools, gaveUp, same           string
	searching, narrowing, reading, found, revised, again string
	nothingFound, searchFailed, tooManyFiles, tooLong    string
	nothingLeft, abandoned, notTaken, starting           string
	goalReached, goalBlocked                             string

	// The plan.
	renameTitle, replaceTitle, deleteTitle  string
	renameStep, replaceStep, deleteStep     string
	number, lineNumber                      string
	wholeWords, anyText, wordGone, textGone string
	asListed, notes                         string
	verification, verifyText                string
	excluded, alreadyUsed, notRead          string
	tooLarge, tooMany, notText, longLine    string

	// Why a step can't be carried out.
	noPath, noLines, bad, added string

	// What became of comments.
	comments, by, onPlan, onStep, onText, message    string
	skipped, skippedLines, skippedNothing            string
	noStep, noSuchLines, pinnedStays, cannot, partly string
	noted, answered, keptOK, keptBad, noComments     string

	// The report.
	done, before, nothingDone, doneFile, beforeFile, doneEarlier  string
	notDone, notDoneStep, more, asRewritten, leftAlone, linesLeft string
	unknown, unreadable, refused, goneLine, overlap               string

	// What was said beside the plan.
	remarks, noteObeyed, noteNot, notePart, noteLate, noteNone string

	and, everywhere                        string
	oneLine, manyLines, oneFile, manyFiles string
}

func (t talk) say() *words {
	if t.task.chinese || !t.found && isChinese(mask(t.unread)) {
		return &chinese
	}
	return &english
}

var plainWord = lazily(`(?:^|\s)[A-Za-z]+(?:[’'][a-z]+)?(?:[\s,.;:!?]|$)`)

// replying are the words in which to answer a text: those of its language, or w
// where that can't be told, as of a bare “ok” or a path.
func (w *words) replying(to string) *words {
	to = mask(to)
	switch {
	case isChinese(to):
		return &chinese
	case len(plainWord().FindAllString(strings.Join(strings.Fields(to), "  "), 2)) == 2:
		return &english
	}
	return w
}

// lines and files are a number with its noun.
func (w *words) lines(n int) string { return counted(n, w.oneLine, w.manyLines) }
func (w *words) files(n int) string { return counted(n, w.oneFile, w.manyFiles) }

func counted(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return fmt.Sprintf(many, n)
}

func (w *words) stepNumber(n int) string { return fmt.Sprintf(w.number, n) }
func (w *words) line(n int) string       { return fmt.Sprintf(w.lineNumber, n) }
func (w *words) badLine(n int, line string) string {
	return fmt.Sprintf(w.bad, n, plain(short(line, 60)))
}
func (w *words) onlyNew(line int) string { return fmt.Sprintf(w.added, line) }

// stepTitle is the heading of the step for one file.
func (w *words) stepTitle(t task, file string) string {
	form := w.renameStep
	switch {
	case !slices.ContainsFunc(t.changes, func(c change) bool { return c.new != "" }):
		form = w.deleteStep
	case !t.changes[0].whole:
		form = w.replaceStep
	}
	return fmt.Sprintf(form, code(file))
}

// planTitle is one line, whatever the texts are.
func (w *words) planTitle(t task) string {
	var all []string
	for _, c := range t.changes {
		form := w.renameTitle
		if !c.whole {
			form = w.replaceTitle
		}
		old, new := code(short(c.old, 60)), code(short(c.new, 60))
		if c.new == "" {
			all = append(all, fmt.Sprintf(w.deleteTitle, old))
			continue
		}
		all = append(all, fmt.Sprintf(form, old, new))
	}
	return strings.Join(all, ", ")
}

// intro says what is meant by the changes and how to edit the plan.
func (w *words) intro(t task) string {
	var out []string
	for _, c := range t.changes {
		switch {
		case c.new == "" && c.whole:
			out = append(out, fmt.Sprintf(w.wordGone, code(c.old)))
		case c.new == "":
			out = append(out, fmt.Sprintf(w.textGone, code(c.old)))
		case c.whole:
			out = append(out, fmt.Sprintf(w.wholeWords, code(c.old), code(c.new)))
		default:
			out = append(out, fmt.Sprintf(w.anyText, code(c.old), code(c.new)))
		}
	}
	return strings.Join(append(out, w.asListed), " ")
}

func (w *words) verify(t task) string { return fmt.Sprintf(w.verifyText, w.olds(t)) }

// olds names the texts that are to change.
func (w *words) olds(t task) string {
	var old []string
	for _, c := range t.changes {
		old = append(old, code(c.old))
	}
	return w.list(old)
}

// where names the files that the task is about.
func (w *words) where(t task) string {
	if len(t.only) == 0 {
		return w.everywhere
	}
	var only []string
	for _, p := range t.only {
		only = append(only, code(p))
	}
	return w.list(only)
}

// about says whose comment it is, on what, and how it begins.
func (w *words) about(c comment) string {
	where := w.onPlan
	switch {
	case c.step > 0:
		where = fmt.Sprintf(w.onStep, c.step)
	case c.title != "":
		where = fmt.Sprintf(w.onText, plain(short(c.title, 60)))
	}
	return fmt.Sprintf(w.by, plain(c.by), where, plain(short(c.text, 100)))
}

// list joins names: "a, b and c".
func (w *words) list(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + w.and + names[len(names)-1]
}
