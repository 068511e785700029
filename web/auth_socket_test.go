package web

import (
	"context"
	"strings"
	"testing"
	"time"

	"countersign/internal/review"
)

// A sign-in that ends while its socket opens takes the socket with it.
func TestSocket_OfASignInThatEndsMeanwhile(t *testing.T) {
	r := newRig(t)
	cookie := r.cookie(r.owner)
	r.web.server.store = endsAfterLook{r.web.server.store, HashSecret(strings.TrimPrefix(cookie, cookieName+"="))}
	conn, _, err := r.dial("", header("Cookie: "+cookie), header("Origin: "+r.srv.URL))
	r.must(err)
	defer conn.Close()
	if code := closeCode(t, conn); code != 1008 {
		t.Errorf("the socket is closed with %d", code)
	}
}

// A token with an end takes its sockets with it.
func TestSocket_OfATokenThatEnds(t *testing.T) {
	r := newRig(t)
	_, err := r.db.AddToken(context.Background(), HashSecret("short"), review.Token{Person: r.owner.ID, Role: review.RoleViewer, Expires: time.Now().Add(300 * time.Millisecond)})
	r.must(err)
	conn, _, err := r.dial("", as("short"))
	r.must(err)
	defer conn.Close()
	readFrame(t, conn)
	if code := closeCode(t, conn); code != 1013 {
		t.Errorf("the socket is closed with %d", code)
	}
	r.do("GET", apiPrefix+"/sessions", nil, as("short")).is(401)
}

// endsAfterLook ends a sign-in just after it was found good.
type endsAfterLook struct {
	Store
	hash string
}

func (s endsAfterLook) SignIn(ctx context.Context, hash string) (review.Person, review.SignIn, error) {
	p, in, err := s.Store.SignIn(ctx, hash)
	if err == nil {
		err = s.EndSignIn(ctx, s.hash)
	}
	return p, in, err
}
