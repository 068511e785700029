package tool

import (
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"countersign/internal/agent"
)

// maxPreview bounds the diff that people are shown with a question, in bytes.
const maxPreview = 16 << 10

// preview is the change of a file that was opened for writing, as people see
// it before they allow it.
func (t *target) preview(after content) agent.Preview {
	return agent.Preview{
		Detail: cutDiff(diff(t.name, t.text, after)),
		Seen:   map[string]string{t.name: digest(t.text)},
	}
}

// diff shows a change, or says why it can't be shown.
func diff(name string, before, after content) string {
	old, now := bytesOf(before), bytesOf(after)
	switch {
	case before != nil && after != nil && string(old) == string(now):
		return fmt.Sprintf("%s holds exactly this text already.\n", name)
	case isBinary(old) || isBinary(now):
		return fmt.Sprintf("%s is no text and can't be shown: %s, %s.\n", name, size("before", before), size("afterwards", after))
	case len(old) > maxDiffed || len(now) > maxDiffed:
		return fmt.Sprintf("%s is too large to be compared: %s, %s.\n", name, size("before", before), size("afterwards", after))
	case len(old)+len(now) == 0:
		return fmt.Sprintf("%s is empty.\n", name)
	}
	return udiff.Unified(name, name, string(old), string(now))
}

func size(when string, c content) string {
	if c == nil {
		return "no file " + when
	}
	return fmt.Sprintf("%d bytes %s", len(*c), when)
}

// cutDiff keeps a diff within maxPreview. It ends with whole lines and says
// that there is more.
func cutDiff(text string) string {
	short, cut := cutText(text, maxPreview)
	if !cut {
		return text
	}
	if i := strings.LastIndexByte(short, '\n'); i >= 0 {
		short = short[:i+1]
	} else {
		short += "\n"
	}
	return short + fmt.Sprintf("[Cut here: %d of %d lines are shown. Allowing this allows the rest as well.]\n",
		strings.Count(short, "\n"), lineCount(text))
}

// digest is how a question names what a file held: SHA-256, or "" for no file.
func digest(c content) string {
	if c == nil {
		return ""
	}
	return hashed(*c)
}

// asSeen refuses if a person was shown another file than there is now: what
// they allowed is a change of that one.
func (t *target) asSeen(env agent.Env) error {
	if seen, asked := env.Seen[t.name]; asked && seen != digest(t.text) {
		return refuse("%s has changed since a person was asked about this, so it was not written: what they saw is no longer what would happen. Read it again and make the change anew; they will be asked again.", t.name)
	}
	return nil
}
