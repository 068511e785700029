package db

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"countersign/internal/fault"
)

func TestReplies_ARequestThatIsSentTwiceActsOnce(t *testing.T) {
	d, ctx := testDB(t), context.Background()
	reserve := func(person, key, fingerprint string) (int, string, bool, error) {
		status, body, found, err := d.Reserve(ctx, person, key, fingerprint)
		return status, string(body), found, err
	}
	if _, _, found, err := reserve("ada", "k", "f"); found || err != nil {
		t.Fatalf("first: %v, %v", found, err)
	}
	_, _, found, err := reserve("ada", "k", "f")
	wantFault(t, "while the first runs", err, fault.Conflict, "")
	if found {
		t.Error("found an answer that is not there")
	}
	if err := d.Settle(ctx, "ada", "k", 201, []byte("made")); err != nil {
		t.Fatal(err)
	}
	d = reopen(t, d)
	if status, body, found, err := reserve("ada", "k", "f"); status != 201 || body != "made" || !found || err != nil {
		t.Errorf("again: %d %q %v %v", status, body, found, err)
	}
	_, _, _, err = reserve("ada", "k", "other")
	wantFault(t, "for another request", err, fault.Conflict, "")
	if _, _, found, err := reserve("bob", "k", "f"); found || err != nil {
		t.Errorf("the same key of another person: %v, %v", found, err)
	}
	wantFault(t, "settled twice", d.Settle(ctx, "ada", "k", 200, nil), fault.NotFound, "")
	wantFault(t, "freed after the answer", d.Settle(ctx, "ada", "k", 0, nil), fault.NotFound, "")
	wantFault(t, "never reserved", d.Settle(ctx, "ada", "z", 200, nil), fault.NotFound, "")
}

func TestReplies_Status0FreesTheKey(t *testing.T) {
	d, ctx := testDB(t), context.Background()
	for range 2 {
		if _, _, found, err := d.Reserve(ctx, "ada", "k", "f"); found || err != nil {
			t.Fatalf("%v, %v", found, err)
		}
		if err := d.Settle(ctx, "ada", "k", 0, nil); err != nil {
			t.Fatal(err)
		}
	}
}

func TestReplies_OneOfManyClaims(t *testing.T) {
	d := testDB(t)
	var claimed atomic.Int64
	each(50, func(int) {
		switch _, _, found, err := d.Reserve(context.Background(), "ada", "k", "f"); {
		case err == nil && !found:
			claimed.Add(1)
		case !fault.Is(err, fault.Conflict):
			t.Errorf("%v, %v", found, err)
		}
	})
	if claimed.Load() != 1 {
		t.Errorf("%d claims", claimed.Load())
	}
}

func TestReplies_AKeyOfAServerThatWentDownStaysClaimedForAWhile(t *testing.T) {
	d, ctx := testDB(t), context.Background()
	if _, _, _, err := d.Reserve(ctx, "ada", "k", "f"); err != nil {
		t.Fatal(err)
	}
	d = reopen(t, d)
	_, _, _, err := d.Reserve(ctx, "ada", "k", "f")
	wantFault(t, "after a restart", err, fault.Conflict, "")
	mustExec(t, d, "UPDATE replies SET created_at = ?", time.Now().Add(-keepReplies).UnixMicro())
	d = reopen(t, d)
	if _, _, found, err := d.Reserve(ctx, "ada", "k", "f"); found || err != nil {
		t.Errorf("after a week: %v, %v", found, err)
	}
}
