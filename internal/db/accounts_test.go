package db

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

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

func TestRoles_R7_TheLastOwnerStays(t *testing.T) {
	d, ctx := testDB(t), context.Background()
	ada, bob := addPerson(t, d, "Ada", review.RoleOwner), addPerson(t, d, "Bob", review.RoleViewer)
	_, err := d.SetRole(ctx, ada.ID, review.RoleApprover)
	wantFault(t, "demoted", err, fault.Conflict, "")
	_, err = d.RemovePerson(ctx, ada.ID)
	wantFault(t, "removed", err, fault.Conflict, "")
	_, err = d.SetRole(ctx, bob.ID, "emperor")
	wantFault(t, "no role", err, fault.Invalid, "role")
	_, err = d.SetRole(ctx, "nobody", review.RoleViewer)
	wantFault(t, "nobody", err, fault.NotFound, "")
	if p, err := d.SetRole(ctx, bob.ID, review.RoleOwner); err != nil || p.Role != review.RoleOwner {
		t.Fatalf("%+v, %v", p, err)
	}
	// Two owners who remove each other at the same moment.
	var won atomic.Int64
	ids := []string{ada.ID, bob.ID}
	each(2, func(i int) {
		if _, err := d.RemovePerson(ctx, ids[i]); err == nil {
			won.Add(1)
		} else if !fault.Is(err, fault.Conflict) {
			t.Error(err)
		}
	})
	if people, err := d.People(ctx); err != nil || won.Load() != 1 || len(people) != 1 {
		t.Errorf("%d removed, %+v left, %v", won.Load(), people, err)
	}
}

func TestRemovePerson_EndsAllWaysIn(t *testing.T) {
	d, ctx := testDB(t), context.Background()
	addPerson(t, d, "Ada", review.RoleOwner)
	bob := addPerson(t, d, "Bob", review.RoleOwner)
	addSignIn(t, d, "s", bob.ID)
	_, err := d.AddToken(ctx, "t", review.Token{Person: bob.ID, Role: review.RoleOwner})
	check(t, err)
	addLink(t, d, review.Link{Hash: "by", Role: review.RoleOwner, CreatedBy: bob.ID, Expires: soon})
	addLink(t, d, review.Link{Hash: "for", Person: bob.ID, Expires: soon})
	check(t, d.Connect(ctx, review.Identity{Issuer: "i", Subject: "bob"}, bob.ID))
	ended, err := d.RemovePerson(ctx, bob.ID)
	if err != nil || !slices.Equal(ended, []string{"s", "t"}) {
		t.Errorf("ended %v, %v", ended, err)
	}
	_, _, err = d.SignIn(ctx, "s")
	wantFault(t, "sign-in", err, fault.Unauthenticated, "")
	_, _, err = d.Token(ctx, "t")
	wantFault(t, "token", err, fault.Unauthenticated, "")
	for _, hash := range []string{"by", "for"} {
		_, err = d.UseLink(ctx, hash, "Carl")
		wantFault(t, "link "+hash, err, fault.NotFound, "")
	}
	_, err = d.Identify(ctx, review.Identity{Issuer: "i", Subject: "bob"}, "", review.RoleReviewer)
	wantFault(t, "at the issuer", err, fault.NotFound, "")
	wantFault(t, "signing in", d.AddSignIn(ctx, "s2", review.SignIn{Person: bob.ID, Expires: soon}), fault.NotFound, "")
	_, err = d.AddPerson(ctx, "BOB", review.RoleViewer)
	wantFault(t, "under the same name", err, fault.Conflict, "name")
	_, err = d.RemovePerson(ctx, bob.ID)
	wantFault(t, "again", err, fault.NotFound, "")
}

func TestSetRole_WithdrawsWhatAnOwnerHandedOut(t *testing.T) {
	d, ctx := testDB(t), context.Background()
	addPerson(t, d, "Ada", review.RoleOwner)
	bob := addPerson(t, d, "Bob", review.RoleOwner)
	addLink(t, d, review.Link{Hash: "h", Role: review.RoleOwner, CreatedBy: bob.ID, Expires: soon})
	_, err := d.SetRole(ctx, bob.ID, review.RoleOwner)
	check(t, err)
	if _, err := d.Link(ctx, "h"); err != nil {
		t.Errorf("the same role again: %v", err)
	}
	_, err = d.SetRole(ctx, bob.ID, review.RoleViewer)
	check(t, err)
	_, err = d.UseLink(ctx, "h", "Carl")
	wantFault(t, "an invitation by who is no owner any more", err, fault.NotFound, "")
}

