package web

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"net/url"
	"strings"
	"time"

	"countersign/internal/fault"
	"countersign/internal/review"

	"github.com/labstack/echo/v4"
)

const (
	// cookieName must not be a common word: a browser sends a cookie to every
	// port of a host, so all servers on one's own machine share their names.
	cookieName = "countersign_signin"
	// signInIdle is how long a browser stays signed in that is not used, unless
	// the settings say otherwise.
	signInIdle = 30 * 24 * time.Hour
	// How long links are good for, unless their maker says otherwise.
	linkFor       = 24 * time.Hour
	invitationFor = 7 * 24 * time.Hour

	// grantKey is where the middleware leaves how somebody was let in, and
	// tokenKey that they came with a token.
	grantKey = "grant"
	tokenKey = "with-token"
)

// open are the routes that need nobody to be signed in.
var open = map[string]bool{
	"/healthz": true, staticRoute: true, signInRoute: true, joinRoute: true,
	openIDRoute: true, openIDBackRoute: true, languageRoute: true,
}

const (
	staticRoute = "/static/*"
	signInRoute = "/sign-in"
	joinRoute   = "/join"
)

// signedIn finds out who is asking and lets nobody else through. It goes by
// the route that was matched, not by the path: there is one way to read a
// route, and several to read "/static/..%2fapi".
func (s *server) signedIn(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if open[c.Path()] {
			return next(c)
		}
		person, err := s.identify(c)
		if err != nil {
			return err
		}
		if err := person.May(review.ActionView); err != nil {
			return err
		}
		c.Set(personKey, person)
		c.SetRequest(c.Request().WithContext(review.By(c.Request().Context(), person)))
		return next(c)
	}
}

// identify reads the token or, if there is none, the cookie. A wrong token is
// never made good by a cookie.
func (s *server) identify(c echo.Context) (review.Person, error) {
	r := c.Request()
	if header := r.Header.Get("Authorization"); header != "" {
		scheme, token, _ := strings.Cut(header, " ")
		if !strings.EqualFold(scheme, "Bearer") {
			return review.Person{}, fault.New(fault.Unauthenticated, "Sign in with \"Authorization: Bearer TOKEN\".")
		}
		c.Set(tokenKey, true)
		return s.byToken(c, strings.TrimSpace(token))
	}
	cookie, err := r.Cookie(cookieName)
	if err != nil {
		return review.Person{}, fault.New(fault.Unauthenticated, "Please sign in.")
	}
	return s.byCookie(c, cookie.Value)
}

// byToken looks an API token up. Who sends wrong ones has to wait.
func (s *server) byToken(c echo.Context, secret string) (review.Person, error) {
	r := c.Request()
	if err := s.attempts.check(r.RemoteAddr); err != nil {
		return review.Person{}, err
	}
	hash := HashSecret(secret)
	person, token, err := s.store.Token(r.Context(), hash)
	if fault.Is(err, fault.Unauthenticated) {
		s.attempts.failed(r.RemoteAddr)
		return review.Person{}, fault.Wrap(err, fault.Unauthenticated, "This token is not valid.")
	}
	if err != nil {
		return review.Person{}, err
	}
	c.Set(grantKey, grant{hash: hash, token: token})
	s.tokenUsed(r.Context(), hash, token)
	return person, nil
}

// withToken tells whether the request was signed in with a token, which no page
// can make a browser add.
func withToken(c echo.Context) bool {
	with, _ := c.Get(tokenKey).(bool)
	return with
}

// NewLink makes a link that works once and returns its path and query, without
// scheme and host. With link.Person it signs that person in; without, it
// invites somebody into link.Role. Hash and, where they are zero, CreatedAt and
// Expires are filled in: a day for signing in, a week for an invitation.
func NewLink(ctx context.Context, accounts Accounts, link review.Link) (string, error) {
	path, _, err := newLink(ctx, accounts, link)
	return path, err
}

// newLink also returns the link as it is kept.
func newLink(ctx context.Context, accounts Accounts, link review.Link) (string, review.Link, error) {
	id, err := newID()
	if err != nil {
		return "", link, err
	}
	secret := newSecret()
	link.ID, link.Hash = id, HashSecret(secret)
	if link.CreatedAt.IsZero() {
		link.CreatedAt = time.Now()
	}
	route, lasts := joinRoute, invitationFor
	if link.Person != "" {
		route, lasts = signInRoute, linkFor
	}
	if link.Expires.IsZero() {
		link.Expires = link.CreatedAt.Add(lasts)
	}
	if err := accounts.AddLink(ctx, link); err != nil {
		return "", link, err
	}
	return route + "?" + url.Values{"link": {secret}}.Encode(), link, nil
}

// newSecret makes 32 random bytes; crypto/rand does not fail.
func newSecret() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b)
	return base64.RawURLEncoding.EncodeToString(b)
}

// HashSecret is how secrets are stored and looked up: looking for a hash takes
// the same time however much of a guess is right.
func HashSecret(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// signInPath is where a browser that is not signed in is sent, so that it comes
// back afterwards. After a form it comes back to the page that held the form.
func signInPath(r *http.Request) string {
	next := r.URL.RequestURI()
	if !safe(r.Method) {
		next = ""
		if from, ours := cameFrom(r); ours {
			next = from.RequestURI()
		}
	}
	if next = localPath(next); next == "/" {
		return signInRoute
	}
	return signInRoute + "?" + url.Values{"next": {next}}.Encode()
}

// localPath returns next if it is an address on this server, else "/".
func localPath(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || !strings.HasPrefix(next, "/") {
		return "/"
	}
	// "//host" and, for browsers, "/\host" name another server.
	if len(next) > 1 && (next[1] == '/' || next[1] == '\\') || strings.ContainsFunc(next, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return "/"
	}
	if u.Path == signInRoute || u.Path == joinRoute {
		return "/"
	}
	return next
}
