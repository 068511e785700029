// Package review is what people do to a plan: who may do what, comments,
// rewrites, decisions, and the text that the agent gets of it all. Its
// functions look at a planning.State and return the events to record; they do
// no I/O.
package review

import (
	"slices"
	"time"

	"countersign/internal/fault"
	"countersign/internal/planning"
)

// Role says what a person may do. The zero value may do nothing.
type Role string

// The roles (R7). Each may do what the ones before it may.
const (
	RoleViewer   Role = "viewer"   // sees everything
	RoleReviewer Role = "reviewer" // comments, rewrites, answers, gives tasks
	RoleApprover Role = "approver" // decides on plans and permissions
	RoleOwner    Role = "owner"    // invites people
)

var roles = []Role{RoleViewer, RoleReviewer, RoleApprover, RoleOwner}

// Roles lists the roles, the least first.
func Roles() []Role { return slices.Clone(roles) }

// Valid tells whether it is one of the roles.
func (r Role) Valid() bool { return slices.Contains(roles, r) }

// Person is somebody who can sign in.
type Person struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Role      Role      `json:"role"`
	CreatedAt time.Time `json:"created_at"`
}

// Actor is the person as the log names them.
func (p Person) Actor() planning.Actor {
	return planning.Actor{Kind: planning.ActorPerson, ID: p.ID, Name: p.Name}
}

// Action is something a person wants to do.
type Action string

// The actions.
const (
	ActionView    Action = "view"    // see sessions
	ActionComment Action = "comment" // threads
	ActionEdit    Action = "edit"    // rewrite steps
	ActionTask    Action = "task"    // new sessions, messages, pause, resume
	ActionAnswer  Action = "answer"  // what the agent asks
	ActionDecide  Action = "decide"  // verdicts on plans, answers to permission requests
	ActionInvite  Action = "invite"  // people: invitations, roles, removing
	ActionAccount Action = "account" // one's own sign-ins and tokens
)

var needs = map[Action]Role{
	ActionView: RoleViewer, ActionComment: RoleReviewer, ActionEdit: RoleReviewer,
	ActionTask: RoleReviewer, ActionAnswer: RoleReviewer, ActionDecide: RoleApprover, ActionInvite: RoleOwner,
	ActionAccount: RoleViewer,
}

// Can tells whether the person may do this. An unknown action or role is no.
func (p Person) Can(a Action) bool {
	needed, known := needs[a]
	return known && p.Role.Valid() && slices.Index(roles, p.Role) >= slices.Index(roles, needed)
}

// May is Can as an error: fault.Forbidden with a sentence that says which role
// it takes.
func (p Person) May(a Action) error {
	if p.Can(a) {
		return nil
	}
	return fault.New(fault.Forbidden, "This takes the role %q; you are signed in as %s (%s).", needs[a], p.Name, p.Role)
}
