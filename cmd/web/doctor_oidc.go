package main

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/coreos/go-oidc/v3/oidc"
)

// issuer asks the OpenID Connect issuer, if there is one, what it says of
// itself, for as long as a model's server may take. The server asks for the same
// document when somebody signs in, so what is wrong here is wrong for everybody.
func (e *examination) issuer(ctx context.Context, cfg config) {
	name := cfg.openID.Issuer
	if name == "" || cfg.checkSignIn() != nil { // the settings have their own line
		return
	}
	ctx, cancel := context.WithTimeout(ctx, modelWait)
	defer cancel()
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true}
	_, err := oidc.NewProvider(oidc.ClientContext(ctx, &http.Client{Transport: transport}), name)
	var other *oidc.IssuerMismatchError
	if err != nil && !errors.As(err, &other) {
		e.note(fatal, "sign-in", "the issuer %s gives no discovery document (%s); check --oidc-issuer, and that this machine can reach it", name, issuerCause(err))
		return
	}
	e.note(fine, "sign-in", "the issuer %s gives its discovery document", name)
	if other != nil {
		e.note(fatal, "sign-in", "the issuer calls itself %q there, so no sign-in works; set --oidc-issuer to exactly that if it is the right one", other.Discovered)
		return
	}
	e.note(fine, "sign-in", "the issuer calls itself there as the settings do")
}

// issuerCause is why the discovery document can't be read, without the page
// that came in its place.
func issuerCause(err error) string {
	var at *url.Error
	if errors.As(err, &at) || errors.Is(err, context.DeadlineExceeded) {
		return cause(err)
	}
	if status, _, is := strings.Cut(err.Error(), ": "); is && !strings.HasPrefix(status, "oidc") && status != "" && status[0] >= '1' && status[0] <= '9' {
		return "it answers " + status
	}
	return "what it answers is no such document"
}
