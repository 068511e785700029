package db

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"countersign/internal/fault"
	"countersign/internal/review"
)

func addPerson(t testing.TB, d *DB, name string, role review.Role) review.Person {
	t.Helper()
	p, err := d.AddPerson(context.Background(), name, role)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// wantFault checks the code and, if it is given, the field.
func wantFault(t *testing.T, what string, err error, code fault.Code, field string) {
	t.Helper()
	if f, ok := fault.As(err); !ok || f.Code != code || f.Field != field {
		t.Errorf("%s: %v, want %s on field %q", what, err, code, field)
	}
}

func TestPeople(t *testing.T) {
	d, ctx := testDB(t), context.Background()
	ada := addPerson(t, d, "  Ada Lovelace ", review.RoleOwner)
	if ada.Name != "Ada Lovelace" || ada.Role != review.RoleOwner || ada.CreatedAt.IsZero() {
		t.Errorf("made %+v", ada)
	}
	if id, err := uuid.Parse(ada.ID); err != nil || id.Version() != 7 {
		t.Errorf("id %q is no UUID of version 7: %v", ada.ID, err)
	}
	bob := addPerson(t, d, "Bob", review.RoleViewer)
	d = reopen(t, d)
	if got, err := d.Person(ctx, ada.ID); err != nil || got != ada {
		t.Errorf("Person: %+v, %v", got, err)
	}
	_, err := d.Person(ctx, "nobody")
	wantFault(t, "unknown person", err, fault.NotFound, "")
	people, err := d.People(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]review.Person{ada, bob}, people); diff != "" {
		t.Error(diff)
	}
}

func TestPeople_NamesAreUniqueWithoutRegardToCase(t *testing.T) {
	d, ctx := testDB(t), context.Background()
	for _, name := range []string{"Ada", "Ünal", "STRASSE", "Ωmega"} {
		addPerson(t, d, name, review.RoleViewer)
	}
	for _, name := range []string{"Ada", "ADA", " ada ", "Ａda", "ünal", "U\u0308nal", "straße", "ωMEGA"} {
		_, err := d.AddPerson(ctx, name, review.RoleViewer)
		wantFault(t, name, err, fault.Conflict, "name")
	}
	for _, name := range []string{"", "  ", strings.Repeat("x", 81), "a\nb", "a\x00b", "A\u202eda", "A\u200bda", "a\xff"} {
		_, err := d.AddPerson(ctx, name, review.RoleViewer)
		wantFault(t, fmt.Sprintf("%q", name), err, fault.Invalid, "name")
	}
	_, err := d.AddPerson(ctx, "Eve", "emperor")
	wantFault(t, "unknown role", err, fault.Invalid, "role")
	if people, err := d.People(ctx); err != nil || len(people) != 4 {
		t.Errorf("%d people, %v", len(people), err)
	}
}

var (
	soon = time.Now().Add(time.Hour).UTC().Truncate(time.Microsecond)
	past = time.Now().Add(-time.Second).UTC()
)

func addLink(t testing.TB, d *DB, l review.Link) {
	t.Helper()
	if err := d.AddLink(context.Background(), l); err != nil {
		t.Fatal(err)
	}
}

func TestLink_SignsInOnce(t *testing.T) {
	d, ctx := testDB(t), context.Background()
	ada := addPerson(t, d, "Ada", review.RoleOwner)
	link := review.Link{ID: "l1", Hash: "h1", Person: ada.ID, CreatedBy: ada.ID, CreatedAt: soon.Add(-time.Hour), Expires: soon}
	addLink(t, d, link)
	for range 2 { // looking does not spend it
		if got, err := d.Link(ctx, "h1"); err != nil || got != link {
			t.Fatalf("Link: %+v, %v", got, err)
		}
	}
	if got, err := d.UseLink(ctx, "h1", "ignored"); err != nil || got != ada {
		t.Errorf("UseLink: %+v, %v", got, err)
	}
	_, err := d.UseLink(ctx, "h1", "")
	wantFault(t, "used again", err, fault.NotFound, "")
	_, err = d.Link(ctx, "h1")
	wantFault(t, "looked at after use", err, fault.NotFound, "")
	_, err = d.UseLink(ctx, "unknown", "Eve")
	wantFault(t, "unknown", err, fault.NotFound, "")
}

