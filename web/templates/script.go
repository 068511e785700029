package templates

import (
	"context"
	"encoding/json"

	"countersign/web/lang"
)

// forScripts are the messages that scripts show, by the name under which they
// ask for them. Where something is put in, a script finds its name in braces.
var forScripts = map[string]lang.Key{
	"unreachable":  "The server can’t be reached. Your text is kept; please try again.",
	"failed":       "That did not work. Your text is kept.",
	"plan-changed": "The plan has changed.",
	"new":          "{n} new ↓",
	"follow":       "Follow ↓",
	"live":         "Live",
	"offline":      "Offline",
	"lost":         "Connection lost, trying again… What you type is kept.",
	"back":         "Connected again.",
	"comment-this": "Comment on this",
	"theme-system": "as the system",
	"theme-light":  "light",
	"theme-dark":   "dark",
	"copied":       "copied",
	"copied-said":  "Copied.",
	"not-copied":   "could not copy",
	"now":          "now",
	"minutes":      "{n} min",
	"hours":        "{n} h",
	"yesterday":    "yesterday",
	"days":         "{n} days",

	"here-at":        "{name}, at step {n}",
	"here-typing-at": "{name}, typing at step {n}",
	"here-typing":    "{name}, typing",
	"here-more":      "+{n}",

	"commands": "{n} commands; the arrow keys choose, Enter or Tab takes one, Escape leaves",

	"notify-on":       "Notify me in this browser",
	"notify-off":      "Stop notifying me in this browser",
	"notify-denied":   "This browser blocks notifications from this site. Allow them in its settings for the site, and try again.",
	"notify-insecure": "This browser shows no notifications for this address: they need HTTPS.",
	"notify-never":    "This browser can’t show notifications from a page.",
}

// scriptWords are the messages for scripts as JSON. The content policy allows
// no script in a page, so they come in an attribute.
func scriptWords(ctx context.Context) string {
	said := make(map[string]string, len(forScripts))
	for name, key := range forScripts {
		said[name] = tr(ctx, key)
	}
	data, err := json.Marshal(said)
	if err != nil {
		panic(err) // strings always encode
	}
	return string(data)
}
