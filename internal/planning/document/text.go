package document

import (
	"strings"
	"unicode/utf8"

	"countersign/internal/fault"
)

// CheckText refuses what can't be kept as text: the fault.Invalid names what
// the text is ("The comment") and says what is wrong with it.
func CheckText(what, text string) *fault.Fault {
	switch {
	case !utf8.ValidString(text):
		return fault.New(fault.Invalid, "%s is not valid UTF-8.", fault.NewPart(what))
	case strings.ContainsRune(text, 0):
		return fault.New(fault.Invalid, "%s has a NUL character in it, which can't be kept. Please take it out.", fault.NewPart(what))
	}
	return nil
}
