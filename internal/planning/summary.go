package planning

import (
	"slices"
	"time"
)

// Summary is what lists show of a session, so that a list never has to fold
// a log.
type Summary struct {
	ID              string    `json:"id"`
	Seq             int64     `json:"seq"`
	Title           string    `json:"title"`
	CreatedBy       Actor     `json:"created_by"`
	Workspace       string    `json:"workspace"`
	Model           string    `json:"model"`
	Mode            Mode      `json:"mode"`
	Status          Status    `json:"status"`
	Phase           Phase     `json:"phase"`
	Wait            Wait      `json:"wait,omitempty"`
	Message         string    `json:"message,omitempty"` // why it failed or was paused
	Abandoned       bool      `json:"abandoned,omitempty"`
	Asks            string    `json:"asks,omitempty"`     // what the open permission request is about
	Question        string    `json:"question,omitempty"` // the first open one
	Inquiry         string    `json:"inquiry,omitempty"`  // its id
	Doing           string    `json:"doing,omitempty"`
	Subagents       int       `json:"subagents,omitempty"` // at work
	PlanVersion     int       `json:"plan_version"`
	Steps           int       `json:"steps"`
	Files           int       `json:"files"` // in the plan's scope
	OpenThreads     int       `json:"open_threads"`
	Answers         []Answer  `json:"answers,omitempty"`     // the newest to each person who was answered in a thread
	Approvals       int       `json:"approvals"`             // that stand on the current text
	ApprovedBy      []string  `json:"approved_by,omitempty"` // ids of the people whose approvals these are
	ApprovalsNeeded int       `json:"approvals_needed"`
	Goal            *Goal     `json:"goal,omitempty"` // nil if there is none, or it was cleared
	Todos           []Todo    `json:"todos,omitempty"`
	TodosAt         time.Time `json:"todos_at"`
	Unfinished      int       `json:"unfinished,omitempty"`
	Changed         int       `json:"changed"` // files
	Outside         int       `json:"outside"` // changed files that the plan does not list
	Tokens          int64     `json:"tokens"`
	Usage           Usage     `json:"usage"` // nothing in a line that an earlier version wrote
	CreatedAt       time.Time `json:"created_at"`
	UpdatedAt       time.Time `json:"updated_at"`
	Since           time.Time `json:"since"`            // in this phase
	Damage          *Damage   `json:"damage,omitempty"` // the first record that is not as it was written; such a session is read-only
}

// Summary derives the line for lists.
func (s State) Summary() Summary {
	sum := Summary{
		ID: s.ID, Seq: s.Seq, Title: s.Title, CreatedBy: s.CreatedBy, Workspace: s.Workspace, Model: s.Model, Mode: s.Mode,
		Status: s.Status(), Phase: s.Run.Phase, Wait: s.Run.Wait, Message: s.Run.Message,
		Abandoned: s.Abandoned(), Doing: s.Doing, Subagents: s.SubagentsAtWork(),
		OpenThreads: s.OpenThreads(), Answers: s.Answers(), ApprovalsNeeded: s.Approvals,
		Todos: s.Todos, TodosAt: s.TodosAt, Unfinished: s.Run.Unfinished,
		Changed: len(s.Changes), Tokens: s.Usage.Tokens(), Usage: s.Usage,
		CreatedAt: s.CreatedAt, UpdatedAt: s.UpdatedAt, Since: s.Run.Since, Damage: s.Damage,
	}
	if s.Goal.Exists() {
		sum.Goal = &s.Goal
	}
	if p, ok := s.Plan(); ok {
		sum.PlanVersion, sum.Steps, sum.Files = p.Version, len(p.Steps()), len(p.Scope.Files)
		for _, a := range p.ValidApprovals() {
			sum.ApprovedBy = append(sum.ApprovedBy, a.By.ID)
		}
		sum.Approvals = len(sum.ApprovedBy)
	}
	if open := s.OpenPermissions(); len(open) > 0 {
		sum.Asks = open[0].Subject()
	}
	if open := s.OpenInquiries(); len(open) > 0 {
		sum.Inquiry, sum.Question = open[0].ID, open[0].Subject()
	}
	for _, c := range s.Changes {
		if !c.InPlan {
			sum.Outside++
		}
	}
	return sum
}

// Subject is what a permission request is about, in the shortest form.
func (p Permission) Subject() string {
	if p.Command != "" {
		return p.Command
	}
	if len(p.Paths) > 0 {
		return p.Paths[0]
	}
	return p.Tool
}

// TodoDone counts the completed items of a summary.
func (s Summary) TodoDone() int {
	n := 0
	for _, t := range s.Todos {
		if t.Status == TodoCompleted {
			n++
		}
	}
	return n
}

// TodoNow returns the text of the item in progress, or "".
func (s Summary) TodoNow() string {
	i := slices.IndexFunc(s.Todos, func(t Todo) bool { return t.Status == TodoInProgress })
	if i < 0 {
		return ""
	}
	return s.Todos[i].Text
}
