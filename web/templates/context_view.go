package templates

import (
	"context"
	"strings"

	"countersign/internal/planning"
)

// compactedWords says what was made shorter, and by how much.
func compactedWords(ctx context.Context, p planning.ContextCompacted) string {
	if p.Upto == 0 {
		return tr(ctx, "There was nothing in the conversation to make shorter")
	}
	return tr(ctx, "The conversation was made shorter: %d messages, about %d → %d tokens", p.Messages, p.Before, p.After)
}

func compactedWhy(ctx context.Context, p planning.ContextCompacted) string {
	if p.Asked {
		return tr(ctx, "a person asked for it")
	}
	return tr(ctx, "by itself, as the model’s window was getting full")
}

// instructionsWords names the files whose text the model gets.
func instructionsWords(ctx context.Context, files []planning.Instruction) string {
	var names []string
	for _, f := range files {
		names = append(names, visible(f.Path))
	}
	if len(names) == 0 {
		return tr(ctx, "There are no instructions any more")
	}
	return tr(ctx, "Instructions: %s", strings.Join(names, ", "))
}

// instructionFault says why the model gets nothing of a file.
func instructionFault(ctx context.Context, f planning.Instruction) string {
	switch {
	case f.Fault != "":
		return logged(ctx, f.Fault)
	case f.Cut:
		return tr(ctx, "left out: there is too much before it")
	default:
		return tr(ctx, "empty")
	}
}

// roundWords is the heading of a round towards a goal.
func roundWords(ctx context.Context, p planning.GoalRoundStarted) string {
	if p.Of == 0 {
		return tr(ctx, "Round %d", p.Round)
	}
	return tr(ctx, "Round %d of %d", p.Round, p.Of)
}

// goalWords says what somebody did to the goal, and what there is to say of it.
func goalWords(ctx context.Context, name string, p planning.GoalChanged) (words, about string) {
	switch p.Op {
	case planning.GoalCreate:
		return tr(ctx, "%s set a goal", name), p.Goal.Objective
	case planning.GoalEdit:
		return tr(ctx, "%s changed the goal", name), p.Goal.Objective
	case planning.GoalPause:
		return tr(ctx, "%s paused the goal", name), p.Goal.Reason
	case planning.GoalResume:
		return tr(ctx, "%s took up the goal again", name), ""
	case planning.GoalMarked:
		return tr(ctx, "%s says the goal is reached", name), p.Goal.Reason
	case planning.GoalBlock:
		return tr(ctx, "%s says the goal is blocked", name), p.Goal.Reason
	default:
		return tr(ctx, "%s cleared the goal", name), ""
	}
}
