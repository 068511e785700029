package db

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/internal/fault"
	"countersign/internal/review"
)

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// addSignIn signs a person in; the hash is the sign-in's id too.
func addSignIn(t testing.TB, d *DB, hash, person string) review.SignIn {
	t.Helper()
	s := review.SignIn{ID: hash, Person: person, Agent: "Firefox on Linux", Via: review.ViaLink, CreatedAt: past.Truncate(time.Microsecond), UsedAt: past.Truncate(time.Microsecond), Expires: soon}
	check(t, d.AddSignIn(context.Background(), hash, s))
	return s
}

func TestSignIn(t *testing.T) {
	d, ctx := testDB(t), context.Background()
	ada, bob := addPerson(t, d, "Ada", review.RoleOwner), addPerson(t, d, "Bob", review.RoleViewer)
	want := map[string]review.SignIn{"a": addSignIn(t, d, "a", ada.ID), "b": addSignIn(t, d, "b", bob.ID)}
	d = reopen(t, d)
	for hash, p := range map[string]review.Person{"a": ada, "b": bob} {
		if got, s, err := d.SignIn(ctx, hash); err != nil || got != p || s != want[hash] {
			t.Errorf("%s: %+v, %+v, %v", hash, got, s, err)
		}
	}
	for range 2 {
		check(t, d.EndSignIn(ctx, "a"))
	}
	for _, hash := range []string{"a", "", "unknown"} {
		_, _, err := d.SignIn(ctx, hash)
		wantFault(t, "sign-in "+hash, err, fault.Unauthenticated, "")
	}
	if _, _, err := d.SignIn(ctx, "b"); err != nil {
		t.Errorf("the other sign-in has ended too: %v", err)
	}
	wantFault(t, "of nobody", d.AddSignIn(ctx, "c", review.SignIn{Person: "nobody", Expires: soon}), fault.NotFound, "")
}

func TestSignIn_UseMovesTheEndOn(t *testing.T) {
	d, ctx := testDB(t), context.Background()
	ada := addPerson(t, d, "Ada", review.RoleOwner)
	addSignIn(t, d, "a", ada.ID)
	later := soon.Add(time.Hour)
	check(t, d.TouchSignIn(ctx, "a", soon, later))
	if _, s, err := d.SignIn(ctx, "a"); err != nil || !s.UsedAt.Equal(soon) || !s.Expires.Equal(later) {
		t.Errorf("%+v, %v", s, err)
	}
	check(t, d.EndSignIn(ctx, "a"))
	check(t, d.TouchSignIn(ctx, "a", soon, later))
	_, _, err := d.SignIn(ctx, "a")
	wantFault(t, "an ended one that is touched", err, fault.Unauthenticated, "")
}

func TestSignIns_EndOneOrAllOthers(t *testing.T) {
	d, ctx := testDB(t), context.Background()
	ada, bob := addPerson(t, d, "Ada", review.RoleOwner), addPerson(t, d, "Bob", review.RoleViewer)
	for _, hash := range []string{"a", "b", "c", "d"} {
		addSignIn(t, d, hash, ada.ID)
	}
	addSignIn(t, d, "x", bob.ID)
	_, err := d.EndOneSignIn(ctx, bob.ID, "a")
	wantFault(t, "another person's", err, fault.NotFound, "")
	if hash, err := d.EndOneSignIn(ctx, ada.ID, "a"); err != nil || hash != "a" {
		t.Errorf("%q, %v", hash, err)
	}
	ended, err := d.EndSignIns(ctx, ada.ID, "b")
	slices.Sort(ended)
	if err != nil || !slices.Equal(ended, []string{"c", "d"}) {
		t.Errorf("ended %v, %v", ended, err)
	}
	for person, want := range map[string]string{ada.ID: "b", bob.ID: "x"} {
		if list, err := d.SignIns(ctx, person); err != nil || len(list) != 1 || list[0].ID != want {
			t.Errorf("%+v are left, %v", list, err)
		}
	}
}

func TestToken_ServersOwnIsOne(t *testing.T) {
	d, ctx := testDB(t), context.Background()
	ada := addPerson(t, d, "Ada", review.RoleOwner)
	for range 2 {
		check(t, d.SetServerToken(ctx, "a", ada.ID))
	}
	if got, token, err := d.Token(ctx, "a"); err != nil || got != ada || !token.Server {
		t.Errorf("%+v, %+v, %v", got, token, err)
	}
	_, err := d.AddToken(ctx, "own", review.Token{Person: ada.ID, Role: review.RoleOwner})
	check(t, err)
	check(t, d.SetServerToken(ctx, "b", ada.ID))
	_, _, err = d.Token(ctx, "a")
	wantFault(t, "the one from before", err, fault.Unauthenticated, "")
	if _, token, err := d.Token(ctx, "own"); err != nil || token.Server {
		t.Errorf("a personal one: %+v, %v", token, err)
	}
	wantFault(t, "of nobody", d.SetServerToken(ctx, "c", "nobody"), fault.NotFound, "")
}

func TestToken_R7_ActsWithTheLesserRole(t *testing.T) {
	d, ctx := testDB(t), context.Background()
	addPerson(t, d, "Ada", review.RoleOwner)
	bob := addPerson(t, d, "Bob", review.RoleApprover)
	for _, r := range review.Roles() {
		_, err := d.AddToken(ctx, string(r), review.Token{Person: bob.ID, Name: "CI", Role: r, Tail: "abcd"})
		check(t, err)
	}
	_, err := d.AddToken(ctx, "none", review.Token{Person: bob.ID})
	check(t, err)
	for _, own := range []review.Role{review.RoleApprover, review.RoleViewer, review.RoleOwner} {
		_, err := d.SetRole(ctx, bob.ID, own)
		check(t, err)
		for _, r := range append(review.Roles(), "none") {
			want := review.Least(own, r)
			if p, _, err := d.Token(ctx, string(r)); err != nil || p.Role != want || p.ID != bob.ID {
				t.Errorf("%s with a token for %s acts as %q, %v", own, r, p.Role, err)
			}
		}
	}
}

