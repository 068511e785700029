package permission

import (
	"slices"

	"countersign/internal/planning"
)

// Shell is what a command may do once Decide lets it run. The zero value lets
// it change nothing.
type Shell struct {
	// Writable is what the command may write below the workspace: exact paths
	// or globs. Empty means nothing.
	Writable []string
	// Everything lets it write the whole workspace except what is protected
	// (.git, the product's own data): a person has allowed just this command.
	Everything bool
	// Hold keeps what it writes beyond Writable, so that people can be asked
	// about it. Where there is no layer to keep it in, nothing is written there.
	Hold bool
	// Network lets it open connections.
	Network bool
}

// Shell says what a command may do that has been let through; answered says
// that a person has allowed this very call. While planning it is nothing. In
// execution it may change the files that the plan lists, and people are asked
// about the others; only commands that the plan lists have the network. That a
// person has confirmed such a command gives it no more.
func (p Policy) Shell(s Situation, c Call, answered bool) Shell {
	s = p.standing(s)
	switch {
	case s.Mode == planning.ModePlan && p.Enforcement != Guidance:
		return Shell{}
	case s.Mode == planning.ModeExecuting && s.Scope.HasCommand(c.Command):
		return Shell{Writable: writable(s), Network: true, Hold: p.Layer}
	case answered || s.Grants.HasCommand(c.Command):
		return Shell{Everything: true, Network: true}
	case s.Mode == planning.ModeExecuting:
		return Shell{Writable: writable(s), Hold: p.Layer}
	default:
		return Shell{}
	}
}

// writable are the files of the plan and those that people have allowed.
func writable(s Situation) []string {
	files := slices.Concat(s.Scope.Files, s.Grants.Patterns)
	for _, file := range s.Grants.Files {
		files = append(files, planning.Literal(file))
	}
	return files
}
