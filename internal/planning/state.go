package planning

import (
	"slices"
	"time"
)

// State is what a session's log adds up to. It is a value: Apply returns a new
// one and never writes into what an older one shares.
type State struct {
	ID        string    `json:"id"`
	Seq       int64     `json:"seq"` // of the last record applied
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
	CreatedBy Actor     `json:"created_by"`

	Title     string `json:"title"`
	Task      string `json:"task"`
	Workspace string `json:"workspace"`
	Model     string `json:"model"`
	Approvals int    `json:"approvals"` // needed before a plan runs

	Mode   Mode `json:"mode"`
	Queued Mode `json:"queued,omitempty"` // lands at the next model request
	Run    Run  `json:"run"`

	Calls           []Call        `json:"calls,omitempty"`            // of the model's last message, in its order
	Context         int64         `json:"context,omitempty"`          // tokens of the last request and its answer; 0: not known
	Instructions    []Instruction `json:"instructions,omitempty"`     // files that are in the system prompt
	InstructionsDue bool          `json:"instructions_due,omitempty"` // they are to be looked at before the next request
	CompactAsked    bool          `json:"compact_asked,omitempty"`    // a person wants the conversation made shorter

	Unread bool   `json:"unread,omitempty"` // a person's message that no request has carried yet
	Heard  int64  `json:"heard,omitempty"`  // the model has answered a request that carried the log up to this record
	Doing  string `json:"doing,omitempty"`  // the last call that was started, in one line

	Servers []ToolServer `json:"servers,omitempty"` // of tools, as the agent last found them

	Plans        []Plan        `json:"plans,omitempty"` // every version, oldest first
	NextBlock    int           `json:"next_block"`      // number for the next new block id
	Threads      []Thread      `json:"threads,omitempty"`
	Todos        []Todo        `json:"todos,omitempty"`
	Reminded     int           `json:"reminded,omitempty"` // times that the agent was reminded of them since a person last let it run
	TodosAt      time.Time     `json:"todos_at"`
	Permissions  []Permission  `json:"permissions,omitempty"`
	Inquiries    []Inquiry     `json:"inquiries,omitempty"` // questions of the agent
	Promised     bool          `json:"promised,omitempty"`  // a person will write a message; the agent waits for it
	Changes      []FileChange  `json:"changes,omitempty"`
	LineComments []LineComment `json:"line_comments,omitempty"` // oldest first
	Subagents    []Subagent    `json:"subagents,omitempty"`     // oldest first
	Goal         Goal          `json:"goal"`                    // the last one, also when it is complete or cleared
	Usage        Usage         `json:"usage"`

	// Damage is what is wrong with the log, nil for a sound one. It is found
	// while the log is read and is no part of the fold.
	Damage *Damage `json:"-"`
}

// Phase says whether the agent runs, and if not, why.
type Phase string

// The phases of a run.
const (
	PhaseRunning  Phase = "running"
	PhaseParked   Phase = "parked"
	PhasePaused   Phase = "paused"
	PhaseFailed   Phase = "failed"
	PhaseFinished Phase = "finished"
)

// Run is where the agent stands.
type Run struct {
	Phase       Phase     `json:"phase"`
	Wait        Wait      `json:"wait,omitempty"`
	Message     string    `json:"message,omitempty"`
	Detail      string    `json:"detail,omitempty"`
	Interrupted bool      `json:"interrupted,omitempty"`
	Unfinished  int       `json:"unfinished,omitempty"`
	Since       time.Time `json:"since"`
}

// CallState is how far a tool call has come.
type CallState string

// The states of a call; each call ends in CallDone, exactly once (T9).
const (
	CallPending  CallState = "pending"
	CallStarted  CallState = "started"
	CallAsking   CallState = "asking"   // a person is asked
	CallAllowed  CallState = "allowed"  // a person said yes
	CallRefused  CallState = "refused"  // a person said no; the result is still to be written
	CallInReview CallState = "inreview" // its result is the decision on the plan
	CallDone     CallState = "done"
)

// Call is one call of the model's last message.
type Call struct {
	ToolCall
	State      CallState `json:"state"`
	Started    int64     `json:"started,omitempty"` // seq of its tool.started
	Permission string    `json:"permission,omitempty"`
}

