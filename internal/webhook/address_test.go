package webhook_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"countersign/internal/fault"
	"countersign/internal/webhook"
)

// signal is a writer that tells when something with the word is written.
type signal struct {
	word string
	seen chan string
}

func (s signal) Write(p []byte) (int, error) {
	if strings.Contains(string(p), s.word) {
		select {
		case s.seen <- string(p):
		default:
		}
	}
	return len(p), nil
}

// attempt sends one message and returns what the log says of its failure.
func attempt(t *testing.T, target webhook.Target) string {
	t.Helper()
	store, log := newDB(t), signal{"fails", make(chan string, 1)}
	s := beginWith(t, store, log, target)
	record(t, store, "a", submitted(1))
	defer s.Stop()
	return <-log.seen
}

// The settings are checked before; here only the connection itself is judged.
func TestWebhook_PrivateAddressesAreRefusedAtTheConnection(t *testing.T) {
	site := newSite(t)
	at, err := url.Parse(site.URL)
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"localhost", "127.0.0.1", "[::ffff:127.0.0.1]", "[::1]", "0.0.0.0", "[::]", "10.0.0.1", "[64:ff9b::7f00:1]"} {
		target := site.target()
		target.URL, target.AllowPrivate = "http://"+host+":"+at.Port(), false
		if got := attempt(t, target); !strings.Contains(got, "not on the public internet") {
			t.Errorf("%s: %s", host, got)
		}
	}
	if got := site.got(); len(got) != 0 {
		t.Errorf("it was reached %d times", len(got))
	}
}

// A proxy would connect in the server's place, wherever the name leads.
func TestWebhook_NoProxyOfTheEnvironment(t *testing.T) {
	target := webhook.Target{URL: "http://192.0.2.1:9", Events: webhook.All(), Format: webhook.JSON, AllowPrivate: true} // for documentation: nobody is there
	if got := attempt(t, target); strings.Contains(got, "proxy") {
		t.Error(got)
	}
}

func TestWebhook_TheLogDoesNotGiveTheAddressAway(t *testing.T) {
	site := newSite(t)
	site.answers(status(http.StatusForbidden))
	target := site.target()
	target.URL += "/services/a-secret-path"
	if got := attempt(t, target); strings.Contains(got, "secret") || !strings.Contains(got, "answered 403") || !strings.Contains(got, strings.TrimPrefix(site.URL, "http://")) {
		t.Error(got)
	}
	site.Close()
	if got := attempt(t, target); strings.Contains(got, "secret") || !strings.Contains(got, "refused") {
		t.Error(got)
	}
}

func TestWebhook_EachMistakeHasItsSentence(t *testing.T) {
	good := webhook.Target{URL: "https://hooks.example/x", Secret: secret, Events: webhook.All(), Format: webhook.JSON}
	for want, change := range map[string]func(*webhook.Target){
		"":                                func(w *webhook.Target) { w.URL += strings.Repeat("x", 2048-len(w.URL)) },
		"has no url":                      func(w *webhook.Target) { w.URL = "" },
		"has a url that can't be used":    func(w *webhook.Target) { w.URL = "ftp://hooks.example" },
		"url that can't be used":          func(w *webhook.Target) { w.URL = "hooks.example/x" },
		"a url that can't":                func(w *webhook.Target) { w.URL = "http://hooks.example:99999" },
		"at most 2048 bytes":              func(w *webhook.Target) { w.URL += strings.Repeat("x", 2049-len(w.URL)) },
		"name or password":                func(w *webhook.Target) { w.URL = "https://me:pass@hooks.example/x" },
		"has no secret":                   func(w *webhook.Target) { w.Secret = "" },
		"too short":                       func(w *webhook.Target) { w.Secret = "short" },
		"has no events":                   func(w *webhook.Target) { w.Events = nil },
		`names the event "submit"`:        func(w *webhook.Target) { w.Events = []webhook.Event{"submit"} },
		`the format "xml"`:                func(w *webhook.Target) { w.Format = "xml" },
		"set allow_private = true if":     func(w *webhook.Target) { w.URL = "http://localhost:80" },
		"in a private network; set allow": func(w *webhook.Target) { w.URL = "http://192.168.1.1/x" },
	} {
		target := good
		change(&target)
		err := webhook.Check([]webhook.Target{{URL: "https://other.example", Secret: secret, Events: webhook.All(), Format: webhook.JSON}, target})
		if want == "" {
			if err != nil {
				t.Error(err)
			}
			continue
		}
		if f, ok := fault.As(err); !ok || f.Code != fault.Invalid || !strings.HasPrefix(f.Message, "webhook 2 ") || !strings.Contains(f.Message, want) || strings.Contains(f.Message, "pass@") {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if err := webhook.Check([]webhook.Target{good, good}); err == nil || !strings.Contains(err.Error(), "webhook 2 has the same url") {
		t.Errorf("twice: %v", err)
	}
	chat := good
	chat.Secret, chat.Format = "", webhook.Slack // Slack's address is the secret
	if err := webhook.Check([]webhook.Target{chat}); err != nil {
		t.Error(err)
	}
}

func TestWebhook_PrivateAddressesInTheSettings(t *testing.T) {
	for _, host := range []string{
		"127.0.0.1", "127.9.9.9", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.0.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "0.1.2.3",
		"224.0.0.1", "255.255.255.255", "240.0.0.1", "192.0.0.1", "198.18.0.1", "[::1]", "[::]", "[fe80::1]", "[fc00::1]", "[fd12:3456::1]", "[ff02::1]",
		"[::ffff:127.0.0.1]", "[::ffff:8.8.8.8]", "[::127.0.0.1]", "[64:ff9b::7f00:1]", "[64:ff9b:1::1]", "[2002:7f00:1::]", "[2001::1]", "[2001:db8::1]", "[fec0::1]",
		"localhost", "LOCALHOST.", "x.localhost",
	} {
		target := webhook.Target{URL: "http://" + host + "/x", Secret: secret, Events: webhook.All(), Format: webhook.JSON}
		if err := webhook.Check([]webhook.Target{target}); err == nil || !strings.Contains(err.Error(), "allow_private") {
			t.Errorf("%s: %v", host, err)
		}
		target.AllowPrivate = true
		if err := webhook.Check([]webhook.Target{target}); err != nil {
			t.Errorf("%s, allowed: %v", host, err)
		}
	}
	for _, host := range []string{"8.8.8.8", "172.32.0.1", "100.128.0.1", "[2606:4700::1]", "hooks.example"} {
		target := webhook.Target{URL: "https://" + host, Secret: secret, Events: webhook.All(), Format: webhook.JSON}
		if err := webhook.Check([]webhook.Target{target}); err != nil {
			t.Errorf("%s: %v", host, err)
		}
	}
}
