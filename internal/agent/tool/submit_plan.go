package tool

import (
	"context"
	_ "embed"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"

	"countersign/internal/agent"
	"countersign/internal/planning"
	"countersign/internal/planning/document"
)

//go:embed submit_plan.md
var submitPlanText string

// submitPlanSchema is written by hand, as updatePlanSchema is.
const submitPlanSchema = `{"type":"object","properties":{"plan":{"type":"string"},"files":{"type":"array","items":{"type":"string"}},"commands":{"type":"array","items":{"type":"string"}}},"required":["plan"]}`

// maxScope is how many files, and how many commands, a plan can list.
const maxScope = 500

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
	scope, err := a.scope()
	if err != nil {
		return agent.Result{}, err
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

// scope checks what the plan wants to change and run.
func (a submitPlanArgs) scope() (planning.Scope, error) {
	var s planning.Scope
	if len(a.Files) > maxScope || len(a.Commands) > maxScope {
		return s, refuse("submit_plan: files and commands may have %d entries each. Use globs such as web/** for many files.", maxScope)
	}
	for i, f := range a.Files {
		f, err := scopeFile(f)
		if err != nil {
			return s, refuse("submit_plan: files, entry %d: %v", i+1, err)
		}
		s.Files = append(s.Files, f)
	}
	for i, c := range a.Commands {
		c = strings.TrimSpace(c)
		if c == "" || strings.ContainsRune(c, 0) || !utf8.ValidString(c) {
			return s, refuse("submit_plan: commands, entry %d is not a command.", i+1)
		}
		s.Commands = append(s.Commands, c)
	}
	return s, nil
}

// scopeFile brings a path or glob into the form in which it is matched. A
// slash at the end stays: it means all that is below.
func scopeFile(pattern string) (string, error) {
	pattern = strings.TrimSpace(pattern)
	clean, err := cleanPath(pattern)
	switch {
	case err != nil:
		return "", err
	case clean == ".":
		return "", fmt.Errorf("%q is the whole workspace. Name the files or folders that change", pattern)
	case !doublestar.ValidatePattern(clean):
		return "", fmt.Errorf("%q is not a valid glob pattern", pattern)
	case path.Clean(pattern) != strings.TrimSuffix(strings.TrimPrefix(pattern, "./"), "/"):
		return "", fmt.Errorf("%q is not a clean path; write %s", pattern, clean)
	}
	if strings.HasSuffix(pattern, "/") {
		clean += "/"
	}
	return clean, nil
}