// Permission is a request for permission and its answer.
type Permission struct {
	PermissionAsked
	AskedAt    time.Time        `json:"asked_at"`
	Answer     PermissionAnswer `json:"answer,omitempty"`    // empty while open
	Reply      string           `json:"reply,omitempty"`     // the reason that came with it
	Patterns   []string         `json:"patterns,omitempty"`  // allowed for the session instead of exactly Paths
	Withdrawn  bool             `json:"withdrawn,omitempty"` // what was allowed for the session is so no longer
	AnsweredBy Actor            `json:"answered_by"`
	AnsweredAt time.Time        `json:"answered_at"`
}

// Status is the one word for where a session stands.
type Status string

// The statuses, as the API names them.
const (
	StatusPlanning  Status = "planning"
	StatusInReview  Status = "in_review"
	StatusExecuting Status = "executing"
	StatusWaiting   Status = "waiting" // for a person: a permission or a message
	StatusPaused    Status = "paused"
	StatusDone      Status = "done"
	StatusFailed    Status = "failed"
)

// Status folds phase and mode into one word.
func (s State) Status() Status {
	if s.InReview() {
		return StatusInReview // also if the rest of the turn was paused: the decision lets it go on
	}
	switch s.Run.Phase {
	case PhasePaused:
		return StatusPaused
	case PhaseFailed:
		return StatusFailed
	case PhaseFinished:
		return StatusDone
	}
	if s.Run.Phase == PhaseParked || len(s.OpenPermissions()) > 0 || len(s.OpenInquiries()) > 0 {
		return StatusWaiting
	}
	if s.Mode == ModePlan {
		return StatusPlanning
	}
	return StatusExecuting
}

// InReview tells whether a plan waits for a decision.
func (s State) InReview() bool {
	p, ok := s.Plan()
	return ok && p.Status == PlanInReview
}

// Delivered tells whether the model has got a person's message, by the number
// of its record: a request that carried it was answered. While a plan is in
// review no request is sent, so a message written then waits for the decision;
// in an abandoned session it is never delivered.
func (s State) Delivered(message int64) bool { return message <= s.Heard }

// Abandoned tells whether people gave the session's plan up.
func (s State) Abandoned() bool {
	p, ok := s.Plan()
	return ok && p.Status == PlanAbandoned
}

// Plan returns the newest plan version.
func (s State) Plan() (Plan, bool) {
	if len(s.Plans) == 0 {
		return Plan{}, false
	}
	return s.Plans[len(s.Plans)-1], true
}

// PlanVersion returns one version, counted from 1.
func (s State) PlanVersion(version int) (Plan, bool) {
	if version < 1 || version > len(s.Plans) {
		return Plan{}, false
	}
	return s.Plans[version-1], true
}

// Approved returns the newest approved version.
func (s State) Approved() (Plan, bool) {
	for _, p := range slices.Backward(s.Plans) {
		if p.Status == PlanApproved {
			return p, true
		}
	}
	return Plan{}, false
}

// Scope is what may be changed and run right now: nothing unless a plan is
// being executed.
func (s State) Scope() Scope {
	if s.Mode != ModeExecuting {
		return Scope{}
	}
	p, _ := s.Approved()
	return p.Scope
}

// Thread returns the thread with this id.
func (s State) Thread(id string) (Thread, bool) {
	i := slices.IndexFunc(s.Threads, func(t Thread) bool { return t.ID == id })
	if i < 0 {
		return Thread{}, false
	}
	return s.Threads[i], true
}

// OpenThreads counts the threads that still wait for something: not resolved
// by a person and not answered by a newer version.
func (s State) OpenThreads() int {
	n := 0
	for _, t := range s.Threads {
		if t.Open() {
			n++
		}
	}
	return n
}

// Permission returns the request with this id.
func (s State) Permission(id string) (Permission, bool) {
	i := slices.IndexFunc(s.Permissions, func(p Permission) bool { return p.ID == id })
	if i < 0 {
		return Permission{}, false
	}
	return s.Permissions[i], true
}

// OpenPermissions returns the requests that nobody has answered.
func (s State) OpenPermissions() []Permission {
	var open []Permission
	for _, p := range s.Permissions {
		if p.Answer == "" {
			open = append(open, p)
		}
	}
	return open
}
