package main

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"countersign/internal/webhook"
)

const hook = "[[webhook]]\nurl = \"https://hooks.example/x\"\nsecret = \"a secret of the tests\"\n"

func TestConfig_Webhooks(t *testing.T) {
	c, err := settings(t, hook+"\n[[webhook]]\nurl = \"http://10.0.0.1:8080/y\"\nsecret_env = \"HOOK\"\nevents = [\"decided\", \"failed\"]\nformat = \"slack\"\nallow_private = true\n",
		"", map[string]string{"HOOK": "another secret of the tests"})
	if err != nil || len(c.webhooks) != 2 {
		t.Fatalf("%+v, %v", c.webhooks, err)
	}
	if w := c.webhooks[0]; w.URL != "https://hooks.example/x" || w.Secret != "a secret of the tests" || len(w.Events) != 5 || w.Format != webhook.JSON || w.AllowPrivate {
		t.Errorf("the first one: %+v", w)
	}
	if w := c.webhooks[1]; w.Secret != "another secret of the tests" || len(w.Events) != 2 || w.Events[0] != webhook.Decided || w.Format != webhook.Slack || !w.AllowPrivate {
		t.Errorf("the second one: %+v", w)
	}
}

// A repository that somebody else wrote must not learn what happens.
func TestConfig_NoWebhookInsideTheWorkspace(t *testing.T) {
	if _, err := settings(t, "", hook, nil); err == nil || !strings.Contains(err.Error(), "webhook can't be set by a file inside the workspace") {
		t.Error(err)
	}
}

func TestConfig_EachMistakeInAWebhookHasItsSentence(t *testing.T) {
	for text, want := range map[string]string{
		"webhook = \"https://hooks.example\"":                        "each is to be a [[webhook]]",
		"[webhook]\nurl = \"https://hooks.example\"":                 "each is to be a [[webhook]]",
		hook + "event = [\"decided\"]":                               `a webhook has no setting "event"`,
		hook + "events = \"decided\"":                                "webhook.events",
		hook + "events = []":                                         "webhook 1 has no events",
		hook + "events = [\"submitted\"]":                            "it can be plan_submitted, question_asked, decided, done or failed",
		hook + "secret_env = \"HOOK\"":                               "webhook 1 has both secret and secret_env",
		hook + hook:                                                  "webhook 2 has the same url",
		"[[webhook]]\nurl = \"https://x.example\"":                   "webhook 1 has no secret",
		"[[webhook]]\nurl = \"https://x.example\"\nsecret_env=\"H\"": "takes its secret from H, but that variable is not set",
		"[[webhook]]\nurl = \"http://127.0.0.1:1\"\nsecret = \"a secret of the tests\"": "set allow_private = true",
	} {
		_, err := settings(t, text, "", nil)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), settingsName) || strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "of the tests") {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

func TestConfig_PublicURL(t *testing.T) {
	for text, want := range map[string]string{"https://plans.example/": "https://plans.example", "http://10.0.0.1:8080": "http://10.0.0.1:8080"} {
		if c, err := settings(t, `public_url = "`+text+`"`, "", nil); err != nil || c.publicURL != want {
			t.Errorf("%s: %q, %v", text, c.publicURL, err)
		}
	}
	for _, text := range []string{"plans.example", "ftp://plans.example", "https://", "https://me@plans.example", "https://plans.example/x", "https://plans.example?x", "https://plans.example#x"} {
		if _, err := settings(t, "", "", nil, "--public-url", text); err == nil || !strings.Contains(err.Error(), "--public-url") {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := settings(t, "", `public_url = "https://evil.example"`, nil); err == nil || !strings.Contains(err.Error(), "inside the workspace") {
		t.Error(err)
	}
}

// hookFile is a settings file with one webhook that leads to a server of the
// test.
func hookFile(t *testing.T, url string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "hooks.toml")
	text := "[[webhook]]\nurl = \"" + url + "\"\nsecret = \"a secret of the tests\"\nallow_private = true\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestServe_WebhooksHearOfASubmittedPlan(t *testing.T) {
	messages := make(chan webhook.Message, 1)
	target := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var m webhook.Message
		if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
			t.Error(err)
		}
		select {
		case messages <- m:
		default:
		}
	}))
	defer target.Close()
	data := t.TempDir()
	token := "a token of the tests"
	listening, _ := started(t, nil, "--addr", "127.0.0.1:0", "--data", data, "--token", token, "--config", hookFile(t, target.URL), "--model", "builtin", "--public-url", "https://plans.example/")
	sample := filepath.Join(data, "sample")
	body := strings.NewReader(`{"workspace":` + quote(sample) + `,"task":"rename Greeter to Welcomer"}`)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, listening+"/api/v1/sessions", body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusCreated {
		t.Fatalf("a session is answered with %s", answer.Status)
	}
	m := <-messages
	if m.Event != webhook.PlanSubmitted || m.Session.URL != "https://plans.example/sessions/"+m.Session.ID || m.Plan == nil || m.Plan.Version != 1 || len(m.Plan.SHA256) != 64 {
		t.Errorf("%+v", m)
	}
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

func TestDoctor_SaysHowFarAWebhookHasGot(t *testing.T) {
	data := t.TempDir()
	args := []string{"--data", data, "--workspace", t.TempDir(), "--model", "builtin", "--config", hookFile(t, "http://127.0.0.1:9/a-secret-path")}
	target := webhook.Target{URL: "http://127.0.0.1:9/a-secret-path"}
	for want, p := range map[string]*webhook.Progress{
		"hears of what happens from the next start on": nil,
		"works; messages waiting: 0, given up: 0":      {},
		"works; messages waiting: 0, given up: 7":      {GivenUp: 7},
		"fails since 2026-":                            {Failing: time.Date(2026, 5, 5, 12, 0, 0, 0, time.UTC)},
		"is switched off, because it answered 410":     {Gone: true},
	} {
		store, err := openStore(t.Context(), config{data: data}, newLogger("error", io.Discard))
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		if p != nil {
			ids = []string{target.ID()}
		}
		if _, err = store.KeepTargets(t.Context(), ids); err == nil && p != nil {
			p.Target = target.ID()
			err = store.SaveProgress(t.Context(), *p)
		}
		if err = errors.Join(err, store.Close()); err != nil {
			t.Fatal(err)
		}
		f := worry
		if p == nil || *p == (webhook.Progress{Target: target.ID()}) {
			f = fine
		}
		screen, _ := examine(t, nil, args...)
		has(t, screen, f, "webhook", "1 (127.0.0.1:9) "+want)
		if strings.Contains(screen, "secret") {
			t.Errorf("it gives the address away:\n%s", screen)
		}
	}
}
