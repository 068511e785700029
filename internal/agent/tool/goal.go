package tool

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"

	"countersign/internal/agent"
	"countersign/internal/fault"
	"countersign/internal/planning"
)

var (
	//go:embed create_goal.md
	createGoalText string
	//go:embed update_goal.md
	updateGoalText string
)

// createGoalArgs are the arguments of create_goal.
type createGoalArgs struct {
	Objective string `json:"objective"`
	MaxRounds int    `json:"max_rounds,omitempty"`
}

// updateGoalArgs are the arguments of update_goal. A model may say that it is
// done or stuck; to pause, to edit and to clear is for people.
type updateGoalArgs struct {
	ID       string `json:"id"`
	Revision int    `json:"revision"`
	Status   string `json:"status"` // a key of goalOps
	Reason   string `json:"reason,omitempty"`
}

// The schemas are written by hand, as updatePlanSchema is.
const (
	createGoalSchema = `{"type":"object","properties":{"objective":{"type":"string"},"max_rounds":{"type":"integer"}},"required":["objective"]}`
	updateGoalSchema = `{"type":"object","properties":{"id":{"type":"string"},"revision":{"type":"integer"},"status":{"enum":["complete","blocked"]},"reason":{"type":"string"}},"required":["id","revision","status"]}`
)

func (c Config) createGoal() agent.Tool {
	return define(typed[createGoalArgs]{
		spec:   spec("create_goal", createGoalText),
		access: agent.AccessControl,
		touch:  func(a createGoalArgs) (agent.Touch, error) { return agent.Touch{Summary: title(a.Objective)}, nil },
		run: func(_ context.Context, env agent.Env, a createGoalArgs) (agent.Result, error) {
			return changeGoal(env, "create_goal", planning.GoalChange{
				Op: planning.GoalCreate, Objective: a.Objective, MaxRounds: a.MaxRounds,
			})
		},
	}, createGoalSchema)
}

func (c Config) updateGoal() agent.Tool {
	return define(typed[updateGoalArgs]{
		spec:   spec("update_goal", updateGoalText),
		access: agent.AccessControl,
		touch: func(a updateGoalArgs) (agent.Touch, error) {
			if goalOps[a.Status] == "" {
				return agent.Touch{}, refuse("update_goal: status %q is not complete or blocked; the rest is for people.", a.Status)
			}
			return agent.Touch{Summary: a.Status}, nil
		},
		run: func(_ context.Context, env agent.Env, a updateGoalArgs) (agent.Result, error) {
			return changeGoal(env, "update_goal", planning.GoalChange{
				Op: goalOps[a.Status], Ref: &planning.GoalRef{ID: a.ID, Revision: a.Revision}, Reason: a.Reason,
			})
		},
	}, updateGoalSchema)
}

// goalOps is what a model may say of a goal.
var goalOps = map[string]planning.GoalOp{"complete": planning.GoalMarked, "blocked": planning.GoalBlock}

// changeGoal records a change. A refusal tells the model the goal as it is, so
// that the next try can name it.
func changeGoal(env agent.Env, tool string, c planning.GoalChange) (agent.Result, error) {
	changed, err := planning.ChangeGoal(env.State, c)
	var f *fault.Fault
	switch {
	case errors.As(err, &f) && f.Current != nil:
		now, err := json.Marshal(env.State.Goal)
		if err != nil {
			return agent.Result{}, err
		}
		return agent.Result{}, refuse("%s: %s The goal is: %s", tool, f.Message, now)
	case errors.As(err, &f):
		return agent.Result{}, refuse("%s: %s", tool, f.Message)
	case err != nil:
		return agent.Result{}, err
	}
	g := changed.Goal
	said := fmt.Sprintf("goal %s, revision %d, %s, round %d of %d", g.ID, g.Revision, g.Phase, g.Rounds, g.MaxRounds)
	return agent.Result{Output: said, Summary: said, Events: []planning.Payload{changed}}, nil
}
