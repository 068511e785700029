package planning

// InstructionsRead says which files of the workspace go into the system prompt.
// They are read when the first request is put together, and again only where
// the beginning of the requests changes anyway: when the mode lands, and when
// the conversation was made shorter.
type InstructionsRead struct {
	Files []Instruction `json:"files,omitempty"`
	// Same says that nothing has changed since the last time, or that there was
	// nothing the first time. Files is empty then.
	Same bool `json:"same,omitempty"`
}

// Instruction is one such file: AGENTS.md or CLAUDE.md.
type Instruction struct {
	Path   string `json:"path"` // below the folder that the settings name, slash-separated
	SHA256 string `json:"sha256,omitempty"`
	Bytes  int64  `json:"bytes,omitempty"` // of the whole file
	Text   string `json:"text,omitempty"`  // what the model gets of it
	Cut    bool   `json:"cut,omitempty"`   // Text is only the beginning
	Fault  string `json:"fault,omitempty"` // why it was not read
}

// Kind implements Payload.
func (InstructionsRead) Kind() Kind { return KindInstructionsRead }

// applyInstructions keeps what was read, and when it is to be read again.
func (s State) applyInstructions(payload Payload) State {
	switch p := payload.(type) {
	case SessionCreated, ModeChanged, ContextCompacted:
		s.InstructionsDue = true
	case InstructionsRead:
		s.InstructionsDue = false
		if !p.Same {
			s.Instructions = p.Files
		}
	}
	return s
}