func TestIdentify_WhoIsLetIn(t *testing.T) {
	d, ctx := testDB(t), context.Background()
	addPerson(t, d, "Ada", review.RoleOwner)
	at := func(subject, name, email string) review.Identity {
		return review.Identity{Issuer: "https://id.example", Subject: subject, Name: name, Email: email}
	}
	_, err := d.Identify(ctx, at("1", "Carl", "carl@example.com"), "", "")
	wantFault(t, "nobody knows him", err, fault.NotFound, "")

	addLink(t, d, review.Link{Hash: "h", Role: review.RoleApprover, Email: "Carl@Example.com", Expires: soon})
	_, err = d.Identify(ctx, at("1", "Carl", ""), "", "")
	wantFault(t, "without a verified address", err, fault.NotFound, "")
	carl, err := d.Identify(ctx, at("1", "Ada", "carl@example.COM"), "", "")
	if err != nil || carl.Role != review.RoleApprover || carl.Name != "Ada 2" {
		t.Fatalf("invited by address: %+v, %v", carl, err)
	}
	_, err = d.Identify(ctx, at("2", "Eve", "carl@example.com"), "", "")
	wantFault(t, "the invitation is spent", err, fault.NotFound, "")

	// From now on the subject counts, whatever the address.
	again, err := d.Identify(ctx, at("1", "Charles", "other@example.com"), "", review.RoleOwner)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(carl, again, cmpopts.EquateApproxTime(0)); diff != "" {
		t.Error(diff)
	}
	_, err = d.Identify(ctx, review.Identity{Issuer: "https://other.example", Subject: "1"}, "", "")
	wantFault(t, "the same subject elsewhere", err, fault.NotFound, "")

	if dora, err := d.Identify(ctx, at("3", "\u202e", ""), "", review.RoleReviewer); err != nil || dora.Role != review.RoleReviewer || dora.Name != "Somebody new" {
		t.Errorf("let in by the setting: %+v, %v", dora, err)
	}
}

func TestIdentify_WithAnInvitation(t *testing.T) {
	d, ctx := testDB(t), context.Background()
	ada := addPerson(t, d, "Ada", review.RoleOwner)
	who := review.Identity{Issuer: "i", Subject: "1", Name: "Bob"}
	addLink(t, d, review.Link{Hash: "sign-in", Person: ada.ID, Expires: soon})
	for _, hash := range []string{"sign-in", "unknown"} {
		_, err := d.Identify(ctx, who, hash, review.RoleOwner)
		wantFault(t, hash, err, fault.NotFound, "")
	}
	addLink(t, d, review.Link{Hash: "h", Role: review.RoleViewer, Expires: soon})
	bob, err := d.Identify(ctx, who, "h", review.RoleOwner)
	if err != nil || bob.Name != "Bob" || bob.Role != review.RoleViewer {
		t.Fatalf("%+v, %v", bob, err)
	}
	_, err = d.RemovePerson(ctx, bob.ID)
	check(t, err)
	_, err = d.Identify(ctx, who, "h", "")
	wantFault(t, "the spent one", err, fault.NotFound, "")
	addLink(t, d, review.Link{Hash: "h2", Role: review.RoleReviewer, Expires: soon})
	if back, err := d.Identify(ctx, who, "h2", ""); err != nil || back.ID != bob.ID || back.Role != review.RoleReviewer {
		t.Errorf("invited again: %+v, %v", back, err)
	}
	if p, err := d.Person(ctx, bob.ID); err != nil || p.Name != "Bob" {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestConnect_OneIdentityIsOnePersons(t *testing.T) {
	d, ctx := testDB(t), context.Background()
	ada, bob := addPerson(t, d, "Ada", review.RoleOwner), addPerson(t, d, "Bob", review.RoleViewer)
	who := review.Identity{Issuer: "i", Subject: "1"}
	for range 2 {
		check(t, d.Connect(ctx, who, ada.ID))
	}
	wantFault(t, "another person", d.Connect(ctx, who, bob.ID), fault.Conflict, "")
	wantFault(t, "nobody", d.Connect(ctx, who, "nobody"), fault.NotFound, "")
	if got, err := d.Identify(ctx, who, "", ""); err != nil || got != ada {
		t.Errorf("%+v, %v", got, err)
	}
	for person, want := range map[string]bool{ada.ID: true, bob.ID: false} {
		if got, err := d.Connected(ctx, person, "i"); err != nil || got != want {
			t.Errorf("connected: %v, %v", got, err)
		}
	}
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
