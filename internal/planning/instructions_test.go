package planning

import "testing"

// P8: what has not changed is not written again, and stays in force.
func TestInstructions_P8_TheSameAgainKeepsThem(t *testing.T) {
	s := State{}.applyInstructions(InstructionsRead{Files: []Instruction{{Path: "AGENTS.md", Text: "x"}}})
	s = s.applyInstructions(ModeChanged{})
	if !s.InstructionsDue {
		t.Fatal("they are not due after a change of mode")
	}
	s = s.applyInstructions(InstructionsRead{Same: true})
	if s.InstructionsDue || len(s.Instructions) != 1 {
		t.Errorf("due %v, %+v", s.InstructionsDue, s.Instructions)
	}
	if s = s.applyInstructions(InstructionsRead{}); len(s.Instructions) != 0 {
		t.Errorf("files that are gone: %+v", s.Instructions)
	}
}
