package db

import (
	"context"
	"strings"
	"testing"
	"time"

	"countersign/internal/fault"
	"countersign/internal/review"
)

func TestDeeds_AreOnlyAdded(t *testing.T) {
	d := testDB(t)
	ada := addPerson(t, d, "Ada", review.RoleOwner)
	for _, sql := range []string{"UPDATE deeds SET actor = 'x'", "DELETE FROM deeds"} {
		if err := d.writer.Exec(sql).Error; err == nil || !strings.Contains(err.Error(), "only added") {
			t.Errorf("%s: %v", sql, err)
		}
	}
	if list, err := d.Deeds(context.Background(), 0, 10); err != nil || len(list) != 1 || list[0].Person != ada.ID || list[0].ByName != "" {
		t.Errorf("%+v, %v", list, err)
	}
}

func TestDeeds_InvitationsAndWhoAsks(t *testing.T) {
	d := testDB(t)
	ada := addPerson(t, d, "Ada", review.RoleOwner)
	ctx := review.By(context.Background(), ada)
	link := review.Link{Hash: "h", Role: review.RoleReviewer, CreatedBy: ada.ID, Expires: time.Now().Add(time.Hour)}
	if err := d.AddLink(ctx, link); err != nil {
		t.Fatal(err)
	}
	bo, err := d.UseLink(context.Background(), "h", "Bo")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.UseLink(context.Background(), "h", "Cy"); err == nil {
		t.Error("used twice")
	}
	list, err := d.Deeds(ctx, 0, 2)
	if err != nil || len(list) != 2 {
		t.Fatal(list, err)
	}
	if j := list[0]; j.Kind != review.DeedJoined || j.Person != bo.ID || j.ByName != "Bo" || j.More != "Ada" || j.Detail != "reviewer" {
		t.Errorf("%+v", j)
	}
	if i := list[1]; i.Kind != review.DeedInvited || i.By != ada.ID || i.Person != "" {
		t.Errorf("%+v", i)
	}
	if older, err := d.Deeds(ctx, list[1].ID, 10); err != nil || len(older) != 1 || older[0].Kind != review.DeedAdded {
		t.Errorf("%+v, %v", older, err)
	}
	_, err = d.Readmit(ctx, bo.ID, review.RoleViewer)
	wantFault(t, "who is here", err, fault.NotFound, "")
	_, err = d.Readmit(ctx, bo.ID, "king")
	wantFault(t, "no role", err, fault.Invalid, "role")
}
