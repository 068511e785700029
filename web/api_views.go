package web

import (
	"time"

	"countersign/internal/planning"
	"countersign/internal/planning/document"
	"countersign/internal/review"
)

// The answers of the API. They are made from the domain's types here, so that
// these may change without the API noticing.
type (
	sessionsView struct {
		Sessions []sessionLine `json:"sessions"`
	}
	sessionLine struct {
		planning.Summary
		WaitingForMe []review.Reason `json:"waiting_for_me"` // why it waits for who asks: review, permission, question, message, resume, answer
	}
	eventsView struct {
		Events []eventView `json:"events"`
	}
	changesView struct {
		Changes []Change `json:"changes"`
	}
	plansView struct {
		Plans []planLine `json:"plans"`
	}
	feedbackView struct {
		Version int              `json:"version"`
		Verdict planning.Verdict `json:"verdict"`
		Text    string           `json:"text"` // what the agent would get now, to the letter
	}
)

type sessionView struct {
	ID           string                `json:"id"`
	Title        string                `json:"title"`
	Task         string                `json:"task"`
	Workspace    string                `json:"workspace"`
	Model        string                `json:"model"`
	Mode         planning.Mode         `json:"mode"`
	Queued       planning.Mode         `json:"queued,omitempty"` // the mode from the next model request on
	Status       planning.Status       `json:"status"`
	Run          planning.Run          `json:"run"`
	Seq          int64                 `json:"seq"`
	Approvals    int                   `json:"approvals"` // needed before a plan runs
	Plan         *planLine             `json:"plan"`      // the newest version; null if there is none
	Todos        []planning.Todo       `json:"todos"`
	Goal         *goalView             `json:"goal"`         // null if there is none
	Subagents    []subagentView        `json:"subagents"`    // in the order in which they started
	Instructions []instructionView     `json:"instructions"` // files that go into the system prompt, or can't
	Questions    []planning.Inquiry    `json:"questions"`    // that nobody has answered
	Permissions  []planning.Permission `json:"permissions"`  // that nobody has answered
	Grants       []planning.Grant      `json:"grants"`       // allowed for the rest of the session
	Usage        usageView             `json:"usage"`
	CreatedAt    time.Time             `json:"created_at"`
	CreatedBy    planning.Actor        `json:"created_by"`
	UpdatedAt    time.Time             `json:"updated_at"`
	Damage       *planning.Damage      `json:"damage,omitempty"` // the first record that is not as it was written; such a session is read-only
}

func viewSession(st planning.State) sessionView {
	v := sessionView{
		ID: st.ID, Title: st.Title, Task: st.Task, Workspace: st.Workspace, Model: st.Model,
		Mode: st.Mode, Queued: st.Queued, Status: st.Status(), Run: st.Run, Seq: st.Seq, Approvals: st.Approvals,
		Goal: viewGoal(st.Goal), Todos: notNil(st.Todos), Subagents: viewSubagents(st), Instructions: viewInstructions(st), Questions: notNil(st.OpenInquiries()), Permissions: notNil(st.OpenPermissions()), Grants: notNil(st.Granted()),
		Usage: viewUsage(st.Usage), Damage: st.Damage, CreatedAt: st.CreatedAt, CreatedBy: st.CreatedBy, UpdatedAt: st.UpdatedAt,
	}
	if p, ok := st.Plan(); ok {
		line := viewLine(st, p)
		v.Plan = &line
	}
	return v
}

// usageView is what a session has used up so far.
type usageView struct {
	Input   int64    `json:"input"` // tokens, those from the provider's cache included
	Output  int64    `json:"output"`
	Cached  int64    `json:"cached"`   // of the input, read from the provider's cache
	CostUSD *float64 `json:"cost_usd"` // null where a price is not known
}

func viewUsage(u planning.Usage) usageView {
	v := usageView{Input: u.Input, Output: u.Output, Cached: u.Cached}
	if usd, known := u.USD(); known {
		v.CostUSD = &usd
	}
	return v
}

