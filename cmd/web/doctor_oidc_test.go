package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestDoctor_AsksTheIssuer(t *testing.T) {
	answer := ""
	status := http.StatusOK
	issuer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/.well-known/openid-configuration" {
			t.Errorf("asked for %s", r.URL)
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, answer)
	}))
	defer issuer.Close()
	look := func() (string, bool) {
		return examine(t, nil, "--data", t.TempDir(), "--workspace", t.TempDir(), "--model", "builtin", "--oidc-issuer", issuer.URL, "--oidc-client-id", "countersign", "--oidc-client-secret", "very-secret")
	}
	document := func(name string) string { return fmt.Sprintf(`{"issuer":%q,"jwks_uri":"%s/keys"}`, name, issuer.URL) }

	answer = document(issuer.URL)
	screen, failed := look()
	has(t, screen, fine, "sign-in", "gives its discovery document")
	has(t, screen, fine, "sign-in", "as the settings do")
	if failed || strings.Contains(screen, "very-secret") {
		t.Error(screen)
	}
	for _, c := range []struct {
		answer string
		status int
		says   string
	}{
		{document("https://other.example"), 200, `calls itself "https://other.example"`},
		{"<html>", 200, "no such document"},
		{"a page: of its own", 503, "it answers 503 Service Unavailable)"},
	} {
		answer, status = c.answer, c.status
		screen, failed := look()
		if has(t, screen, fatal, "sign-in", c.says); !failed || strings.Contains(screen, "of its own") {
			t.Error(screen)
		}
	}
	issuer.Close()
	screen, failed = look()
	if has(t, screen, fatal, "sign-in", "refused"); !failed {
		t.Error(screen)
	}
}

// An issuer that never answers ends with the time that there is.
func TestDoctor_AnIssuerThatHangs(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	issuer := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	}))
	defer issuer.Close()
	var out strings.Builder
	e := &examination{out: &out}
	cfg := config{signInIdle: defaultIdle}
	cfg.openID.Issuer, cfg.openID.ClientID = issuer.URL, "countersign"
	e.issuer(ctx, cfg)
	if has(t, out.String(), fatal, "sign-in", "gives no discovery document"); !e.failed {
		t.Error(out.String())
	}
}
