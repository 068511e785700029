// Package permission decides what a tool call may do. It is pure: a table from
// mode, scope and call to a decision, and nothing else.
package permission

import (
	"fmt"
	"slices"
	"strings"

	"countersign/internal/planning"
)

// Access says what a tool can do. The zero value is the strictest.
type Access int

// The sorts of access.
const (
	Execute      Access = iota // runs commands
	Write                      // changes the files that the call names
	Read                       // changes nothing
	Control                    // changes only the session itself: update_plan, submit_plan
	External                   // does what another program says it does: counts as writing (P28)
	ExternalRead               // the same, but a person has listed it as one that only reads (P28)
)

// Verdict is what comes of a call. The zero value refuses.
type Verdict int

// The verdicts.
const (
	Deny Verdict = iota
	Ask
	Allow
)

// Decision is a verdict and its reason: for the model when it is Deny, for
// people when it is Ask.
type Decision struct {
	Verdict Verdict
	Reason  string
}

// Enforcement says what holds plan mode up. The zero value is the strict one.
type Enforcement string

// The enforcements.
const (
	ReadOnly Enforcement = "readonly" // the rules of this package
	Guidance Enforcement = "guidance" // the prompt alone; calls are asked about as in normal mode (P23)
)

// The tools of planning itself, which no setting takes away.
const (
	SubmitPlan = "submit_plan" // hands in a plan; only while planning
	UpdatePlan = "update_plan" // writes the to-do list
)

// PlanTools is what planning may use besides, unless the settings say otherwise.
var PlanTools = []string{"read_file", "list_dir", "glob", "grep", "shell", "ask_user", "spawn_agent", "create_goal", "update_goal"}

// Policy is what the settings say.
type Policy struct {
	Enforcement Enforcement
	ConfirmAll  bool // in execution ask for each write and command as well
	// Layer says that commands write into a layer of their own, so that people
	// can be asked about what a command wrote, instead of about the command.
	Layer     bool
	PlanTools []string // names, besides the tools of planning itself; nil means PlanTools
	// Allowed needs no question in any session, whoever runs it. It counts where
	// a session runs something, and never while it plans, whatever the enforcement.
	Allowed   planning.Grants
	PlanShell string // why commands can't run while planning, whatever the enforcement; empty if they can
}

// Call is a tool call as far as the rules care.
type Call struct {
	Tool    string
	Access  Access
	Paths   []string // it would write
	Command string   // it would run
	First   bool     // the model wants a person to be asked before it runs
}

// Situation is where the session stands.
type Situation struct {
	Mode   planning.Mode
	Scope  planning.Scope  // of the approved plan
	Grants planning.Grants // allowed by people for this session
}

// Decide says whether the call may run. In plan mode it looks at nothing that
// people have allowed before (P3).
func (p Policy) Decide(s Situation, c Call) Decision {
	switch s.Mode {
	case planning.ModePlan:
		if p.Enforcement == Guidance {
			return p.guided(s, c)
		}
		return p.planMode(c)
	case planning.ModeExecuting:
		return p.executing(p.standing(s), c)
	case planning.ModeNormal:
		return p.normal(p.standing(s), c)
	default:
		return Decision{Deny, fmt.Sprintf("The session is in no known mode (%q), so nothing may run.", s.Mode)}
	}
}

// Offered tells whether the model is told of the tool at all (P4, P11).
func (p Policy) Offered(m planning.Mode, tool string, a Access) bool {
	if p.Enforcement == Guidance {
		return true
	}
	if m == planning.ModePlan {
		return p.planMode(Call{Tool: tool, Access: a}).Verdict == Allow
	}
	return tool != SubmitPlan
}

// Confined tells whether programs that run beside a session's calls, as its
// tool servers do, must not be able to change anything. So it is while planning
// and in a mode that nobody knows.
func (p Policy) Confined(m planning.Mode) bool {
	switch m {
	case planning.ModeExecuting, planning.ModeNormal:
		return false
	default:
		return m != planning.ModePlan || p.Enforcement != Guidance
	}
}

// guided is plan mode with the prompt alone to hold it up (P23). What was
// switched off stays off: it is no rule of plan mode, but of the server.
func (p Policy) guided(s Situation, c Call) Decision {
	if c.Access == Execute && p.PlanShell != "" {
		return Decision{Deny, fmt.Sprintf("%s is refused: %s Investigate with the other tools, then call submit_plan.", c.Tool, p.PlanShell)}
	}
	return p.normal(s, c)
}

