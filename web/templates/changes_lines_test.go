package templates

import "testing"

func TestPaint_R11_TheSameChangeAtTwoPlacesHasItsOwnNumbers(t *testing.T) {
	at := func(line int, noEnd bool) DiffHunk {
		return DiffHunk{Lines: []DiffLine{
			{Op: ' ', Old: line, New: line + 1, Text: "if err != nil {"},
			{Op: '-', Old: line + 1, Text: "return nil"},
			{Op: '+', New: line + 2, Text: "return err", NoEnd: noEnd},
		}}
	}
	first := paint("twice.go", at(10, false))
	for _, want := range []DiffHunk{at(40, false), at(40, true)} {
		for i, l := range paint("twice.go", want) {
			if l.DiffLine != want.Lines[i] {
				t.Errorf("line %d is %+v, want %+v", i, l.DiffLine, want.Lines[i])
			}
			if l.html != first[i].html || l.html == "" {
				t.Errorf("line %d is shown as %q, want %q", i, l.html, first[i].html)
			}
		}
	}
}
