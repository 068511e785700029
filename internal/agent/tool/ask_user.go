package tool

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/google/uuid"

	"countersign/internal/agent"
	"countersign/internal/planning"
)

//go:embed ask_user.md
var askUserText string

// askUserSchema is written by hand, as updatePlanSchema is.
const askUserSchema = `{"type":"object","properties":{"questions":{"type":"array","items":{"type":"object","properties":{"id":{"type":"string"},"question":{"type":"string"},"options":{"type":"array","items":{"type":"string"}},"multiple":{"type":"boolean"}},"required":["id","question"]}}},"required":["questions"]}`

type askUserArgs struct {
	Questions []planning.Question `json:"questions"`
}

// askUser parks the turn until a person answers (Q1). What is wrong with the
// questions goes back to the model at once, and nobody is bothered (Q2).
func (c Config) askUser() agent.Tool {
	return define(typed[askUserArgs]{
		spec:   spec("ask_user", askUserText),
		access: agent.AccessControl,
		touch: func(a askUserArgs) (agent.Touch, error) {
			if len(a.Questions) == 0 {
				return agent.Touch{}, nil
			}
			first, _ := cutText(a.Questions[0].Question, 120)
			return agent.Touch{Summary: first}, nil
		},
		run: runAskUser,
	}, askUserSchema)
}

func runAskUser(_ context.Context, env agent.Env, a askUserArgs) (agent.Result, error) {
	if env.Subagent {
		return agent.Result{}, refuse("ask_user: a sub-agent can't ask people. Put the question into your report; whoever called you can ask it.")
	}
	questions, err := planning.NewQuestions(a.Questions)
	if err != nil {
		return agent.Result{}, refuse("ask_user: %v", err)
	}
	id, err := uuid.NewV7()
	if err != nil {
		return agent.Result{}, fmt.Errorf("name a question: %w", err)
	}
	return agent.Result{
		Park:   true,
		Events: []planning.Payload{planning.QuestionAsked{ID: id.String(), Call: env.Call, Questions: questions}},
	}, nil
}
