package templates

import (
	"context"
	"fmt"
	"strings"
	"time"

	"countersign/internal/webhook"
	"countersign/web/lang"
)

// WebhooksPage is how the programs stand that the server tells what happens.
type WebhooksPage struct {
	Page
	Targets []webhook.View
	Tested  string          // the target that a test message has just been sent to
	Trouble webhook.Trouble // of that message; empty if it was taken
}

// patienceHours is how long a message is tried.
const patienceHours = int(webhook.Patience / time.Hour)

// standing is the state of a target, for its chip.
func standing(v webhook.View) (class string, words lang.Key) {
	switch {
	case v.Progress.Gone:
		return "bad", "switched off"
	case !v.Progress.Failing.IsZero():
		return "warn", "fails"
	case v.Progress.Delivered.IsZero():
		return "", "not used yet"
	default:
		return "ok", "works"
	}
}

func waitingWords(ctx context.Context, v webhook.View) string {
	if v.Waiting >= webhook.WaitingMost {
		return tr(ctx, "%d messages or more wait", v.Waiting)
	}
	return tr(ctx, "%d messages wait", v.Waiting)
}

// troubleWords says in a sentence why an attempt failed.
func troubleWords(ctx context.Context, t webhook.Trouble) string {
	if code, is := t.Status(); is {
		switch {
		case code >= 300 && code < 400:
			return tr(ctx, "It answered %d, a redirect, which is not followed.", code)
		case code == 401 || code == 403:
			return tr(ctx, "It answered %d: it does not accept who writes.", code)
		case code == 404:
			return tr(ctx, "It answered 404: there is nothing at this address.")
		case code == 410:
			return tr(ctx, "It answered 410: it wants no more messages.")
		case code == 429:
			return tr(ctx, "It answered 429: it wants fewer messages.")
		case code >= 500:
			return tr(ctx, "It answered %d: something is wrong there.", code)
		}
		return tr(ctx, "It answered %d.", code)
	}
	switch t {
	case webhook.Timeout:
		return tr(ctx, "It did not answer in time.")
	case webhook.Private:
		return tr(ctx, "Its name leads to a private network; allow_private = true in the settings lets it.")
	case webhook.Refused:
		return tr(ctx, "Nobody listens at its address.")
	case webhook.Unknown:
		return tr(ctx, "Its name can’t be found.")
	default:
		return tr(ctx, "The connection to it fails.")
	}
}

func eventWords(ctx context.Context, e webhook.Event) string {
	switch e {
	case webhook.PlanSubmitted:
		return tr(ctx, "A plan was submitted")
	case webhook.QuestionAsked:
		return tr(ctx, "The agent asks")
	case webhook.Decided:
		return tr(ctx, "A plan was decided on")
	case webhook.Done:
		return tr(ctx, "A piece of work is done")
	case webhook.Failed:
		return tr(ctx, "The work failed")
	default:
		return string(e)
	}
}

func eventNames(v webhook.View) string {
	names := make([]string, len(v.Events))
	for i, e := range v.Events {
		names[i] = string(e)
	}
	return strings.Join(names, ", ")
}

func hookPath(v webhook.View, action string) string { return "/webhooks/" + v.ID + "/" + action }

func giveUpPath(v webhook.View, h webhook.Held) string {
	return hookPath(v, fmt.Sprintf("messages/%d/give-up", h.Place))
}

func triesWords(ctx context.Context, h webhook.Held) string {
	if h.Tries == 0 {
		return tr(ctx, "stands behind another one of its session")
	}
	return tr(ctx, "%d attempts", h.Tries)
}

func lostWords(ctx context.Context, h webhook.Held) string {
	if h.By == "" {
		return tr(ctx, "given up after %d hours", patienceHours)
	}
	return tr(ctx, "given up by %s", visible(h.By))
}
