// Package webhook tells other programs what happened: a plan was submitted,
// somebody is asked, a plan was decided on, the work is done or failed.
//
// What there is to tell is read from the log of all sessions, in the order of
// the commits. Each target has a place in that log, and the place moves on when
// the target has taken what lies before it, or that is kept to be tried again.
// So every message is sent at least once over any crash, those of a session in
// order, and one that comes twice has the same id. A message that a target does
// not take holds up its own session only, and for Patience at most. Targets know
// nothing of each other, and nobody waits for them.
package webhook

import (
	"crypto/sha256"
	"encoding/hex"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"code.dny.dev/ssrf"

	"countersign/internal/fault"
)

// Event is what a target can hear of.
type Event string

// The events, by the names that settings and messages give them.
const (
	PlanSubmitted Event = "plan_submitted"
	QuestionAsked Event = "question_asked"
	Decided       Event = "decided"
	Done          Event = "done"
	Failed        Event = "failed"

	// Test is what an owner sends to see whether a target works. No target can
	// ask for it, or keep it away.
	Test Event = "test"
)

var allEvents = []Event{PlanSubmitted, QuestionAsked, Decided, Done, Failed}

// Format is the form of the messages. The zero value is none.
type Format string

// The formats.
const (
	JSON  Format = "json"  // a Message
	Slack Format = "slack" // {"text": …}, which Slack, Mattermost and others take
)

// minSecret is the least length of a secret, in bytes.
const minSecret = 16

// maxURL is the longest address of a target, in bytes.
const maxURL = 2048

// Target is an address to which messages are sent by POST.
type Target struct {
	URL          string // http or https; may itself be a secret
	Secret       string // signs the messages; empty: no signature
	Events       []Event
	Format       Format
	AllowPrivate bool // the address may lie in a private network, or on this machine
}

// ID tells targets apart without giving their address away. It stays the same
// when anything but the address changes.
func (t Target) ID() string {
	sum := sha256.Sum256([]byte(t.URL))
	return hex.EncodeToString(sum[:16])
}

// Host is all of the address that goes into logs.
func (t Target) Host() string {
	u, err := url.Parse(t.URL)
	if err != nil {
		return ""
	}
	return u.Host
}

// Check fails with fault.Invalid if the targets can't be used as they are. Its
// sentence names the target by its place in the list, counted from 1.
func Check(targets []Target) error {
	for i, t := range targets {
		wrong := checkURL(t)
		if wrong == "" {
			wrong = t.check()
		}
		if wrong == "" && slices.ContainsFunc(targets[:i], func(o Target) bool { return o.URL == t.URL }) {
			wrong = "has the same url as another one; put their events together"
		}
		if wrong != "" {
			return fault.New(fault.Invalid, "webhook %d %s", i+1, wrong)
		}
	}
	return nil
}

func (t Target) check() string {
	switch {
	case t.Format != JSON && t.Format != Slack:
		return "has the format " + strconv.Quote(string(t.Format)) + "; it can be json or slack"
	case t.Secret == "" && t.Format == JSON:
		return "has no secret; set secret, or secret_env to the name of a variable that holds it, so that the receiver can tell who writes"
	case t.Secret != "" && len(t.Secret) < minSecret:
		return "has a secret that is too short; it must have at least " + strconv.Itoa(minSecret) + " characters"
	case len(t.Events) == 0:
		return "has no events; leave events out for all of them"
	}
	for _, e := range t.Events {
		if !slices.Contains(allEvents, e) {
			return "names the event " + strconv.Quote(string(e)) + "; it can be " + Names()
		}
	}
	return ""
}

func checkURL(t Target) string {
	u, err := url.Parse(t.URL)
	switch {
	case t.URL == "":
		return "has no url"
	case len(t.URL) > maxURL:
		return "has a url that is too long; it may have at most " + strconv.Itoa(maxURL) + " bytes"
	case err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" || !portOK(u.Port()):
		return "has a url that can't be used; it is to begin with https:// or http:// and a name"
	case u.User != nil:
		return "has a name or password in its url; the secret signs the messages instead"
	case !t.AllowPrivate && namesPrivate(u.Hostname()):
		return "has the address " + u.Hostname() + ", which is on this machine or in a private network; set allow_private = true if that is meant"
	}
	return ""
}

func portOK(port string) bool {
	n, err := strconv.ParseUint(port, 10, 16)
	return port == "" || err == nil && n > 0
}

// guard refuses every address that is not on the public internet. It judges
// what a name was resolved to, at the moment of the connection, so a name that
// points elsewhere later is no way around it.
var guard = ssrf.New(ssrf.WithAnyPort())

// namesPrivate sees what can be seen without asking anybody, for an error at
// the start instead of one in the log.
func namesPrivate(host string) bool {
	if ip, err := netip.ParseAddr(host); err == nil {
		return guard.SafeAddr(ip) != nil
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// All returns every event there is.
func All() []Event { return slices.Clone(allEvents) }

// Names lists the events for a sentence.
func Names() string {
	var b strings.Builder
	for i, e := range allEvents {
		switch {
		case i == len(allEvents)-1:
			b.WriteString(" or ")
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(string(e))
	}
	return b.String()
}
