package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"countersign/internal/db"
	"countersign/internal/fault"
	"countersign/internal/webhook"

	"github.com/BurntSushi/toml"
)

// webhookKey is the key of the webhooks in a settings file. They have no flag.
const webhookKey = "webhook"

// webhookSetting is one [[webhook]] in a settings file.
type webhookSetting struct {
	URL          string    `toml:"url"`
	Secret       string    `toml:"secret"`
	SecretEnv    string    `toml:"secret_env"` // the variable that holds the secret
	Events       *[]string `toml:"events"`     // nil: all
	Format       string    `toml:"format"`
	AllowPrivate bool      `toml:"allow_private"`
}

// readWebhooks reads the targets that a settings file names.
func readWebhooks(path string, getenv func(string) string) ([]webhook.Target, error) {
	var file struct {
		Webhook []webhookSetting `toml:"webhook"`
	}
	meta, err := toml.DecodeFile(path, &file)
	if err != nil {
		return nil, fault.New(fault.Invalid, "%s: the webhooks can't be read, each is to be a [[webhook]] with its keys below it (%v)", path, err)
	}
	for _, key := range meta.Undecoded() {
		if len(key) > 1 && key[0] == webhookKey {
			return nil, fault.New(fault.Invalid, "%s: a webhook has no setting %q", path, strings.Join(key[1:], "."))
		}
	}
	var targets []webhook.Target
	for i, w := range file.Webhook {
		t, err := w.target(getenv)
		if err != nil {
			return nil, fault.New(fault.Invalid, "%s: webhook %d %v", path, i+1, err)
		}
		targets = append(targets, t)
	}
	if err := webhook.Check(targets); err != nil {
		return nil, fault.New(fault.Invalid, "%s: %s", path, sentence(err))
	}
	return targets, nil
}

// target fails with what is wrong, to be put behind the webhook's number.
func (w webhookSetting) target(getenv func(string) string) (webhook.Target, error) {
	t := webhook.Target{
		URL: w.URL, Secret: w.Secret, Events: webhook.All(),
		Format: webhook.Format(cmp.Or(w.Format, string(webhook.JSON))), AllowPrivate: w.AllowPrivate,
	}
	if w.Events != nil {
		t.Events = nil
		for _, e := range *w.Events {
			t.Events = append(t.Events, webhook.Event(e))
		}
	}
	if w.SecretEnv == "" {
		return t, nil
	}
	if w.Secret != "" {
		return t, errors.New("has both secret and secret_env; leave one of them out")
	}
	if t.Secret = getenv(w.SecretEnv); t.Secret == "" {
		return t, fmt.Errorf("takes its secret from %s, but that variable is not set", w.SecretEnv)
	}
	return t, nil
}

// startWebhooks begins to tell the targets what happens from now on, and what
// they have not been told yet.
func startWebhooks(ctx context.Context, cfg config, store *db.DB, listener net.Listener, logger *slog.Logger) (*webhook.Sender, error) {
	base := cmp.Or(cfg.publicURL, cfg.baseURL(listener))
	return webhook.Start(ctx, webhook.Config{Targets: cfg.webhooks, Base: base}, store, logger)
}

// checkPublicURL takes what a browser shows at the start page, and keeps it
// without the slash at its end.
func (c *config) checkPublicURL() error {
	bare := strings.TrimSuffix(c.publicURL, "/")
	u, err := url.Parse(bare)
	if bare != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || bare != u.Scheme+"://"+u.Host) {
		return fault.New(fault.Invalid, "--public-url is %q; it is to be an address such as https://plans.example", c.publicURL)
	}
	c.publicURL = bare
	return nil
}

// webhooks says how far each target has got, if there are any.
func (e *examination) webhooks(ctx context.Context, cfg config, store *db.DB) {
	known, err := store.Targets(ctx)
	if err != nil {
		e.note(fatal, "webhooks", "their progress can't be read (%s)", sentence(err))
		return
	}
	for i, t := range cfg.webhooks {
		at := slices.IndexFunc(known, func(p webhook.Progress) bool { return p.Target == t.ID() })
		if at < 0 {
			e.note(fine, "webhook", "%d (%s) hears of what happens from the next start on", i+1, t.Host())
			continue
		}
		waiting, err := t.Waiting(ctx, store, known[at])
		if err != nil {
			e.note(fatal, "webhook", "%d (%s): what waits for it can't be read (%s)", i+1, t.Host(), sentence(err))
			continue
		}
		how, about := standing(known[at])
		e.note(how, "webhook", "%d (%s) %s; messages waiting: %s, given up: %d", i+1, t.Host(), about, orMore(waiting), known[at].GivenUp)
	}
}

func orMore(n int) string {
	if n >= webhook.WaitingMost {
		return strconv.Itoa(n) + " or more"
	}
	return strconv.Itoa(n)
}

func standing(p webhook.Progress) (finding, string) {
	switch {
	case p.Gone:
		return worry, "is switched off, because it answered 410; leave it out of the settings for one start to switch it on again"
	case !p.Failing.IsZero():
		return worry, "fails since " + p.Failing.Local().Format(time.DateTime)
	case p.GivenUp > 0:
		return worry, "works"
	}
	return fine, "works"
}
