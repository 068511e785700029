package planning

import "slices"

// Held is what a call left that has run: what the model gets of it, and the
// files that it wrote and was not allowed to. Nothing of them is in the
// workspace. Their contents are kept beside the log, by SHA-256, until the
// call has its result.
type Held struct {
	Output     string     `json:"output"` // what the call printed, in the model's words
	Note       string     `json:"note,omitempty"`
	DurationMS int64      `json:"duration_ms,omitempty"`
	Files      []HeldFile `json:"files"`
}

// HeldFile is one file as a call wants it to be.
type HeldFile struct {
	Path   string `json:"path"`             // below the workspace, slash-separated
	SHA256 string `json:"sha256,omitempty"` // of its content; empty: the file is to be deleted
	Size   int64  `json:"size,omitempty"`   // bytes
	Mode   uint32 `json:"mode,omitempty"`   // permission bits
}

// Held returns what a call has left to be decided on, or nil if it has not run.
func (s State) Held(c Call) *Held {
	p, _ := s.Permission(c.Permission)
	return p.Held
}

// dropHeld forgets what a call left once it has its result: the log has it, and
// nobody can decide on it any more.
func (s State) dropHeld(call string) State {
	i := slices.IndexFunc(s.Permissions, func(p Permission) bool { return p.Held != nil && p.Call == call })
	if i < 0 {
		return s
	}
	s.Permissions = slices.Clone(s.Permissions)
	s.Permissions[i].Held = nil
	return s
}
