package main

import (
	"fmt"
)

func (s *stage) planPath(session string, version int) string {
	return fmt.Sprintf("/sessions/%s/plans/%d", s.sessions[session], version)
}

// read is a version of a plan as somebody sees it: its hash, and the ids of its
// steps in order.
func (s *stage) read(session string, version int) (hash string, steps []string) {
	p := s.as(s.story.owner, "GET", s.planPath(session, version), nil)
	for _, step := range p["steps"].([]any) {
		steps = append(steps, step.(object)["id"].(string))
	}
	return p["sha256"].(string), steps
}

// comment opens a thread on a step and returns its path in the API.
func (s *stage) comment(who, session string, version int, step, quote, text string) string {
	answer := s.as(who, "POST", s.planPath(session, version)+"/threads", object{"step": step, "quote": quote, "body": text})
	return "/threads/" + answer["id"].(string)
}

func (s *stage) decide(who, session string, version int, verdict string) {
	hash, _ := s.read(session, version)
	s.as(who, "POST", s.planPath(session, version)+"/decision", object{"verdict": verdict, "sha256": hash})
}

// answer answers the permission that a session waits for.
func (s *stage) answer(who, session, answer, reason string) {
	asked := s.becomes(session, "waiting")["permissions"].([]any)[0].(object)
	s.as(who, "POST", "/sessions/"+s.sessions[session]+"/permissions/"+asked["id"].(string), object{"answer": answer, "reason": reason})
}

// todo is a call that moves the to-do list on: the first done items of the
// session's plan are completed and, unless all are, the next is in progress.
// It is merged by the ids of the items, which are those of the plan's steps.
func (s *stage) todo(session string, version, done int) object {
	_, steps := s.read(session, version)
	list := s.as(s.story.owner, "GET", s.planPath(session, version), nil)["steps"].([]any)
	var items []object
	for i, id := range steps {
		status := "pending"
		if i < done {
			status = "completed"
		} else if i == done {
			status = "in_progress"
		}
		items = append(items, object{"id": id, "step": list[i].(object)["title"], "status": status})
	}
	return object{"steps": items, "merge": true}
}
