package builtin

import (
	"fmt"
	"strconv"

	"countersign/internal/agent"
	"countersign/internal/planning"
)

// talk is what a request says about the newest task. This planner remembers
// nothing: all that it knows it reads here, at each turn anew.
type talk struct {
	task  task
	found bool
	calls []call // since the task, in order

	notes   []note // what people wrote since the task
	unread  string // the newest message, if nobody has answered it and it is no task
	resting bool   // the last turn ended without calls
	todos   []planning.Todo
	goal    goal
	has     map[string]bool // tools on offer
	turn    int             // number for the ids of the calls to be made now
	turns   int             // turns since the task
}

// note is a message that somebody wrote since the task.
type note struct {
	text string
	at   int // index of its message
}

// call is a call that was made, with its result.
type call struct {
	planning.ToolCall
	kind   string // what we made it for, from its id
	step   int    // of the plan, from its id; 0 for none
	at     int    // index of its message
	done   bool   // has a result
	failed bool
	result string
}

// callID is the form of our ids: turn, what for, step, number.
var callID = lazily(`^b(\d+)_([a-z]+)_(\d+)_\d+$`)

func newID(turn int, kind string, step, n int) string {
	return fmt.Sprintf("b%d_%s_%d_%d", turn, kind, step, n)
}

func listen(req agent.Request) talk {
	t := talk{has: map[string]bool{}}
	for _, tool := range req.Tools {
		t.has[tool.Name] = true
	}
	messages, rounds := objectives(req.Messages)
	now := ""
	if n := len(messages); n > 0 && messages[n-1].Passing {
		now, messages = messages[n-1].Text, messages[:n-1]
		t.todos = readTodos(now)
	}
	t.goal = readGoal(now, messages, rounds)
	since := t.findTask(messages)
	t.readCalls(messages, since)
	t.readNotes(messages, since, rounds)
	t.turn = max(t.turn, len(messages))
	return t
}

// findTask finds the newest message that is a task and returns the index
// behind it.
func (t *talk) findTask(messages []agent.Message) int {
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Role != agent.RoleUser {
			continue
		}
		if task, ok := parseTask(messages[i].Text); ok {
			t.task, t.found = task, true
			return i + 1
		}
	}
	return 0
}

func (t *talk) readCalls(messages []agent.Message, since int) {
	index := map[string]int{}
	for i, m := range messages {
		if m.Role == agent.RoleAssistant && i >= since {
			t.turns++
		}
		for _, c := range m.Calls {
			mine := call{ToolCall: c, at: i}
			if id := callID().FindStringSubmatch(c.ID); id != nil {
				turn, _ := strconv.Atoi(id[1])
				t.turn = max(t.turn, turn+1)
				mine.kind = id[2]
				mine.step, _ = strconv.Atoi(id[3])
			}
			if i >= since {
				index[c.ID] = len(t.calls)
				t.calls = append(t.calls, mine)
			}
		}
		if at, ok := index[m.CallID]; ok && m.Role == agent.RoleTool {
			t.calls[at].done, t.calls[at].failed, t.calls[at].result = true, m.Failed, m.Text
		}
	}
}

// readNotes reads what people wrote since the task, and whether somebody waits
// for an answer.
func (t *talk) readNotes(messages []agent.Message, since int, rounds map[int]bool) {
	answer := -1
	for i, m := range messages {
		if m.Role == agent.RoleAssistant {
			answer = i
		}
	}
	t.resting = answer >= since && len(messages[answer].Calls) == 0
	for i, m := range messages {
		if m.Role != agent.RoleUser || t.found && i < since {
			continue
		}
		if t.found && !rounds[i] {
			t.notes = append(t.notes, note{m.Text, i})
		}
		if i > answer {
			t.unread = m.Text
		}
	}
}

// asked finds a call with exactly these arguments that has a result. A read
// that was interrupted counts as not made.
func (t talk) asked(name string, args any) (call, bool) {
	want := encode(args)
	for _, c := range t.calls {
		if c.Name == name && c.Arguments == want && c.done && !interrupted(c) {
			return c, true
		}
	}
	return call{}, false
}

// lastPlan is the newest call of submit_plan.
func (t talk) lastPlan() (call, bool) {
	for i := len(t.calls) - 1; i >= 0; i-- {
		if t.calls[i].Name == "submit_plan" {
			return t.calls[i], true
		}
	}
	return call{}, false
}
