package planning

import (
	"strings"
	"unicode/utf8"

	"countersign/internal/fault"
	"countersign/internal/planning/document"
)

// Limits on what a person can send at once, in bytes.
const (
	MaxMessage = 64 << 10
	MaxTitle   = 200
	MaxModel   = 200 // of a model's name
	// MaxApprovals bounds how many approvals a session can ask for.
	MaxApprovals = 20
)

// NewSession is what a session starts with.
type NewSession struct {
	Title     string // empty: the first line of the task
	Workspace string // absolute, already checked
	Model     string
	Task      string
	Mode      Mode // plan or normal
	Approvals int  // 1 to MaxApprovals
}

// Events checks the input and returns the first events of the session. Its
// faults are Invalid or TooLarge and name the field.
func (n NewSession) Events(by Actor) ([]Event, error) {
	task, err := message(n.Task, "task", "The task")
	if err != nil {
		return nil, err
	}
	title := strings.TrimSpace(n.Title)
	if f := document.CheckText("The title", title); f != nil {
		return nil, f.At("title")
	}
	switch {
	case len(title) > MaxTitle:
		return nil, fault.New(fault.TooLarge, "The title may have at most %d bytes.", MaxTitle).At("title")
	case n.Mode != ModePlan && n.Mode != ModeNormal:
		return nil, fault.New(fault.Invalid, "The mode is %q; it can be \"plan\" or \"normal\".", string(n.Mode)).At("mode")
	case n.Approvals < 1 || n.Approvals > MaxApprovals:
		return nil, fault.New(fault.Invalid, "A plan needs 1 to %d approvals.", MaxApprovals).At("approvals")
	}
	if title == "" {
		title = titleOf(task)
	}
	return []Event{
		{by, SessionCreated{Title: title, Workspace: n.Workspace, Model: n.Model, Mode: n.Mode, Approvals: n.Approvals}},
		{by, UserMessage{Text: task}},
	}, nil
}

// message checks what a person says to the agent. What is how a sentence calls
// it.
func message(text, field, what string) (string, error) {
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return "", fault.New(fault.Invalid, "Say what should be done.").At(field)
	case len(text) > MaxMessage:
		return "", fault.New(fault.TooLarge, "%s is too long: it may have at most %d KB.", fault.NewPart(what), MaxMessage>>10).At(field)
	}
	if f := document.CheckText(what, text); f != nil {
		return "", f.At(field)
	}
	return text, nil
}

// titleOf shortens a task to its first line.
func titleOf(task string) string {
	const most = 80
	line, _, _ := strings.Cut(task, "\n")
	line = strings.TrimSpace(line)
	if utf8.RuneCountInString(line) <= most {
		return line
	}
	return string([]rune(line)[:most-1]) + "…"
}

// Pause stops the agent where it is. It fails with Conflict if it doesn't run.
func Pause(s State, by Actor) ([]Event, error) {
	if s.Run.Phase != PhaseRunning {
		return nil, fault.New(fault.Conflict, "The agent is not running, so there is nothing to pause.")
	}
	return []Event{{by, RunPaused{Reason: "Paused by " + by.Name + "."}}}, nil
}

// Resume lets a paused or failed session go on. It fails with Conflict if it
// is neither.
func Resume(s State, by Actor) ([]Event, error) {
	if s.Run.Phase != PhasePaused && s.Run.Phase != PhaseFailed {
		return nil, fault.New(fault.Conflict, "This session is neither paused nor failed, so there is nothing to resume.")
	}
	return []Event{{by, RunResumed{}}}, nil
}
