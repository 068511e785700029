package webhook

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"countersign/internal/fault"
	"countersign/internal/planning"
)

// Message is what a target in the JSON format gets. It says where to look, not
// what the plan says: no text of a plan, a comment or a command leaves the
// server this way.
type Message struct {
	ID      string           `json:"id"` // the same whenever it is sent
	Event   Event            `json:"event"`
	At      time.Time        `json:"at"` // when it happened
	Session Session          `json:"session"`
	Plan    *Plan            `json:"plan,omitempty"`    // that was submitted or decided on last, if any
	Verdict planning.Verdict `json:"verdict,omitempty"` // with Decided
	Actor   Actor            `json:"actor"`
	Text    string           `json:"text"` // one sentence for people
}

// Session is the session that a message is about.
type Session struct {
	ID     string          `json:"id"`
	Title  string          `json:"title"`
	URL    string          `json:"url"`
	Status planning.Status `json:"status"` // that this event leads to; an approved plan is executing
}

// Plan names exactly one text of the plan.
type Plan struct {
	Version int    `json:"version"`
	SHA256  string `json:"sha256"`
}

// Actor is who made it happen.
type Actor struct {
	Kind planning.ActorKind `json:"kind"`
	Name string             `json:"name"`
}

// meaning is what a kind of record is to a target.
type meaning struct {
	event  Event
	status planning.Status
	text   string
}

// meanings says which records are told of. Whatever else should be is one more
// line.
var meanings = map[planning.Kind]meaning{
	planning.KindPlanSubmitted:   {PlanSubmitted, planning.StatusInReview, "Version {version} of the plan for “{title}” waits for review."},
	planning.KindPermissionAsked: {QuestionAsked, planning.StatusWaiting, "“{title}” waits for an answer."},
	planning.KindQuestionAsked:   {QuestionAsked, planning.StatusWaiting, "“{title}” asks a question."},
	planning.KindReviewDecided:   {Decided, "", "{actor} {decided} version {version} of the plan for “{title}”."},
	planning.KindRunFinished:     {Done, planning.StatusDone, "“{title}” is done."},
	planning.KindRunFailed:       {Failed, planning.StatusFailed, "“{title}” failed."},
}

// verdicts says what a decision does to a session, and how to say it.
var verdicts = map[planning.Verdict]struct {
	status planning.Status
	did    string
}{
	planning.VerdictApprove:        {planning.StatusExecuting, "approved"},
	planning.VerdictRequestChanges: {planning.StatusPlanning, "asked for changes to"},
	planning.VerdictAbandon:        {planning.StatusDone, "stopped the work on"},
}

// kindsOf returns the kinds of record that make up these events.
func kindsOf(events []Event) []planning.Kind {
	var kinds []planning.Kind
	for kind, m := range meanings {
		if slices.Contains(events, m.event) {
			kinds = append(kinds, kind)
		}
	}
	slices.Sort(kinds)
	return kinds
}

// errFuture marks a record that this code can't read, because a newer
// Countersign wrote it.
var errFuture = fault.New(fault.Invalid, "The record was written by a newer Countersign.")

// compose makes the message about a record from the log up to that record, so
// that it is the same message whenever it is made.
func compose(ctx context.Context, store Store, base string, r planning.Record) (Message, error) {
	m := meanings[r.Kind]
	out := Message{
		ID: r.Session + "." + strconv.FormatInt(r.Seq, 10), Event: m.event, At: r.At,
		Session: Session{ID: r.Session, URL: base + "/sessions/" + url.PathEscape(r.Session), Status: m.status},
		Actor:   Actor{Kind: r.Actor.Kind, Name: r.Actor.Name},
	}
	var err error
	if out.Session.Title, err = titleOf(ctx, store, r); err != nil {
		return out, err
	}
	if out.Plan, err = planOf(ctx, store, r); err != nil {
		return out, err
	}
	payload, err := payloadOf(r)
	if err != nil {
		return out, err
	}
	did := ""
	if p, is := payload.(planning.ReviewDecided); is {
		v := verdicts[p.Verdict]
		out.Verdict, out.Session.Status, did = p.Verdict, v.status, v.did
	}
	version := 0
	if out.Plan != nil {
		version = out.Plan.Version
	}
	// In one pass, so that nothing is replaced in what was put in.
	out.Text = strings.NewReplacer("{title}", out.Session.Title, "{actor}", out.Actor.Name,
		"{decided}", did, "{version}", strconv.Itoa(version)).Replace(m.text)
	return out, nil
}

// tellsSomething says no for the end of a run that is not the end of a piece of
// work: an answer to a question, or a person's word that planning is over. A
// run ends a piece of work if it is the first since the session began or a plan
// was decided on, or if since the last one a file has changed or somebody has
// allowed something.
func tellsSomething(ctx context.Context, store Store, r planning.Record) (bool, error) {
	if r.Kind != planning.KindRunFinished {
		return true, nil
	}
	if r.Actor.Kind == planning.ActorPerson {
		return false, nil
	}
	before, err := store.LastRecord(ctx, r.Session, r.Seq-1, planning.KindRunFinished)
	if fault.Is(err, fault.NotFound) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	work, err := store.LastRecord(ctx, r.Session, r.Seq-1, planning.KindFileChanged, planning.KindPermissionAnswered, planning.KindReviewDecided)
	if fault.Is(err, fault.NotFound) {
		return false, nil
	}
	return err == nil && work.Seq > before.Seq, err
}

func titleOf(ctx context.Context, store Store, r planning.Record) (string, error) {
	first, err := store.LastRecord(ctx, r.Session, r.Seq, planning.KindSessionCreated)
	if err != nil {
		return "", err
	}
	payload, err := payloadOf(first)
	created, _ := payload.(planning.SessionCreated)
	return strings.Join(strings.Fields(created.Title), " "), err
}

// planOf returns the plan that was submitted or decided on last. A decision
// names the text with the reviewers' own edits.
func planOf(ctx context.Context, store Store, r planning.Record) (*Plan, error) {
	last, err := store.LastRecord(ctx, r.Session, r.Seq, planning.KindPlanSubmitted, planning.KindReviewDecided)
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	payload, err := payloadOf(last)
	switch p := payload.(type) {
	case planning.PlanSubmitted:
		return &Plan{p.Version, p.SHA256}, nil
	case planning.ReviewDecided:
		return &Plan{p.Version, p.SHA256}, nil
	}
	return nil, err
}

// payloadOf fails with fault.Invalid on what can't be read.
func payloadOf(r planning.Record) (planning.Payload, error) {
	p, err := r.Payload()
	if err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "The record can't be read.")
	}
	if p == nil {
		return nil, errFuture
	}
	return p, nil
}

// slackText keeps Slack and its kin from taking a title for a link, a mention
// of everybody or the like: these three are what they ask to have escaped.
var slackText = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// body is the message in a target's format.
func (m Message) body(f Format) ([]byte, error) {
	switch f {
	case JSON:
		data, err := json.Marshal(m)
		return planning.EscapeJSON(data), err
	case Slack:
		data, err := json.Marshal(map[string]string{"text": slackText.Replace(m.Text + "\n" + m.Session.URL)})
		return planning.EscapeJSON(data), err
	}
	return nil, fmt.Errorf("a webhook of the format %q", f)
}
