package main

import (
	"strings"

	"countersign/internal/agent/permission"
	"countersign/internal/agent/tool"
	"countersign/internal/fault"
)

// policy is the permission policy that the settings ask for.
func (c *config) policy(shellOff string) permission.Policy {
	p := permission.Policy{
		Enforcement: permission.Enforcement(c.enforcement),
		ConfirmAll:  c.confirm == "every",
		PlanShell:   shellOff,
		Allowed:     c.allowed,
	}
	if c.planShell == "deny" {
		p.PlanShell = "Commands are switched off while planning."
	}
	if c.planTools != "" {
		p.PlanTools = c.planToolNames()
	}
	return p
}

func (c *config) planToolNames() []string {
	names := []string{}
	for name := range strings.SplitSeq(c.planTools, ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// checkPlanTools refuses names that planning can't use: a slip of the pen would
// otherwise take a tool away without a word, and a tool that writes would never
// pass the rules.
func (c *config) checkPlanTools() error {
	access := map[string]permission.Access{}
	var possible []string
	for _, t := range tool.All(tool.Config{}) {
		name := t.Spec().Name
		access[name] = t.Access()
		if t.Access() == permission.Read || t.Access() == permission.Execute {
			possible = append(possible, name)
		}
	}
	for _, name := range c.planToolNames() {
		why := "which changes files"
		switch a, known := access[name]; {
		case !known:
			why = "which is no tool"
		case a != permission.Write:
			continue
		}
		return fault.New(fault.Invalid, "--plan-tools names %q, %s; planning can be given %s (%s and %s are always there)",
			name, why, strings.Join(possible, ", "), permission.UpdatePlan, permission.SubmitPlan)
	}
	return nil
}
