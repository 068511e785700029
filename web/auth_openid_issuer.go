package web

import (
	"context"
	"crypto/subtle"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"countersign/internal/fault"
	"countersign/internal/review"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
	"golang.org/x/sync/singleflight"
)

// OpenID is an OpenID Connect issuer that people can sign in with.
type OpenID struct {
	Issuer   string // exactly as the issuer calls itself
	ClientID string
	Secret   Secret      // empty for a public client
	Role     review.Role // of people who come for the first time without an invitation; empty lets nobody in
}

// Secret is a text that no log and no error shows.
type Secret string

// String hides it from the formatting verbs, and so from logs.
func (Secret) String() string { return "(secret)" }

// GoString hides it from %#v.
func (Secret) GoString() string { return "(secret)" }

// openID is the issuer at work. It asks the issuer for its addresses when the
// first person signs in, so that the server starts while the issuer is down.
type openID struct {
	*flows
	cfg    OpenID
	name   string // of the issuer's host, for people
	client *http.Client
	found  atomic.Pointer[issuer]
	asking singleflight.Group
}

// issuer is what the issuer says of itself.
type issuer struct {
	oauth    oauth2.Config // but for the redirect
	verifier *oidc.IDTokenVerifier
}

// issuerWait is how long one request to the issuer may take.
const issuerWait = 10 * time.Second

func newOpenID(cfg OpenID) *openID {
	name := cfg.Issuer
	if u, err := url.Parse(cfg.Issuer); err == nil && u.Host != "" {
		name = u.Hostname()
	}
	return &openID{
		flows: newFlows(), cfg: cfg, name: name,
		// Requests are rare, so no connection is kept that would have to be closed.
		client: &http.Client{Timeout: issuerWait, Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true}},
	}
}

// issuer asks the issuer for its addresses, once. The library refuses one that
// calls itself otherwise than the settings do.
func (o *openID) issuer() (*issuer, error) {
	if i := o.found.Load(); i != nil {
		return i, nil
	}
	i, err, _ := o.asking.Do("", func() (any, error) {
		provider, err := oidc.NewProvider(oidc.ClientContext(context.Background(), o.client), o.cfg.Issuer)
		if err != nil {
			return nil, err
		}
		i := &issuer{
			oauth: oauth2.Config{
				ClientID: o.cfg.ClientID, ClientSecret: string(o.cfg.Secret), Endpoint: provider.Endpoint(),
				Scopes: []string{oidc.ScopeOpenID, "profile", "email"},
			},
			verifier: provider.Verifier(&oidc.Config{ClientID: o.cfg.ClientID}),
		}
		i.oauth.Endpoint.AuthStyle = o.authStyle(provider)
		o.found.Store(i)
		return i, nil
	})
	if err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "%s can't be reached just now, or does not answer as an issuer should. Please try again in a moment.", o.name)
	}
	return i.(*issuer), nil
}

// authStyle is how the issuer wants to see the secret. Trying both would send
// the code twice, and a code works once.
func (o *openID) authStyle(p *oidc.Provider) oauth2.AuthStyle {
	var says struct {
		Methods []string `json:"token_endpoint_auth_methods_supported"`
	}
	const basic, post = "client_secret_basic", "client_secret_post"
	if p.Claims(&says) == nil && slices.Contains(says.Methods, post) && !slices.Contains(says.Methods, basic) || o.cfg.Secret == "" {
		return oauth2.AuthStyleInParams
	}
	return oauth2.AuthStyleInHeader
}

// begin is the address at the issuer where a flow goes on.
func (o *openID) begin(f flow) (string, error) {
	i, err := o.issuer()
	if err != nil {
		return "", err
	}
	oauth := i.oauth
	oauth.RedirectURL = f.Redirect
	return oauth.AuthCodeURL(f.State, oidc.Nonce(f.Nonce), oauth2.S256ChallengeOption(f.Verifier)), nil
}

// errorCode is what an issuer may call an error.
var errorCode = regexp.MustCompile(`^[a-z_]{1,60}$`)