func TestLink_InvitesUnderAFreeName(t *testing.T) {
	d, ctx := testDB(t), context.Background()
	addPerson(t, d, "Ada", review.RoleOwner)
	addLink(t, d, review.Link{Hash: "h", Role: review.RoleReviewer, Expires: soon})
	_, err := d.UseLink(ctx, "h", "ADA")
	wantFault(t, "taken name", err, fault.Conflict, "name")
	_, err = d.UseLink(ctx, "h", " ")
	wantFault(t, "blank name", err, fault.Invalid, "name")
	bob, err := d.UseLink(ctx, "h", "Bob")
	if err != nil || bob.Name != "Bob" || bob.Role != review.RoleReviewer {
		t.Fatalf("the link is spent by a name that didn't do: %+v, %v", bob, err)
	}
	_, err = d.UseLink(ctx, "h", "Carl")
	wantFault(t, "used again", err, fault.NotFound, "")
}

func TestLink_OneOfManyUsesWins(t *testing.T) {
	d, ctx := testDB(t), context.Background()
	addLink(t, d, review.Link{Hash: "h", Role: review.RoleReviewer, Expires: soon})
	var won atomic.Int64
	each(50, func(i int) {
		_, err := d.UseLink(ctx, "h", fmt.Sprint("Guest ", i))
		if err == nil {
			won.Add(1)
		} else if !fault.Is(err, fault.NotFound) {
			t.Error(err)
		}
	})
	people, err := d.People(ctx)
	if won.Load() != 1 || err != nil || len(people) != 1 {
		t.Errorf("%d won, %d people, %v", won.Load(), len(people), err)
	}
}

func TestLink_WhatCantBe(t *testing.T) {
	d, ctx := testDB(t), context.Background()
	wantFault(t, "for nobody", d.AddLink(ctx, review.Link{Hash: "a", Person: "nobody", Expires: soon}), fault.NotFound, "")
	wantFault(t, "into no role", d.AddLink(ctx, review.Link{Hash: "a", Expires: soon}), fault.Invalid, "")
	wantFault(t, "without a hash", d.AddLink(ctx, review.Link{Role: review.RoleViewer, Expires: soon}), fault.Invalid, "")
}

func TestExpired_IsRefusedAndThrownAwayAtOpen(t *testing.T) {
	d, ctx := testDB(t), context.Background()
	ada := addPerson(t, d, "Ada", review.RoleOwner)
	addLink(t, d, review.Link{Hash: "old", Person: ada.ID, Expires: past})
	addLink(t, d, review.Link{Hash: "never", Person: ada.ID})
	addLink(t, d, review.Link{Hash: "long ago", Person: ada.ID, Expires: past.Add(-keepLinks)})
	addLink(t, d, review.Link{Hash: "good", Person: ada.ID, Expires: soon})
	for hash, expires := range map[string]time.Time{"old": past, "good": soon} {
		if err := d.AddSignIn(ctx, hash, review.SignIn{Person: ada.ID, Expires: expires}); err != nil {
			t.Fatal(err)
		}
	}
	_, _, err := d.SignIn(ctx, "old")
	wantFault(t, "sign-in", err, fault.Unauthenticated, "")
	for _, hash := range []string{"old", "never", "long ago"} {
		_, err = d.Link(ctx, hash)
		wantFault(t, "link", err, fault.NotFound, "")
		_, err = d.UseLink(ctx, hash, "x")
		wantFault(t, "using it", err, fault.NotFound, "")
	}
	d = reopen(t, d)
	var links, signIns int
	mustScan(t, d, &links, "SELECT count(*) FROM links")
	mustScan(t, d, &signIns, "SELECT count(*) FROM sign_ins")
	if links != 2 || signIns != 1 { // a link is kept for a while, to say how it ended
		t.Errorf("%d links and %d sign-ins are kept", links, signIns)
	}
}
