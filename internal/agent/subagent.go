package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"countersign/internal/agent/permission"
	"countersign/internal/planning"
)

// subagent is an agent at work on an errand. Its conversation lives here; what
// it does is in the log, for people. After a crash it is not taken up again.
type subagent struct {
	run
	id     string
	errand Errand
	said   []Message
	turns  int
	tokens int64
}

const (
	maxErrandTurns  = 60
	maxErrandTokens = 1_000_000

	errandPrompt = "\n\nAnother agent has given you this task; you can't talk to people. Do it, and end with a report: what you found or did, with file names and line numbers. Put questions into it."
	errandPlan   = "\n\nThe session is in plan mode: nothing can be changed. Look around only."
	askRoot      = " Only the agent that gave you the task can have people asked: put it into your report."
	reportNow    = "You have used up what you were given for this task. Report now what you have."
)

// rootOnly is what only the root agent has, with what to do instead (P19, Q3).
var rootOnly = map[string]string{
	permission.SubmitPlan: "Put the plan into your report; the agent that asked you submits it.",
	permission.UpdatePlan: "Say in your report what is done.",
	"ask_user":            "You can't ask people. Put the question into your report.",
	"spawn_agent":         "Do it yourself; an agent like you can't start others.",
	"create_goal":         "Say in your report what is still to do.",
	"update_goal":         "Say in your report what is done.",
}

func (s *subagent) actor() planning.Actor {
	return planning.Actor{Kind: planning.ActorSubagent, ID: s.id, Name: s.state.Model}
}

// work goes on until there is a message without calls: the report.
func (s *subagent) work(ctx context.Context) (string, error) {
	for {
		if err := s.record(ctx, running(s.land)); err != nil {
			return "", err
		}
		s.turns++
		last := s.turns > maxErrandTurns || s.tokens >= maxErrandTokens
		message, err := s.stream(ctx, s.request(last))
		if err != nil {
			return "", err
		}
		message.Usage = s.priced(message.Usage)
		s.tokens += message.Usage.Input + message.Usage.Output
		if last {
			message.Calls = nil
		}
		err = s.record(ctx, running(func(planning.State) ([]planning.Event, error) {
			return by(s.actor(), planning.AgentMessage{Agent: s.id, ModelMessage: s.own(message)}), nil
		}))
		if err != nil {
			return "", err
		}
		if len(message.Calls) == 0 {
			return s.end(message), nil
		}
		s.said = append(s.said, Message{Role: RoleAssistant, Text: message.Text, Reasoning: message.Reasoning, Calls: message.Calls, Kept: message.Kept})
		for _, c := range message.Calls {
			if err := s.call(ctx, c); err != nil {
				return "", err
			}
		}
	}
}

func (s *subagent) end(m planning.ModelMessage) string {
	if strings.TrimSpace(m.Text) == "" {
		return "The agent ended without a report."
	}
	return m.Text
}

// own gives the calls ids that nobody else in the session has. The model goes
// on with those that it gave them.
func (s *subagent) own(m planning.ModelMessage) planning.ModelMessage {
	m.Calls = slices.Clone(m.Calls)
	for i := range m.Calls {
		m.Calls[i] = s.ownCall(m.Calls[i])
	}
	return m
}

func (s *subagent) ownCall(c planning.ToolCall) planning.ToolCall {
	c.ID = fmt.Sprintf("%s_%d_%s", s.id, s.turns, c.ID)
	return c
}

// land brings a queued mode into force before a request, as the root does.
func (s *subagent) land(st planning.State) ([]planning.Event, error) {
	if !s.siblingsDone(st) {
		return nil, nil
	}
	return landMode(st)
}

// request is the sub-agent's own conversation under the session's mode.
func (s *subagent) request(last bool) Request {
	s.strict()
	req := Request{System: s.prompt(), Messages: slices.Clone(s.said)}
	if last {
		req.Messages = append(req.Messages, Message{Role: RoleUser, Text: reportNow})
		return req
	}
	for _, t := range s.Tools {
		if spec := t.Spec(); s.has(spec.Name) && s.Settings.Policy.Offered(s.state.Mode, spec.Name, t.Access()) {
			req.Tools = append(req.Tools, spec)
		}
	}
	return req
}

// prompt is the caller's own with what a sub-agent has to know. It says nothing
// of submit_plan, which a sub-agent doesn't have.
func (s *subagent) prompt() string {
	system := s.Settings.System
	if system == "" {
		system = systemPrompt
	}
	system += instructions(s.state.Instructions)
	if s.state.Mode == planning.ModePlan {
		system += errandPlan
	}
	return system + errandPrompt
}

func (s *subagent) has(tool string) bool {
	_, not := rootOnly[tool]
	return !not && (len(s.errand.Tools) == 0 || slices.Contains(s.errand.Tools, tool))
}

