package document

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
)

// MaxPlan is how many bytes a plan may have.
const MaxPlan = 1 << 20

// CheckPlan tells whether a source can be submitted as a plan: its first block
// is a level-one heading with text. The error is meant for the model; it says
// what is missing and how to do it right (P9).
func CheckPlan(source string) error {
	if err := checkText(source); err != nil {
		return fmt.Errorf("plan: %w", err)
	}
	src := []byte(strings.TrimPrefix(source, byteOrderMark))
	first := parse(src).FirstChild()
	for first != nil && first.Kind() == ast.KindLinkReferenceDefinition {
		first = first.NextSibling()
	}
	const how = `Begin with a title line such as "# Rename Foo to Bar": one "#", a space, and the title, before anything else.`
	if first == nil {
		return errors.New("plan: it is empty. " + how)
	}
	h, ok := first.(*ast.Heading)
	switch {
	case ok && h.Level == 1 && visible(plain(h, src)):
		return nil
	case ok && h.Level == 1:
		return errors.New("plan: the title has no text. " + how)
	case ok:
		return fmt.Errorf("plan: the first heading is of level %d, but the title must be of level 1. %s", h.Level, how)
	}
	return errors.New("plan: the title is missing: the first block is not a heading. " + how)
}

// checkText refuses what can't be kept or shown as text.
func checkText(source string) error {
	switch {
	case len(source) > MaxPlan:
		return fmt.Errorf("it has %d bytes, and at most %d are allowed. Make it shorter", len(source), MaxPlan)
	case !utf8.ValidString(source):
		return errors.New("it is not valid UTF-8 text. Send it as UTF-8")
	case strings.Contains(source, "\x00"):
		return errors.New("it contains a NUL byte. Leave it out")
	}
	return nil
}

// visible tells whether a text has anything to see in it.
func visible(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return r != ' ' && unicode.IsPrint(r) })
}
