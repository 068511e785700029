package tool

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"countersign/internal/agent"
	"countersign/internal/planning"
)

//go:embed update_plan.md
var updatePlanText string

// updatePlanSchema is written by hand: it goes out with every request, and a
// generated one is twice as long (T11).
const updatePlanSchema = `{"type":"object","properties":{"steps":{"type":"array","items":{"type":"object","properties":{"step":{"type":"string"},"status":{"enum":["pending","in_progress","completed"]},"id":{"type":"string"}},"required":["step","status"]}},"merge":{"type":"boolean"}},"required":["steps"]}`

// updatePlan is the to-do list's tool. Its arguments are read by planning,
// which knows what is wrong with a list.
type updatePlan struct {
	spec     agent.ToolSpec
	parallel bool
}

func (c Config) updatePlan() agent.Tool {
	rule := ", one in_progress"
	if c.ParallelTodos {
		rule = ""
	}
	t := updatePlan{spec: spec("update_plan", strings.ReplaceAll(updatePlanText, "{one}", rule)), parallel: c.ParallelTodos}
	t.spec.Parameters = json.RawMessage(updatePlanSchema)
	return t
}

func (t updatePlan) Spec() agent.ToolSpec { return t.spec }
func (t updatePlan) Access() agent.Access { return agent.AccessControl }

func (t updatePlan) Touch(raw json.RawMessage) (agent.Touch, error) {
	w, err := planning.ParseTodoWrite(raw)
	if err != nil {
		return agent.Touch{}, refuse("%v", err)
	}
	for _, s := range w.Steps {
		if s.Status == planning.TodoInProgress {
			return agent.Touch{Summary: s.Step}, nil
		}
	}
	return agent.Touch{Summary: count(len(w.Steps), "step")}, nil
}

func (t updatePlan) Run(_ context.Context, env agent.Env, raw json.RawMessage) (agent.Result, error) {
	w, err := planning.ParseTodoWrite(raw)
	if err != nil {
		return agent.Result{}, refuse("%v", err)
	}
	if !w.Merge && replacing(env.State) > 1 {
		return agent.Result{}, refuse("update_plan: two calls in one turn replace the whole list, so neither was done. Send one, or use merge.")
	}
	list, err := w.Write(env.State.Todos, t.parallel)
	if err != nil {
		return agent.Result{}, refuse("%v", err)
	}
	receipt := receipt(list)
	return agent.Result{
		Output: receipt, Summary: receipt,
		Events: []planning.Payload{planning.TodoWritten{Call: env.Call, Items: list}},
	}, nil
}

// replacing counts the calls of this turn that would replace the list (T5).
// Those that can't be read replace nothing.
func replacing(s planning.State) int {
	n := 0
	for _, c := range s.Calls {
		if c.Name != "update_plan" {
			continue
		}
		if w, err := planning.ParseTodoWrite([]byte(c.Arguments)); err == nil && !w.Merge {
			n++
		}
	}
	return n
}

// receipt is one line of counts: the list itself travels with every request.
func receipt(list []planning.Todo) string {
	counts := map[planning.TodoStatus]int{}
	for _, t := range list {
		counts[t.Status]++
	}
	return fmt.Sprintf("%d completed, %d in progress, %d pending", counts[planning.TodoCompleted], counts[planning.TodoInProgress], counts[planning.TodoPending])
}
