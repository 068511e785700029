package planning

import "fmt"

// reminderPrompt is what the agent gets, with how many items are open of how
// many.
const reminderPrompt = "You say that you are done, but your to-do list is not: %d of %d items are open. Go on with what is left. What is done already, mark with update_plan; if something can't be done, say what is in the way."

// TodoReminded is a message to the agent that comes from its own to-do list:
// it said that it was done, and the list was not (T10).
type TodoReminded struct {
	Unfinished int    `json:"unfinished"` // items that were not completed
	Text       string `json:"text"`       // what the model gets, word for word
}

// Reminder is the message that the to-do list has for the agent when it has
// come to rest with items left. There are at most as many as most says until a
// person lets the agent run again, and none while people are asked or while
// planning. The built-in planner follows its rules and gets none.
func (s State) Reminder(most int) (TodoReminded, bool) {
	done, all := s.TodoCounts()
	switch {
	case done == all, s.Reminded >= most, s.Unread, s.Abandoned(), s.Waits(), s.Model == "builtin":
		return TodoReminded{}, false
	case s.Mode == ModePlan && s.Queued == "", s.Queued == ModePlan:
		return TodoReminded{}, false
	}
	return TodoReminded{Unfinished: all - done, Text: fmt.Sprintf(reminderPrompt, all-done, all)}, true
}

// applyReminder counts reminders, anew from each time that a person lets the
// agent run or that it comes to rest.
func (s State) applyReminder(r Record, payload Payload) State {
	switch p := payload.(type) {
	case TodoReminded:
		s.Reminded++
		s.Unread = true
		return s.wake(r.At)
	case UserMessage:
		if p.Text != "" {
			s.Reminded = 0
		}
	case ReviewDecided, RunResumed, RunFinished:
		s.Reminded = 0
	}
	return s
}