// planMode lets through what is listed and changes nothing. Listing a writing
// tool does not make it pass.
func (p Policy) planMode(c Call) Decision {
	tools := p.PlanTools
	if tools == nil {
		tools = PlanTools
	}
	refuse := func(why string) Decision {
		return Decision{Deny, fmt.Sprintf("%s is refused: the session is in plan mode, where nothing may change. %sInvestigate with the tools you have, then call submit_plan.", c.Tool, why)}
	}
	switch {
	case c.Access == Control && (c.Tool == SubmitPlan || c.Tool == UpdatePlan):
		return Decision{Allow, ""}
	case c.Access == ExternalRead:
		return Decision{Allow, ""} // the person who listed it decided on it, not --plan-tools
	case c.Access == External:
		return refuse("Nobody has listed this tool as one that only reads. ")
	case !slices.Contains(tools, c.Tool):
		return refuse("")
	case c.Access == Read || c.Access == Control:
		return Decision{Allow, ""}
	case c.Access == Execute && p.PlanShell == "":
		return Decision{Allow, ""} // runs in the sandbox that lets it write nothing
	case c.Access == Execute:
		return refuse(p.PlanShell + " ")
	default:
		return refuse("")
	}
}

func (p Policy) executing(s Situation, c Call) Decision {
	if d, settled := p.common(s, c); settled {
		return d
	}
	missing := outside(s, c)
	switch {
	case c.Access == External && missing == "":
		return Decision{Allow, ""}
	case c.Access == External:
		return Decision{Ask, "No plan can say what a tool of another program changes, so each call of it is asked about."}
	case c.Access == Execute && p.Layer && !p.ConfirmAll && !c.First:
		return Decision{Allow, ""} // what it writes beyond the plan is asked about afterwards
	case missing == "" && p.ConfirmAll && !granted(s, c):
		return Decision{Ask, "Every write and every command is to be confirmed."}
	case missing == "":
		return Decision{Allow, ""}
	case c.Access == Write:
		return Decision{Ask, fmt.Sprintf("%s is not one of the %s in the approved plan.", missing, count(len(s.Scope.Files), "file"))}
	default:
		return Decision{Ask, fmt.Sprintf("This command is not one of the %s in the approved plan.", count(len(s.Scope.Commands), "command"))}
	}
}

func (p Policy) normal(s Situation, c Call) Decision {
	if d, settled := p.common(s, c); settled {
		return d
	}
	if granted(s, c) {
		return Decision{Allow, ""}
	}
	if s.Mode == planning.ModePlan {
		return Decision{Ask, "The session is planning, and nothing has been approved yet. The settings leave it to people whether something may change before."}
	}
	return Decision{Ask, "This session runs without a plan, so each change is asked about."}
}

// common is what holds whatever the scope. With guidance submit_plan is in the
// list in every mode, but it is plan mode that a plan belongs to (P1, P11).
func (p Policy) common(s Situation, c Call) (Decision, bool) {
	switch {
	case c.Tool == SubmitPlan && s.Mode != planning.ModePlan:
		return Decision{Deny, "submit_plan is refused: the session is not in plan mode, so there is no plan to submit."}, true
	case c.Access == Read || c.Access == Control || c.Access == ExternalRead:
		return Decision{Allow, ""}, true
	case c.Access == Write && len(c.Paths) == 0, c.Access == Execute && c.Command == "":
		return Decision{Deny, c.Tool + " is refused: it does not say what it would change."}, true
	}
	return Decision{}, false
}

// outside names the first thing that neither the plan nor people have allowed.
func outside(s Situation, c Call) string {
	if c.Access == External {
		if s.Grants.HasTool(c.Tool) {
			return ""
		}
		return c.Tool
	}
	if c.Access == Execute {
		if s.Scope.HasCommand(c.Command) || s.Grants.HasCommand(c.Command) {
			return ""
		}
		return c.Command
	}
	for _, path := range c.Paths {
		if !s.Scope.HasFile(path) && !s.Grants.HasFile(path) {
			return path
		}
	}
	return ""
}

// granted: have people allowed all of this for the session?
func granted(s Situation, c Call) bool {
	s.Scope = planning.Scope{}
	return outside(s, c) == ""
}

func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strings.TrimSpace(fmt.Sprintf("%d %s", n, noun))
}
