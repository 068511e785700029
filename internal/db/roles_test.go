package db

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"

	"countersign/internal/fault"
	"countersign/internal/review"
)

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