func TestToken_EndsAndIsRevoked(t *testing.T) {
	d, ctx := testDB(t), context.Background()
	ada, bob := addPerson(t, d, "Ada", review.RoleOwner), addPerson(t, d, "Bob", review.RoleViewer)
	for hash, expires := range map[string]time.Time{"old": past, "good": soon, "endless": {}} {
		_, err := d.AddToken(ctx, hash, review.Token{ID: hash, Person: ada.ID, Role: review.RoleViewer, Expires: expires})
		check(t, err)
	}
	_, _, err := d.Token(ctx, "old")
	wantFault(t, "expired", err, fault.Unauthenticated, "")
	check(t, d.TouchToken(ctx, "good", soon))
	if _, token, err := d.Token(ctx, "good"); err != nil || !token.UsedAt.Equal(soon) || !token.Expires.Equal(soon) {
		t.Errorf("%+v, %v", token, err)
	}
	if list, err := d.Tokens(ctx, ada.ID); err != nil || len(list) != 3 {
		t.Errorf("%+v, %v", list, err)
	}
	_, err = d.RevokeToken(ctx, bob.ID, "endless")
	wantFault(t, "another person's", err, fault.NotFound, "")
	if hash, err := d.RevokeToken(ctx, ada.ID, "endless"); err != nil || hash != "endless" {
		t.Errorf("%q, %v", hash, err)
	}
	_, _, err = d.Token(ctx, "endless")
	wantFault(t, "revoked", err, fault.Unauthenticated, "")
	for i := range maxTokens {
		_, err = d.AddToken(ctx, fmt.Sprint(i), review.Token{Person: ada.ID, Role: review.RoleViewer})
	}
	wantFault(t, "one too many", err, fault.Conflict, "")
	_, err = d.AddToken(ctx, "n", review.Token{Person: "nobody"})
	wantFault(t, "of nobody", err, fault.NotFound, "")
}

func TestInvitations_SayHowTheyEnded(t *testing.T) {
	d, ctx := testDB(t), context.Background()
	ada := addPerson(t, d, "Ada", review.RoleOwner)
	invite := func(id string, expires time.Time) {
		addLink(t, d, review.Link{ID: id, Hash: id, Role: review.RoleReviewer, CreatedBy: ada.ID, Expires: expires})
	}
	invite("open", soon)
	invite("old", past)
	invite("used", soon)
	invite("withdrawn", soon)
	addLink(t, d, review.Link{Hash: "sign-in", Person: ada.ID, Expires: soon})
	_, err := d.UseLink(ctx, "used", "Bob")
	check(t, err)
	check(t, d.Withdraw(ctx, "withdrawn"))
	for id, want := range map[string]string{"old": "expired", "used": "used already", "withdrawn": "withdrawn", "never": "not known"} {
		_, err := d.UseLink(ctx, id, "Carl")
		wantFault(t, id, err, fault.NotFound, "")
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", id, err)
		}
	}
	list, err := d.Invitations(ctx)
	if err != nil || len(list) != 1 || list[0].ID != "open" || list[0].CreatedBy != ada.ID {
		t.Errorf("open are %+v, %v", list, err)
	}
	wantFault(t, "used", d.Withdraw(ctx, "used"), fault.Conflict, "")
	wantFault(t, "unknown", d.Withdraw(ctx, "never"), fault.NotFound, "")
}

// A database from before has links, sign-ins and tokens in it.
func TestMigrate_PeopleStaySignedIn(t *testing.T) {
	ctx, path := context.Background(), filepath.Join(t.TempDir(), "old.db")
	old := &DB{path: path, log: slog.New(slog.DiscardHandler)}
	var err error
	old.writer, err = old.gorm(1, url.Values{})
	check(t, err)
	p, err := old.migrator(old.writer)
	check(t, err)
	_, err = p.UpTo(ctx, 1)
	check(t, err)
	check(t, old.writer.Exec(`INSERT INTO people VALUES ('p', 'Ada', 'ada', 'owner', 1)`).Error)
	for _, hash := range []string{"x", "y"} {
		check(t, old.writer.Exec(`INSERT INTO sign_ins VALUES (?, 'p', ?)`, hash, soon.UnixMicro()).Error)
		check(t, old.writer.Exec(`INSERT INTO tokens VALUES (?, 'p')`, hash).Error)
		check(t, old.writer.Exec(`INSERT INTO links VALUES (?, NULL, 'viewer', 'p', 1, ?)`, hash, soon.UnixMicro()).Error)
	}
	check(t, old.release())

	d, err := Open(ctx, Options{Path: path})
	check(t, err)
	defer d.Close()
	for _, hash := range []string{"x", "y"} {
		if p, s, err := d.SignIn(ctx, hash); err != nil || p.ID != "p" || s.ID == "" || !s.CreatedAt.IsZero() {
			t.Errorf("%+v, %+v, %v", p, s, err)
		}
		if p, token, err := d.Token(ctx, hash); err != nil || p.Role != review.RoleOwner || !token.Server {
			t.Errorf("%+v, %+v, %v", p, token, err)
		}
	}
	list, err := d.Invitations(ctx)
	if err != nil || len(list) != 2 || list[0].ID == list[1].ID {
		t.Errorf("%+v, %v", list, err)
	}
}