// finish exchanges the code that the browser brought for the issuer's word who
// it is. Its faults are sentences for the sign-in page: Unavailable if the
// issuer does not answer, Unauthenticated if its answer does not hold.
func (o *openID) finish(ctx context.Context, f flow, q url.Values) (review.Identity, error) {
	// RFC 9207: an answer of another issuer must not be taken for this one's.
	if iss := q.Get("iss"); iss != "" && iss != o.cfg.Issuer {
		return review.Identity{}, fault.New(fault.Unauthenticated, "This answer comes from another issuer than %s, so it was not used. Please begin again.", o.name)
	}
	if code := q.Get("error"); code != "" {
		return review.Identity{}, o.refused(code)
	}
	i, err := o.issuer()
	if err != nil {
		return review.Identity{}, err
	}
	oauth := i.oauth
	oauth.RedirectURL = f.Redirect
	ctx = oidc.ClientContext(ctx, o.client)
	token, err := oauth.Exchange(ctx, q.Get("code"), oauth2.VerifierOption(f.Verifier))
	if err != nil {
		return review.Identity{}, o.notExchanged(err)
	}
	raw, _ := token.Extra("id_token").(string)
	id, err := i.verifier.Verify(ctx, raw)
	if err != nil {
		return review.Identity{}, o.notVerified(err)
	}
	return o.identity(f, id)
}

func (o *openID) refused(code string) error {
	switch {
	case code == "access_denied":
		return fault.New(fault.Forbidden, "%s did not let you in, or you cancelled. Nobody was signed in.", o.name)
	case code == "temporarily_unavailable" || code == "server_error":
		return fault.New(fault.Unavailable, "%s has a problem just now. Please try again in a moment.", o.name)
	case !errorCode.MatchString(code):
		code = "without a reason that can be shown"
	}
	return fault.New(fault.Forbidden, "%s refused the sign-in: %s.", o.name, code)
}

func (o *openID) notExchanged(err error) error {
	var said *oauth2.RetrieveError
	if errors.As(err, &said) && said.Response != nil && said.Response.StatusCode < 500 {
		return fault.Wrap(err, fault.Unauthenticated, "%s did not accept the answer that this browser brought. Please begin again.", o.name)
	}
	return fault.Wrap(err, fault.Unavailable, "%s can't be reached just now. Please try again in a moment.", o.name)
}

func (o *openID) notVerified(err error) error {
	var late *oidc.TokenExpiredError
	if errors.As(err, &late) {
		return fault.Wrap(err, fault.Unauthenticated, "The answer of %s has expired already. Please begin again; if that does not help, the clock of one of the servers is wrong.", o.name)
	}
	return fault.Wrap(err, fault.Unauthenticated, "The answer of %s can't be trusted, so nobody was signed in. Please begin again.", o.name)
}

// identity reads a verified token, if it belongs to this flow and was made for
// us and nobody else.
func (o *openID) identity(f flow, id *oidc.IDToken) (review.Identity, error) {
	if subtle.ConstantTimeCompare([]byte(id.Nonce), []byte(f.Nonce)) != 1 {
		return review.Identity{}, fault.New(fault.Unauthenticated, "The answer of %s belongs to another sign-in, so it was not used. Please begin again.", o.name)
	}
	var says struct {
		AuthorizedParty string `json:"azp"`
		Name            string `json:"name"`
		Username        string `json:"preferred_username"`
		Email           string `json:"email"`
		Verified        any    `json:"email_verified"` // some issuers send a text
	}
	err := id.Claims(&says)
	// OpenID Connect Core 3.1.3.7, 3 to 5: a token for several parties is ours
	// only if it says so.
	others := len(id.Audience) > 1 || says.AuthorizedParty != ""
	if err != nil || id.Subject == "" || others && says.AuthorizedParty != o.cfg.ClientID {
		return review.Identity{}, o.notVerified(errors.Join(err, errors.New("no subject, or made for another party")))
	}
	who := review.Identity{Issuer: o.cfg.Issuer, Subject: id.Subject}
	if says.Verified == true || says.Verified == "true" {
		who.Email = strings.TrimSpace(says.Email)
	}
	local, _, _ := strings.Cut(who.Email, "@")
	for _, name := range []string{says.Name, says.Username, local} {
		if name = strings.TrimSpace(firstRunes(name, maxName)); name != "" && who.Name == "" {
			who.Name = name
		}
	}
	return who, nil
}
