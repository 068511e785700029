package planning

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strconv"
	"time"

	"countersign/internal/planning/document"
)

// PlanStatus is where a version stands.
type PlanStatus string

// The statuses of a plan version.
const (
	PlanInReview         PlanStatus = "in_review"
	PlanChangesRequested PlanStatus = "changes_requested"
	PlanApproved         PlanStatus = "approved"
	PlanAbandoned        PlanStatus = "abandoned"
	PlanSuperseded       PlanStatus = "superseded"
)

// Plan is one version of the plan: what the model submitted, with the
// reviewers' own edits applied.
type Plan struct {
	Version     int        `json:"version"`
	Status      PlanStatus `json:"status"`
	Call        string     `json:"call,omitempty"`
	Title       string     `json:"title"`
	Markdown    string     `json:"markdown"`  // as it stands, edits included
	Submitted   string     `json:"submitted"` // as the model sent it; empty while nobody has edited it
	Scope       Scope      `json:"scope"`
	SHA256      string     `json:"sha256"` // of Markdown and Scope as they stand
	Blocks      []Block    `json:"blocks"`
	Seq         int64      `json:"seq"` // of the record that submitted it
	SubmittedAt time.Time  `json:"submitted_at"`
	SubmittedBy Actor      `json:"submitted_by"`
	Edits       []Edit     `json:"edits,omitempty"` // those that were undone included
	Approvals   []Approval `json:"approvals,omitempty"`
	Decision    *Decision  `json:"decision,omitempty"`
	// First is the version as the model submitted it; nil while nobody has
	// edited it.
	First *First `json:"first,omitempty"`
	// ScopeKeep is the scope that a reviewer set in this version or one before,
	// and that the model is to keep; nil if nobody has.
	ScopeKeep *ScopeKeep `json:"scope_keep,omitempty"`
	// Unkept is what reviewers had asked for and the model did not do in this
	// version, whatever became of it since; see Outstanding.
	Unkept []Unkept `json:"unkept,omitempty"`
}

// First is what a version was before its first edit, beside Plan.Submitted.
type First struct {
	Title     string     `json:"title"`
	Scope     Scope      `json:"scope"`
	Blocks    []Block    `json:"blocks"`
	ScopeKeep *ScopeKeep `json:"scope_keep,omitempty"`
}

// ScopeKeep is a scope that a reviewer set.
type ScopeKeep struct {
	By     string `json:"by"`
	Scope  Scope  `json:"scope"`
	Broken bool   `json:"broken,omitempty"` // the model submitted another one all the same
}

// Block is one piece of a plan version, with its identity across versions.
type Block struct {
	document.Block
	ID     string `json:"id"`               // "s1", "s2", …: unique in the session, never used again
	Change Change `json:"change,omitempty"` // against the version before; empty in version 1
	Was    int    `json:"was,omitempty"`    // its step number in the version before, if that differs
	Origin int    `json:"origin,omitempty"` // its step number when the model submitted this version; 0 if a reviewer inserted it
	Pinned string `json:"pinned,omitempty"` // who rewrote it: the model was told to keep it word for word
	Keep   string `json:"keep,omitempty"`   // the text that it was told to keep
	Broken bool   `json:"broken,omitempty"` // pinned, and the model changed it all the same (P27)
}

// Change says how a block came to be as it is, compared to the version before.
type Change string

// The changes.
const (
	ChangeNone Change = "same"
	ChangeText Change = "changed"
	ChangeNew  Change = "new"
)

// Approval is one person's approval of one hash.
type Approval struct {
	By     Actor     `json:"by"`
	At     time.Time `json:"at"`
	SHA256 string    `json:"sha256"`
	Note   string    `json:"note,omitempty"`
}

// Decision is how the review of a version ended.
type Decision struct {
	Seq     int64     `json:"seq"`
	Verdict Verdict   `json:"verdict"`
	SHA256  string    `json:"sha256"`
	Note    string    `json:"note,omitempty"`
	By      Actor     `json:"by"`
	At      time.Time `json:"at"`
	Result  string    `json:"result"` // what the model got
}

// Steps returns the blocks that are steps, in order.
func (p Plan) Steps() []Block {
	var steps []Block
	for _, b := range p.Blocks {
		if b.Kind == document.Step {
			steps = append(steps, b)
		}
	}
	return steps
}

// Block returns the block with this id.
func (p Plan) Block(id string) (Block, bool) {
	i := slices.IndexFunc(p.Blocks, func(b Block) bool { return b.ID == id })
	if i < 0 {
		return Block{}, false
	}
	return p.Blocks[i], true
}

// Text returns the exact bytes of a block of this version.
func (p Plan) Text(b Block) string {
	if b.Start < 0 || b.End > len(p.Markdown) || b.Start > b.End {
		return ""
	}
	return p.Markdown[b.Start:b.End]
}

// ValidApprovals returns the approvals that stand on the text as it is now.
func (p Plan) ValidApprovals() []Approval {
	var valid []Approval
	for _, a := range p.Approvals {
		if a.SHA256 == p.SHA256 {
			valid = append(valid, a)
		}
	}
	return valid
}

// ApprovalOf returns a person's approval and whether it stands on the text as
// it is now; one that does not is stale.
func (p Plan) ApprovalOf(person string) (a Approval, stands bool) {
	for _, a := range p.Approvals {
		if a.By.ID == person {
			return a, a.SHA256 == p.SHA256
		}
	}
	return Approval{}, false
}

// StaleApprovals returns the approvals of a text that is not there any more.
func (p Plan) StaleApprovals() []Approval {
	return slices.DeleteFunc(slices.Clone(p.Approvals), func(a Approval) bool { return a.SHA256 == p.SHA256 })
}

// Hash is the SHA-256, in hex, that an approval names. It covers the exact
// text and the scope: each string is preceded by its length as eight bytes,
// big-endian, and each list by its count, so that nothing can be moved from
// one into the other without changing it.
func Hash(markdown string, scope Scope) string {
	h := sha256.New()
	number := func(n int) {
		var b [8]byte
		binary.BigEndian.PutUint64(b[:], uint64(n))
		h.Write(b[:])
	}
	text := func(s string) {
		number(len(s))
		h.Write([]byte(s))
	}
	text(markdown)
	for _, list := range [][]string{scope.Files, scope.Commands} {
		number(len(list))
		for _, s := range list {
			text(s)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// blockID makes the id with this number.
func blockID(n int) string { return "s" + strconv.Itoa(n) }

// nextBlock returns the first block number above n and all that blocks use.
func nextBlock(n int, blocks []Block) int {
	for _, b := range blocks {
		if used, err := strconv.Atoi(b.ID[min(1, len(b.ID)):]); err == nil {
			n = max(n, used+1)
		}
	}
	return n
}
