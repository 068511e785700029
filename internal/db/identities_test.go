package db

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"countersign/internal/fault"
	"countersign/internal/review"
)

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
