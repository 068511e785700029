package planning

import (
	"slices"
	"strings"
	"time"

	"countersign/internal/fault"
	"countersign/internal/planning/document"
)

// KindPermissionWithdrawn takes back what was allowed for the session.
const KindPermissionWithdrawn Kind = "permission.withdrawn"

// PermissionWithdrawn takes effect at the next call; what has run has run.
type PermissionWithdrawn struct {
	ID string `json:"id"` // of the request that was answered
}

// Kind implements Payload.
func (PermissionWithdrawn) Kind() Kind { return KindPermissionWithdrawn }

// Grants is what people have allowed, for the rest of a session or by the
// settings: these files and these commands, to the letter, files that match a
// pattern, and these tools of other programs.
type Grants struct{ Files, Patterns, Commands, Tools []string }

// Empty tells whether nothing is allowed.
func (g Grants) Empty() bool {
	return len(g.Files)+len(g.Patterns)+len(g.Commands)+len(g.Tools) == 0
}

// With is what either of the two allows.
func (g Grants) With(other Grants) Grants {
	return Grants{
		Files: slices.Concat(g.Files, other.Files), Patterns: slices.Concat(g.Patterns, other.Patterns),
		Commands: slices.Concat(g.Commands, other.Commands), Tools: slices.Concat(g.Tools, other.Tools),
	}
}

// HasFile tells whether people have allowed this file.
func (g Grants) HasFile(name string) bool {
	return slices.Contains(g.Files, name) || Scope{Files: g.Patterns}.HasFile(name)
}

// HasCommand tells whether people have allowed exactly this command.
func (g Grants) HasCommand(command string) bool { return slices.Contains(g.Commands, command) }

// HasTool tells whether people have allowed this tool of another program.
func (g Grants) HasTool(name string) bool { return slices.Contains(g.Tools, name) }

// Grant is what one answer allows for the rest of the session.
type Grant struct {
	ID       string    `json:"id"` // of the request for permission
	Tool     string    `json:"tool"`
	Command  string    `json:"command,omitempty"`  // to the letter
	Files    []string  `json:"files,omitempty"`    // to the letter
	Patterns []string  `json:"patterns,omitempty"` // instead of Files: paths, folders or globs
	By       Actor     `json:"by"`
	At       time.Time `json:"at"`
}

// Granted lists what is allowed for the session, the oldest first, without what
// was withdrawn.
func (s State) Granted() []Grant {
	var list []Grant
	for _, p := range s.Permissions {
		if p.Answer != AnswerSession || p.Withdrawn {
			continue
		}
		g := Grant{ID: p.ID, Tool: p.Tool, Command: p.Command, Patterns: p.Patterns, By: p.AnsweredBy, At: p.AnsweredAt}
		if len(p.Patterns) == 0 {
			g.Files = p.Paths
		}
		list = append(list, g)
	}
	return list
}

// Grants puts together what is allowed for the session.
func (s State) Grants() Grants {
	var all Grants
	for _, g := range s.Granted() {
		all.Files = append(all.Files, g.Files...)
		all.Patterns = append(all.Patterns, g.Patterns...)
		switch {
		case g.Command != "":
			all.Commands = append(all.Commands, g.Command)
		case len(g.Files)+len(g.Patterns) == 0: // all there is to allow is the tool itself
			all.Tools = append(all.Tools, g.Tool)
		}
	}
	return all
}

// MaxReason bounds the reason with an answer, in bytes.
const MaxReason = 8 << 10

// AnswerPermission records a person's answer to a request for permission. The
// first answer counts; a later one fails with Conflict. With AnswerSession,
// patterns may say which files are allowed instead of just those asked about;
// they have to match these.
func AnswerPermission(s State, by Actor, id string, answer PermissionAnswer, reason string, patterns ...string) ([]Event, error) {
	p, ok := s.Permission(id)
	if !ok {
		return nil, fault.New(fault.NotFound, "There is no such request for permission.")
	}
	switch answer {
	case AnswerOnce, AnswerSession, AnswerRefuse, AnswerReplan:
	default:
		return nil, fault.New(fault.Invalid, "The answer can be \"once\", \"session\", \"refuse\" or \"replan\".").At("answer")
	}
	if p.Answer != "" {
		return nil, fault.New(fault.Conflict, "%s has already answered this.", p.AnsweredBy.Name).
			With(map[string]any{"answer": p.Answer, "by": p.AnsweredBy.Name, "at": p.AnsweredAt})
	}
	reason = strings.TrimSpace(reason)
	if len(reason) > MaxReason {
		return nil, fault.New(fault.TooLarge, "The reason may have at most %d KB.", MaxReason>>10).At("reason")
	}
	if f := document.CheckText("The reason", reason); f != nil {
		return nil, f.At("reason")
	}
	checked, err := p.patterns(answer, patterns)
	if err != nil {
		return nil, err
	}
	return []Event{{by, PermissionAnswered{ID: id, Answer: answer, Reason: reason, Patterns: checked}}}, nil
}

// patterns checks what a person allows instead of exactly what was asked.
func (p Permission) patterns(answer PermissionAnswer, patterns []string) ([]string, error) {
	if len(patterns) == 0 {
		return nil, nil
	}
	if answer != AnswerSession || len(p.Paths) == 0 {
		return nil, fault.New(fault.Invalid, "Patterns go with files that are allowed for the session.").At("patterns")
	}
	scope, err := NewScope(patterns, nil)
	if err != nil {
		if f, ok := fault.As(err); ok {
			return nil, f.At("patterns")
		}
		return nil, err
	}
	for _, path := range p.Paths {
		if !scope.HasFile(path) {
			return nil, fault.New(fault.Invalid, "%s is asked about, and the pattern does not match it.", path).At("patterns")
		}
	}
	return scope.Files, nil
}

// WithdrawPermission takes back what was allowed for the session. It fails with
// NotFound, or with Conflict if nothing of it is in force.
func WithdrawPermission(s State, by Actor, id string) ([]Event, error) {
	p, ok := s.Permission(id)
	switch {
	case !ok:
		return nil, fault.New(fault.NotFound, "There is no such request for permission.")
	case p.Answer != AnswerSession || p.Withdrawn:
		return nil, fault.New(fault.Conflict, "This is not allowed for the session, so there is nothing to withdraw.")
	}
	return []Event{{by, PermissionWithdrawn{ID: id}}}, nil
}

// withdrawn marks an answer as taken back.
func (s State) withdrawn(p PermissionWithdrawn) State {
	i := slices.IndexFunc(s.Permissions, func(q Permission) bool { return q.ID == p.ID })
	if i < 0 {
		return s
	}
	s.Permissions = slices.Clone(s.Permissions)
	s.Permissions[i].Withdrawn = true
	return s
}
