package tool

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"countersign/internal/agent"
	"countersign/internal/planning"
	"countersign/internal/planning/document"
)

//go:embed submit_plan.md
var submitPlanText string

// submitPlanSchema is written by hand, as updatePlanSchema is.
const submitPlanSchema = `{"type":"object","properties":{"plan":{"type":"string"},"files":{"type":"array","items":{"type":"string"}},"commands":{"type":"array","items":{"type":"string"}}},"required":["plan"]}`

type submitPlanArgs struct {
	Plan     string   `json:"plan"`
	Files    []string `json:"files,omitempty"`
	Commands []string `json:"commands,omitempty"`
}

func (c Config) submitPlan() agent.Tool {
	return define(typed[submitPlanArgs]{
		spec:   spec("submit_plan", submitPlanText),
		access: agent.AccessControl,
		touch: func(a submitPlanArgs) (agent.Touch, error) {
			return agent.Touch{Summary: title(a.Plan)}, nil
		},
		run: runSubmitPlan,
	}, submitPlanSchema)
}

// title is the first line of a plan, for people.
func title(plan string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(plan), "\n")
	first, _ = cutText(strings.TrimSpace(strings.TrimLeft(first, "# ")), 120)
	return first
}

// runSubmitPlan checks a plan and hands it in. What is wrong with it goes back
// to the model at once, and no reviewer is bothered (P9).
func runSubmitPlan(_ context.Context, env agent.Env, a submitPlanArgs) (agent.Result, error) {
	switch {
	case env.State.Mode != planning.ModePlan:
		return agent.Result{}, refuse("submit_plan: the session is not in plan mode, so there is no plan to submit.")
	case env.State.InReview():
		return agent.Result{}, refuse("submit_plan: a plan is being reviewed already. Wait for the decision on it.")
	}
	scope, err := planning.NewScope(a.Files, a.Commands)
	if err != nil {
		return agent.Result{}, refuse("submit_plan: %v", err)
	}
	if err := document.CheckPlan(a.Plan); err != nil {
		return agent.Result{}, refuse("submit_plan: %v", err)
	}
	submitted, err := planning.NewVersion(env.State, a.Plan, scope)
	if err != nil {
		return agent.Result{}, refuse("submit_plan: %v", err)
	}
	submitted.Call = env.Call
	return agent.Result{
		Park:    true,
		Summary: fmt.Sprintf("version %d", submitted.Version),
		Events:  []planning.Payload{submitted},
	}, nil
}