// strict: plan mode that a person has asked for holds at once, before it has
// landed. Nobody may write who would have to stop in a moment.
func (s *subagent) strict() {
	if s.state.Queued == planning.ModePlan {
		s.state.Mode = planning.ModePlan
	}
}

// call brings one call to its result and keeps it in the conversation (T9).
func (s *subagent) call(ctx context.Context, c planning.ToolCall) error {
	done, events, err := s.perform(ctx, planning.Call{ToolCall: s.ownCall(c), State: planning.CallPending})
	if err != nil {
		return err
	}
	s.said = append(s.said, Message{Role: RoleTool, CallID: c.ID, Text: s.Mask.Text(done.Output), Failed: done.Outcome != planning.OutcomeOK})
	events = append(events, planning.AgentToolFinished{Agent: s.id, ToolFinished: done})
	err = s.record(ctx, func(planning.State) ([]planning.Event, error) { return by(s.actor(), events...), nil })
	if err == nil {
		err = ctx.Err()
	}
	return err
}

// perform decides on a call under the mode and scope that the session has now
// (P19) and runs it if it may run. What would be asked about is refused.
func (s *subagent) perform(ctx context.Context, c planning.Call) (planning.ToolFinished, []planning.Payload, error) {
	done := planning.ToolFinished{Call: c.ID, Name: c.Name, Outcome: planning.OutcomeError}
	refused := func(why string) (planning.ToolFinished, []planning.Payload, error) {
		done.Outcome, done.Output = planning.OutcomeDenied, why
		return done, nil, nil
	}
	tool, known := s.tool(c.Name)
	switch instead := rootOnly[c.Name]; {
	case instead != "":
		return refused(c.Name + " is not for you. " + instead)
	case !known || !s.has(c.Name):
		done.Output = s.notThere(c.Name)
		return done, nil, nil
	}
	g, err := s.gate(ctx, tool, c)
	done.Summary, done.Outcome, done.Output = g.touch.Summary, g.outcome, g.why
	if err != nil || g.outcome != planning.OutcomeOK {
		return done, nil, err
	}
	at := time.Now()
	result, err := tool.Run(ctx, s.envOf(c, g.touch), json.RawMessage(c.Arguments))
	done.Outcome, done.Output = s.outcome(ctx, c, result, err)
	done.Note, done.Whole, done.DurationMS = result.Summary, result.Whole, time.Since(at).Milliseconds()
	return done, result.Events, nil
}

// passage is what came of a call at the gate: OutcomeOK lets it run.
type passage struct {
	outcome planning.Outcome
	why     string
	touch   Touch
}

// gate decides and, for what could change something, records that it begins, in
// one step with a look at the newest state: between the two no mode can land.
func (s *subagent) gate(ctx context.Context, tool Tool, c planning.Call) (g passage, err error) {
	err = s.record(ctx, running(func(st planning.State) ([]planning.Event, error) {
		s.state = st
		s.strict()
		g = s.pass(tool, c)
		if g.outcome != planning.OutcomeOK || tool.Access() == AccessRead {
			return nil, nil
		}
		return by(s.actor(), planning.AgentToolStarted{Agent: s.id, ToolStarted: planning.ToolStarted{
			Call: c.ID, Name: c.Name, Summary: g.touch.Summary,
		}}), nil
	}))
	s.strict()
	return g, err
}

func (s *subagent) pass(tool Tool, c planning.Call) passage {
	decision, touch, err := s.decide(tool, c)
	switch {
	case err != nil:
		return passage{planning.OutcomeError, err.Error(), touch}
	case decision.Verdict == permission.Allow:
		return passage{planning.OutcomeOK, "", touch}
	case decision.Verdict == permission.Ask:
		return passage{planning.OutcomeDenied, decision.Reason + askRoot, touch}
	default:
		return passage{planning.OutcomeDenied, decision.Reason, touch}
	}
}

// envOf is what a call gets to work with. What a command writes beyond the plan
// is thrown away, because nobody is asked about it.
func (s *subagent) envOf(c planning.Call, touch Touch) Env {
	env := s.env(c, touch)
	env.Subagent, env.Shell.Hold = true, false
	env.Ahead = func(ctx context.Context, payloads ...planning.Payload) error {
		return s.record(ctx, running(func(planning.State) ([]planning.Event, error) { return by(s.actor(), payloads...), nil }))
	}
	return env
}

func (s *subagent) notThere(name string) string {
	var names []string
	for _, t := range s.request(false).Tools {
		names = append(names, t.Name)
	}
	return fmt.Sprintf("There is no tool named %q here. The tools are: %s.", name, strings.Join(names, ", "))
}
