// Package templates is what people see: one component for each page, and the
// small structs that carry what a page shows. It decides nothing; it asks the
// state and the person what to show.
package templates

import (
	"context"
	"hash/fnv"
	"path"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"countersign/internal/planning"
	"countersign/internal/review"
	"countersign/web/lang"
)

// Page is what every page behind the sign-in carries.
type Page struct {
	Person  review.Person
	Now     time.Time
	Waiting int    // how many things wait for this person here; shown in the title and the icon
	Feed    string // what the live socket follows: a session's id, or one of the feeds below
	Seq     int64  // the last record that the page knows, in a session
	Alert   string // what went wrong, in one sentence
	Damaged bool   // of a session to which nothing is added any more
}

// The feeds that are of no session.
const (
	FeedBoard   = "board"   // all sessions
	FeedWaiting = "waiting" // only what waits for the person
)

// can tells whether the person may do it on this page.
func (p Page) can(a review.Action) bool { return !p.Damaged && p.Person.Can(a) }

// instead says why there is no form for this person: because of their role, or
// because nobody has one.
func (p Page) instead(role lang.Key) lang.Key {
	if p.Damaged {
		return "This can only be read now."
	}
	return role
}

// ago is a short relative time; a script keeps it up to date with the same
// rules.
func ago(ctx context.Context, now, t time.Time) string {
	d := now.Sub(t)
	switch {
	case t.IsZero():
		return ""
	case d < 45*time.Second:
		return tr(ctx, "now")
	case d < time.Hour:
		return tr(ctx, "%d min", max(int(d.Minutes()+.5), 1))
	case d < 24*time.Hour:
		return tr(ctx, "%d h", int(d.Hours()))
	case d < 48*time.Hour:
		return tr(ctx, "yesterday")
	case d < 30*24*time.Hour:
		return tr(ctx, "%d days", int(d.Hours()/24))
	default:
		return date(ctx, t)
	}
}

// moment is the time that shows on hover until a script puts it into the
// reader's own zone.
func moment(ctx context.Context, t time.Time) string {
	return t.UTC().Format(tr(ctx, "2 Jan 2006, 15:04:05 MST"))
}

func machine(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func clock(t time.Time) string { return t.UTC().Format("15:04:05") }

// initials are one or two letters for an avatar.
func initials(name string) string {
	var letters []rune
	for _, word := range strings.Fields(name) {
		r, _ := utf8.DecodeRuneInString(word)
		letters = append(letters, unicode.ToUpper(r))
	}
	switch {
	case len(letters) == 0:
		return "?"
	case len(letters) > 1:
		return string(letters[:2])
	case letters[0] > unicode.MaxLatin1:
		return string(letters)
	}
	word := []rune(strings.TrimSpace(name))
	return strings.ToUpper(string(word[:min(2, len(word))]))
}

// hue picks one of the avatar colours, always the same for a name, so that a
// person has one colour on all servers.
func hue(a planning.Actor) string {
	if a.Kind != planning.ActorPerson {
		return "agent"
	}
	h := fnv.New32a()
	h.Write([]byte(a.Name))
	return "a" + strconv.Itoa(int(h.Sum32()%7))
}

// version is a short fingerprint of rendered HTML: a block with the same one
// need not be compared when a page is brought up to date.
func version(html string) string {
	h := fnv.New32a()
	h.Write([]byte(html))
	return strconv.FormatUint(uint64(h.Sum32()), 36)
}

// short is the part of a SHA-256 that people compare.
func short(sha string) string { return sha[:min(8, len(sha))] }

// folder is how a workspace is called where space is short.
func folder(workspace string) string { return path.Base(workspace) }
