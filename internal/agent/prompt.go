package agent

import (
	"fmt"
	"strings"

	"countersign/internal/agent/permission"
	"countersign/internal/planning"
)

const (
	systemPrompt = `You are a coding agent. You work in one folder, the workspace, with the tools you are given; paths are relative to it. People watch what you do. Say briefly what you are about to do. Keep to what was asked.`

	// planPrompt is sent only while planning (P8). Together with the two
	// planning tools it is bounded by T11; it must not contain the word that
	// only a stored approval may bring (P18).
	planPrompt = `You are in plan mode: nothing can be changed.` + planTask

	// guidedPrompt asks for what planPrompt states (P23).
	guidedPrompt = `You are in plan mode: change nothing yet.` + planTask

	// planTask leaves the form of a plan to the description of submit_plan, which
	// is there as well with a prompt of one's own (P7).
	planTask = ` Look around, then submit_plan. People review it; keep their rewrites word for word.`
)

// system is the caller's prompt with, while planning, the planning section.
func (r *run) system() string {
	system, plan := r.Settings.System, r.Settings.PlanPrompt
	if system == "" {
		system = systemPrompt
	}
	system += instructions(r.state.Instructions)
	if r.state.Mode != planning.ModePlan {
		return system
	}
	switch {
	case plan != "":
	case r.Settings.Policy.Enforcement == permission.Guidance:
		plan = guidedPrompt
	default:
		plan = planPrompt
	}
	return system + "\n\n" + plan
}

// goalText is the goal as the model sees it, with what update_goal needs to
// know, or "".
func goalText(g planning.Goal) string {
	if !g.Exists() || g.Phase == planning.GoalComplete {
		return ""
	}
	text := fmt.Sprintf("Current goal %s, revision %d, %s, round %d of %d: %s\n", g.ID, g.Revision, g.Phase, g.Rounds, g.MaxRounds, g.Objective)
	if g.Reason != "" {
		text += "Reason: " + g.Reason + "\n"
	}
	return text
}

// todoText is the list as the model sees it, or "".
func todoText(list []planning.Todo) string {
	if len(list) == 0 {
		return ""
	}
	marks := map[planning.TodoStatus]string{
		planning.TodoPending: "[ ]", planning.TodoInProgress: "[>]", planning.TodoCompleted: "[x]",
	}
	var b strings.Builder
	b.WriteString("Current to-do list:\n")
	for _, t := range list {
		b.WriteString(marks[t.Status] + " " + t.Text + " (" + t.ID + ")\n")
	}
	return b.String()
}
