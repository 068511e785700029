package builtin

import (
	"encoding/json"
	"strconv"
	"strings"

	"countersign/internal/agent"
	"countersign/internal/planning"
)

// goal is the goal as it stands, and what has been said about it in the round
// that runs.
type goal struct {
	planning.GoalRef
	active bool
	round  bool   // the newest message comes from the goal
	told   string // the status that was given since then, if any
}

var (
	goalHead  = lazily(`^Current goal (\S+), revision (\d+), (\w+), round \d+ of \d+: `)
	roundText = lazily(`(?s)^Round \d+ of \d+ towards the goal: (.*)\n\nGo on with it\.`)
)

// objectives puts into each message that comes from a goal what the goal is,
// so that it reads as if a person had said it, and notes which these are.
func objectives(messages []agent.Message) (said []agent.Message, rounds map[int]bool) {
	said, rounds = make([]agent.Message, len(messages)), map[int]bool{}
	for i, m := range messages {
		if r := roundText().FindStringSubmatch(m.Text); r != nil && m.Role == agent.RoleUser {
			m.Text, rounds[i] = r[1], true
		}
		said[i] = m
	}
	return said, rounds
}

// readGoal reads the goal behind the conversation, and what became of it.
func readGoal(now string, messages []agent.Message, rounds map[int]bool) goal {
	var g goal
	if m := goalHead().FindStringSubmatch(now); m != nil {
		g.ID, g.active = m[1], m[3] == string(planning.GoalActive)
		g.Revision, _ = strconv.Atoi(m[2])
	}
	for i, m := range messages {
		if m.Role == agent.RoleUser {
			g.round, g.told = rounds[i], ""
		}
		for _, c := range m.Calls {
			var args goalArgs
			if c.Name == "update_goal" && json.Unmarshal([]byte(c.Arguments), &args) == nil {
				g.told = args.Status
			}
		}
	}
	return g
}

// endRound says at the end of a round's work what became of the goal: with
// nothing left to do it is reached, and what this planner can't do now it can't
// do in the next round either.
func (t talk) endRound(last turn) turn {
	status := "complete"
	if last.stuck {
		status = "blocked"
	}
	reason, _, _ := strings.Cut(strings.TrimSpace(last.text), "\n")
	last.calls = []planning.ToolCall{{
		ID: newID(t.turn, "goal", 0, 0), Name: "update_goal",
		Arguments: encode(goalArgs{ID: t.goal.ID, Revision: t.goal.Revision, Status: status, Reason: reason}),
	}}
	return last
}

// reply answers a request. The work of a round of a goal ends with a word on
// the goal, once.
func reply(req agent.Request) turn {
	t := listen(req)
	switch {
	case t.goal.round && t.goal.told == "complete":
		return turn{text: t.say().goalReached}
	case t.goal.round && t.goal.told != "":
		return turn{text: t.say().goalBlocked}
	}
	next := t.answer()
	if len(next.calls) == 0 && t.goal.round && t.goal.active && t.has["update_goal"] {
		return t.endRound(next)
	}
	return next
}
