package planning

import (
	"regexp"
	"slices"
	"strings"

	"countersign/internal/fault"
)

// MessageCommand is what a message can begin with instead of being said.
type MessageCommand struct {
	Name      string // behind the slash, in small letters
	Arguments string // what goes behind it, for people; empty if nothing does
	Help      string // one sentence

	// events is what the command does; nil does nothing in the session.
	events func(s State, by Actor, arguments string) ([]Event, error)
}

// commandHelp is the one command that a page answers, not the session.
const commandHelp = "help"

// MessageCommands lists the commands, in the order in which /help shows them.
// One that takes different arguments is there once for each.
func MessageCommands() []MessageCommand {
	return []MessageCommand{
		{"plan", "TASK", "Plan a task: the agent can change nothing until its plan is approved.", State.planCommand},
		{"plan", "off", "Leave plan mode without a plan.", State.planCommand},
		{"goal", "OBJECTIVE", "Set a goal that the agent works towards in rounds, until it is reached or the rounds are used up.", State.goalCommand},
		{"goal", "pause | resume | complete | clear", "Change what becomes of the goal.", State.goalCommand},
		{"compact", "", "Let the agent go on from a summary of the conversation so far. The log keeps all of it.", State.compactCommand},
		{commandHelp, "", "Show this list.", nil},
	}
}

// Usage is the command as one writes it.
func (c MessageCommand) Usage() string { return strings.TrimSpace("/" + c.Name + " " + c.Arguments) }

// Insert is as much of it as is the same whatever one wants of it: the command
// and, if what goes behind it is a word of its own, that; otherwise the command
// and a blank, for what is still to come.
func (c MessageCommand) Insert() string {
	switch {
	case c.Arguments == "":
		return "/" + c.Name
	case c.Arguments == "off":
		return c.Usage()
	default:
		return "/" + c.Name + " "
	}
}

// command is a slash and a word of letters, alone or followed by a blank:
// "/plan x", but not "/usr/bin is full".
var command = regexp.MustCompile(`^/([A-Za-z]+)(?:\s([\s\S]*))?$`)

// splitCommand takes a message apart that begins with a command. A blank before
// the slash, or a second slash, makes it a text like any other.
func splitCommand(text string) (word, arguments string, is bool) {
	m := command.FindStringSubmatch(text)
	if m == nil {
		return "", "", false
	}
	return strings.ToLower(m[1]), strings.TrimSpace(m[2]), true
}

// unescaped takes away the second slash that kept a text from being a command.
func unescaped(text string) string {
	if rest, doubled := strings.CutPrefix(text, "/"); doubled && command.MatchString(rest) {
		return rest
	}
	return text
}

// AsksForHelp tells whether a message only asks for the list of commands.
func AsksForHelp(text string) bool {
	word, _, is := splitCommand(text)
	return is && word == commandHelp
}

// Say records a person's message to the agent, or does what its command says
// (P1, P22). Open questions of the agent end with it. A request for help
// records nothing. Faults: Invalid, TooLarge, Conflict.
func Say(s State, by Actor, text string) ([]Event, error) {
	said, err := message(text, "text", "The message")
	if err != nil {
		return nil, err
	}
	if s.Abandoned() {
		return nil, fault.New(fault.Conflict, "This session was stopped for good. Please start a new one.")
	}
	word, arguments, is := splitCommand(text)
	if !is {
		return s.say(by, UserMessage{Text: unescaped(said)}), nil
	}
	all := MessageCommands()
	i := slices.IndexFunc(all, func(c MessageCommand) bool { return c.Name == word })
	switch {
	case i < 0:
		return nil, fault.New(fault.Invalid, "There is no command /%s. /help lists what there is; a blank or a second slash in front sends it as a text.", word).At("text")
	case all[i].events == nil:
		return nil, nil
	}
	return all[i].events(s, by, arguments)
}

// say is a message with all that follows from it.
func (s State) say(by Actor, m UserMessage) []Event {
	events := []Event{{by, m}}
	if to := s.queueFor(m.Command); to != "" && to != s.Mode && !s.turnOpen() {
		events = append(events, Event{by, ModeChanged{From: s.Mode, To: to, Reason: "asked for by " + by.Name}})
		if m.Text == "" && s.Run.Phase == PhaseParked && !s.Promised { // it waited for a word on what to plan
			events = append(events, Event{by, RunFinished{}})
			if round, ok := s.afterPlanning(to).NextRound(); ok {
				events = append(events, Event{System, round})
			}
		}
	}
	if s.Run.Phase == PhaseFailed && m.Text != "" {
		events = append(events, Event{by, RunResumed{}})
	}
	if m.Text != "" { // what the agent has asked gets no other answer
		events = append(events, s.dismissAll(by)...)
	}
	return events
}

// afterPlanning is the state as it matters to a goal once planning was left.
func (s State) afterPlanning(m Mode) State {
	s.Mode, s.Queued, s.Run.Phase = m, "", PhaseFinished
	return s
}

// planCommand is "/plan TASK", which starts planning, and "/plan off", which
// ends it; while a turn runs both land at its next step (P1, P22).
func (s State) planCommand(by Actor, arguments string) ([]Event, error) {
	switch arguments {
	case "":
		return nil, fault.New(fault.Invalid, "Write the task behind /plan, or /plan off to leave plan mode.").At("text")
	case "off":
	default:
		return s.say(by, UserMessage{Text: arguments, Command: CommandPlan}), nil
	}
	if s.InReview() {
		return nil, fault.New(fault.Conflict, "A plan is in review. Please decide on it first.").At("text")
	}
	if s.Mode != ModePlan && s.Queued != ModePlan {
		return nil, fault.New(fault.Conflict, "This session is not in plan mode.").At("text")
	}
	return s.say(by, UserMessage{Command: CommandPlanOff}), nil
}

func (s State) queueFor(c Command) Mode {
	switch c {
	case CommandPlan:
		return ModePlan
	case CommandPlanOff:
		return ModeNormal
	}
	return ""
}

// turnOpen: the agent runs, or a call of its last message waits for a result.
func (s State) turnOpen() bool {
	if s.Run.Phase == PhaseRunning || s.InReview() {
		return true
	}
	for _, c := range s.Calls {
		if c.State != CallDone {
			return true
		}
	}
	return false
}