// planLine is a plan version in short.
type planLine struct {
	Version     int                 `json:"version"`
	Status      planning.PlanStatus `json:"status"`
	SHA256      string              `json:"sha256"` // of text and scope as they stand: what an approval names
	Title       string              `json:"title"`
	Steps       int                 `json:"steps"`
	OpenThreads int                 `json:"open_threads"`
	Approvals   []planning.Approval `json:"approvals"` // that stand on the current text
	Stale       []planning.Approval `json:"stale"`     // approvals of a text that has been changed since
	Decision    *planning.Decision  `json:"decision"`  // null while it is in review
	SubmittedAt time.Time           `json:"submitted_at"`
}

func viewLine(st planning.State, p planning.Plan) planLine {
	line := planLine{
		Version: p.Version, Status: p.Status, SHA256: p.SHA256, Title: p.Title, Steps: len(p.Steps()),
		Approvals: notNil(p.ValidApprovals()), Stale: notNil(p.StaleApprovals()), Decision: p.Decision, SubmittedAt: p.SubmittedAt,
	}
	for _, t := range threadsOf(st, p) {
		if t.Open {
			line.OpenThreads++
		}
	}
	return line
}

// planView is a plan version in full.
type planView struct {
	planLine
	Markdown string          `json:"markdown"`
	Files    []string        `json:"files"`    // paths and globs that it may change
	Commands []string        `json:"commands"` // that it may run, to the letter
	Steps    []stepView      `json:"steps"`
	Texts    []stepView      `json:"texts"`    // what stands between the steps, which takes comments and rewrites as well
	Edits    []planning.Edit `json:"edits"`    // the reviewers' own, oldest first, those that were undone included
	LeftOut  []stepView      `json:"left_out"` // steps that reviewers wrote before, and the agent did not bring back
	// NotKept is what reviewers made of earlier versions, the agent did not keep, and nobody has settled since.
	NotKept []planning.Unkept `json:"not_kept"`
	// ScopeKeep is the scope that a reviewer set and the agent is to keep; null if none did.
	ScopeKeep *planning.ScopeKeep `json:"scope_keep"`
	Threads   []threadView        `json:"threads"`
}

type stepView struct {
	ID       string          `json:"id"`
	Number   int             `json:"number,omitempty"`
	Title    string          `json:"title"`
	Markdown string          `json:"markdown"`
	Pinned   string          `json:"pinned,omitempty"` // who rewrote it; the agent is to keep it word for word
	Broken   bool            `json:"broken,omitempty"` // the agent changed it all the same
	Change   planning.Change `json:"change,omitempty"` // against the version before
	Was      int             `json:"was,omitempty"`    // its number there, if it was another
}

type threadView struct {
	planning.Thread
	Open bool `json:"open"` // still waits for an answer
}

func viewPlan(st planning.State, p planning.Plan) planView {
	v := planView{
		planLine: viewLine(st, p), Markdown: p.Markdown,
		Files: notNil(p.Scope.Files), Commands: notNil(p.Scope.Commands),
		Steps: []stepView{}, Texts: []stepView{}, Edits: viewEdits(p), LeftOut: []stepView{},
		NotKept: notNil(p.Outstanding()), ScopeKeep: p.ScopeKeep, Threads: threadsOf(st, p),
	}
	for _, u := range p.LeftOut() {
		v.LeftOut = append(v.LeftOut, stepView{ID: u.Step, Title: u.Title, Markdown: u.Text, Pinned: u.By.Name})
	}
	for _, b := range p.Blocks {
		step := stepView{
			ID: b.ID, Number: b.Number, Title: b.Title, Markdown: p.Text(b),
			Pinned: b.Pinned, Broken: b.Broken, Change: b.Change, Was: b.Was,
		}
		if b.Kind == document.Step {
			v.Steps = append(v.Steps, step)
		} else {
			v.Texts = append(v.Texts, step)
		}
	}
	return v
}

// viewEdits leaves out what only an undo needs.
func viewEdits(p planning.Plan) []planning.Edit {
	list := make([]planning.Edit, len(p.Edits))
	for i, e := range p.Edits {
		e.Redo = nil
		list[i] = e
	}
	return list
}

// threadsOf are the threads that belong to a version: those opened on it or on
// one before.
func threadsOf(st planning.State, p planning.Plan) []threadView {
	list := []threadView{}
	for _, t := range st.Threads {
		if t.Version <= p.Version {
			list = append(list, threadView{t, t.Open()})
		}
	}
	return list
}
