package templates

import (
	"context"
	"strings"

	"countersign/internal/planning"
	"countersign/internal/review"
)

// ActivityPage is what the agent did, the newest at the end.
type ActivityPage struct {
	Page
	State   planning.State
	Records []planning.Record // in order
	Older   int64             // where older records begin, counted back; 0 if there are none
	Newest  bool              // the end of the log is on this page
	Say     Compose           // a message that a form brought back
	Goal    GoalForm          // a form about the goal that came back
	Help    bool              // somebody asked for the list of commands
	Allowed planning.Grants   // by the settings
	Pattern PatternForm       // one that a form brought back
}

func (p ActivityPage) root() string { return "/sessions/" + p.State.ID + "/" }

// glyph stands before a line, by the tool.
func glyph(tool string) string {
	switch tool {
	case "shell":
		return "$"
	case "write_file", "edit_file":
		return "✎"
	case "update_plan":
		return "▢"
	case "submit_plan":
		return "☰"
	case "spawn_agent":
		return "»"
	default:
		return "⌕"
	}
}

// foldAfter is how many lines of output show at once, and outputMost how many
// bytes of it a page carries.
const (
	foldAfter  = 4
	outputMost = 64 << 10
)

// output is what a tool printed: a few lines, and the rest to unfold.
type output struct {
	head string
	rest string
	more int // lines in rest
	cut  bool
}

func (o output) whole() string {
	if o.more == 0 {
		return o.head
	}
	return o.head + "\n" + o.rest
}

func outputOf(text string) output {
	text = strings.TrimRight(visible(text), "\n")
	var o output
	if len(text) > outputMost {
		text = strings.ToValidUTF8(text[:outputMost], "")
		o.cut = true
	}
	lines := strings.SplitAfter(text, "\n")
	if len(lines) <= foldAfter+2 {
		o.head = text
		return o
	}
	o.head = strings.TrimRight(strings.Join(lines[:foldAfter], ""), "\n")
	o.rest = strings.Join(lines[foldAfter:], "")
	o.more = len(lines) - foldAfter
	return o
}

// quiet tools only look: their output shows when one asks for it.
func quietTool(name string) bool {
	switch name {
	case "read_file", "list_dir", "glob", "grep", "update_plan", "submit_plan", "write_file", "edit_file":
		return true
	default:
		return false
	}
}

// commandHelp says what a command does.
func commandHelp(ctx context.Context, c planning.MessageCommand) string {
	switch c.Usage() {
	case "/plan TASK":
		return tr(ctx, "Plan a task: the agent can change nothing until its plan is approved.")
	case "/plan off":
		return tr(ctx, "Leave plan mode without a plan.")
	case "/goal OBJECTIVE":
		return tr(ctx, "Set a goal that the agent works towards in rounds, until it is reached or the rounds are used up.")
	case "/goal pause | resume | complete | clear":
		return tr(ctx, "Change what becomes of the goal.")
	case "/compact":
		return tr(ctx, "Let the agent go on from a summary of the conversation so far. The log keeps all of it.")
	case "/help":
		return tr(ctx, "Show this list.")
	default:
		return c.Help
	}
}

func (p ActivityPage) maySay() bool {
	return p.can(review.ActionTask) && !p.State.Abandoned()
}

// question says what a request for permission asks.
func question(ctx context.Context, q planning.Permission) string {
	switch {
	case q.Command != "":
		return tr(ctx, "May the agent run this command?")
	case len(q.Paths) == 1:
		return tr(ctx, "May the agent change this file?")
	case len(q.Paths) > 1:
		return tr(ctx, "May the agent change these files?")
	default:
		return tr(ctx, "May the agent use %s?", visible(q.Tool))
	}
}

// answeredBy says what somebody said to a request for permission.
func answeredBy(ctx context.Context, name string, a planning.PermissionAnswer) string {
	switch a {
	case planning.AnswerOnce:
		return tr(ctx, "%s allowed it, this once", name)
	case planning.AnswerSession:
		return tr(ctx, "%s allowed it for this session", name)
	case planning.AnswerReplan:
		return tr(ctx, "%s sent the agent back to planning", name)
	default:
		return tr(ctx, "%s refused", name)
	}
}

func modeWords(ctx context.Context, m planning.Mode) string {
	switch m {
	case planning.ModePlan:
		return tr(ctx, "Plan mode: the agent looks around and can change nothing")
	case planning.ModeExecuting:
		return tr(ctx, "The plan is carried out; writing is unlocked for the approved files")
	default:
		return tr(ctx, "No plan mode: the agent asks before each change")
	}
}

func startedWords(ctx context.Context, name string, m planning.Mode) string {
	if m == planning.ModeNormal {
		return tr(ctx, "%s started this session without a plan", name)
	}
	return tr(ctx, "%s started this session in plan mode", name)
}

func waitWords(ctx context.Context, w planning.Wait) string {
	switch w {
	case planning.WaitReview:
		return tr(ctx, "Waits for the review of the plan")
	case planning.WaitPermission:
		return tr(ctx, "Waits for an answer")
	case planning.WaitQuestion:
		return tr(ctx, "Waits for the answer to a question")
	default:
		return tr(ctx, "Waits for a message")
	}
}

func finishedWords(ctx context.Context, unfinishedItems int) string {
	if unfinishedItems > 0 {
		return tr(ctx, "The agent says it is done; %d items are unfinished", unfinishedItems)
	}
	return tr(ctx, "The agent is done")
}

func todoWords(ctx context.Context, items []planning.Todo) string {
	done := 0
	for _, t := range items {
		if t.Status == planning.TodoCompleted {
			done++
		}
	}
	return tr(ctx, "To-do list: %d items", len(items)) + " · " + tr(ctx, "%d done", done)
}
