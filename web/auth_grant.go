package web

import (
	"context"
	"net/http"
	"time"

	"countersign/internal/fault"
	"countersign/internal/review"

	"github.com/labstack/echo/v4"
	"github.com/mileusna/useragent"
)

// grant is how somebody was let in: by a cookie or by a token.
type grant struct {
	hash   string        // of the secret; live sockets hang on it
	signIn review.SignIn // zero with a token
	token  review.Token  // zero with a cookie
}

func granted(c echo.Context) grant {
	g, _ := c.Get(grantKey).(grant)
	return g
}

func (g grant) holder() holder {
	if g.signIn.ID != "" {
		return holder{hash: g.hash, until: g.signIn.Expires}
	}
	return holder{hash: g.hash, until: g.token.Expires}
}

// touchEvery is how exactly the last use of a sign-in or token is known: noting
// each would write to the disk with each request.
const touchEvery = 5 * time.Minute

// idle is how long a browser stays signed in that is not used.
func (s *server) idle() time.Duration {
	if s.cfg.SignInIdle > 0 {
		return s.cfg.SignInIdle
	}
	return signInIdle
}

// byCookie looks a browser's sign-in up, and notes that it is used.
func (s *server) byCookie(c echo.Context, secret string) (review.Person, error) {
	hash := HashSecret(secret)
	person, in, err := s.store.SignIn(c.Request().Context(), hash)
	if err != nil {
		return review.Person{}, err
	}
	now := time.Now()
	if !in.UsedAt.IsZero() && now.Sub(in.UsedAt) > s.idle() { // the setting may be younger than the sign-in
		return review.Person{}, fault.New(fault.Unauthenticated, "Please sign in again.")
	}
	c.Set(grantKey, grant{hash: hash, signIn: in})
	if now.Sub(in.UsedAt) < min(touchEvery, s.idle()/4) {
		return person, nil
	}
	if err := s.store.TouchSignIn(c.Request().Context(), hash, now, now.Add(s.idle())); err != nil {
		s.log.WarnContext(c.Request().Context(), "note a sign-in's use", "err", err)
		return person, nil
	}
	c.SetCookie(s.cookie(c, secret, int(s.idle().Seconds())))
	return person, nil
}

// tokenUsed notes that a token is used.
func (s *server) tokenUsed(ctx context.Context, hash string, t review.Token) {
	now := time.Now()
	if now.Sub(t.UsedAt) < touchEvery {
		return
	}
	if err := s.store.TouchToken(ctx, hash, now); err != nil {
		s.log.WarnContext(ctx, "note a token's use", "err", err)
	}
}

// signIn gives the browser a new cookie for this person. The sign-in that it
// had, of whomever, ends.
func (s *server) signIn(c echo.Context, person review.Person, via review.Via) error {
	ctx, now := c.Request().Context(), time.Now()
	if old, err := c.Cookie(cookieName); err == nil {
		hash := HashSecret(old.Value)
		if err := s.store.EndSignIn(ctx, hash); err != nil {
			return err
		}
		s.hub.end(hash)
	}
	secret := newSecret()
	in := review.SignIn{
		Person: person.ID, Agent: browserName(c.Request().UserAgent()), Via: via,
		CreatedAt: now, UsedAt: now, Expires: now.Add(s.idle()),
	}
	if err := s.store.AddSignIn(ctx, HashSecret(secret), in); err != nil {
		return err
	}
	c.SetCookie(s.cookie(c, secret, int(s.idle().Seconds())))
	return nil
}

func (s *server) cookie(c echo.Context, value string, maxAge int) *http.Cookie {
	return newCookie(c, cookieName, value, "/", maxAge)
}

// newCookie makes a cookie that no script can read, and that comes from another
// site only with a link. It is Lax, not Strict, because an issuer sends the
// browser back from another site. maxAge is in seconds; a negative one takes
// the cookie away.
func newCookie(c echo.Context, name, value, path string, maxAge int) *http.Cookie {
	return &http.Cookie{
		Name: name, Value: value, Path: path, MaxAge: maxAge,
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: secure(c.Request()),
	}
}

// secure tells whether the browser speaks TLS, to us or to a proxy before us.
// The header is there only if a trusted proxy says so; see fromProxy.
func secure(r *http.Request) bool {
	return r.TLS != nil || r.Header.Get(echo.HeaderXForwardedProto) == "https"
}

// address is a path of this server as it is written into a browser. The host
// has been checked to be one of this server's names.
func address(c echo.Context, path string) string {
	scheme := "http"
	if secure(c.Request()) {
		scheme = "https"
	}
	return scheme + "://" + c.Request().Host + path
}

// browserName is a few words for what a browser calls itself.
func browserName(agent string) string {
	ua := useragent.Parse(agent)
	name, system := firstRunes(ua.Name, 40), firstRunes(ua.OS, 40)
	switch {
	case name == "" && system == "":
		return "Unknown browser"
	case name == "" || system == "":
		return name + system
	}
	return name + " on " + system
}

func firstRunes(text string, n int) string {
	runes := []rune(text)
	return string(runes[:min(len(runes), n)])
}

// inPerson keeps people's own tokens away from all that decides who may sign
// in. A token that leaks, from a build server say, could otherwise make itself
// another that never ends, or let somebody in who stays when it is revoked. The
// server's own token may: who holds it can read the database beside it.
func (s *server) inPerson(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if g := granted(c); withToken(c) && !g.token.Server {
			return fault.New(fault.Forbidden, "People, invitations, sign-ins and tokens can't be changed with a token. Sign in with a browser for that.")
		}
		return next(c)
	}
}
