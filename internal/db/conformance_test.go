package db

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"countersign/internal/fault"
	"countersign/internal/planning"
)

func TestLog(t *testing.T) {
	testLog(t, func() planning.Log { return testDB(t) })
}

// testLog is what every planning.Log has to do. open makes an empty one.
func testLog(t *testing.T, open func() planning.Log) {
	for name, test := range map[string]func(*testing.T, planning.Log){
		"S1_StateIsTheFoldOfTheRecords":      stateIsTheFold,
		"S1_RecordsComeBackAsTheyWere":       recordsComeBack,
		"S2_AppendNamesWhatItWasDecidedOn":   appendNamesSeq,
		"S2_ContradictingActionsExcludeEach": oneOfManyWins,
		"S5_RecordsAfterASeqMissNothing":     recordsAfter,
		"S6_UnknownKindIsKeptAndSkipped":     unknownKindIsKept,
		"BeginsWithSessionCreated":           beginsWithCreated,
		"AllOrNothing":                       allOrNothing,
		"UnknownSession":                     unknownSession,
		"ManyAppendersAllGetIn":              manyAppenders,
		"GivingUpNeverLeavesHalf":            givingUp,
	} {
		t.Run(name, func(t *testing.T) { test(t, open()) })
	}
}

// sameState compares states; a list that is empty and one that is not there
// mean the same.
func sameState(t *testing.T, what string, got, want planning.State) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("%s (-want +got):\n%s", what, diff)
	}
}

func stateIsTheFold(t *testing.T, log planning.Log) {
	var s planning.State
	for i, e := range story("one", 60) {
		var err error
		if s, err = log.Append(context.Background(), "one", int64(i), e); err != nil {
			t.Fatal(err)
		}
	}
	folded, err := planning.Fold(planning.State{}, allRecords(t, log, "one")...)
	if err != nil {
		t.Fatal(err)
	}
	sameState(t, "returned by the last append", s, folded)
	sameState(t, "loaded", mustState(t, log, "one"), folded)
}

func recordsComeBack(t *testing.T, log planning.Log) {
	start := time.Now().Add(-time.Second)
	mustAppend(t, log, "one", 0, created, said("<b>“ü”\x00</b>\n"))
	records := allRecords(t, log, "one")
	if len(records) != 2 {
		t.Fatalf("%d records", len(records))
	}
	r := records[1]
	if r.Session != "one" || r.Seq != 2 || r.Kind != planning.KindUserMessage || r.Version != planning.FormatVersion || r.Actor != ada {
		t.Errorf("got %+v", r)
	}
	if r.At.Before(start) || r.At.After(time.Now()) || r.At.Location() != time.UTC {
		t.Errorf("at %v", r.At)
	}
	payload, err := r.Payload()
	if err != nil || payload != (planning.UserMessage{Text: "<b>“ü”\x00</b>\n"}) {
		t.Errorf("payload %#v, %v", payload, err)
	}
}

func appendNamesSeq(t *testing.T, log planning.Log) {
	begin(t, log, "one")
	mustAppend(t, log, "one", 1, said("first"))
	for _, after := range []int64{1, 3, 17} {
		if _, err := log.Append(context.Background(), "one", after, said("late")); !fault.Is(err, fault.Conflict) {
			t.Errorf("after %d of 2: %v", after, err)
		}
	}
	if _, err := log.Append(context.Background(), "one", 0, created); !fault.Is(err, fault.Conflict) {
		t.Errorf("a second session under the same id: %v", err)
	}
	if n := len(allRecords(t, log, "one")); n != 2 {
		t.Errorf("%d records after refused appends", n)
	}
}

func oneOfManyWins(t *testing.T, log planning.Log) {
	after := begin(t, log, "one").Seq
	for round := range 20 {
		var won, lost int
		var mu sync.Mutex
		each(8, func(i int) {
			_, err := log.Append(context.Background(), "one", after, said(fmt.Sprint(round, i)))
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				won++
			case fault.Is(err, fault.Conflict):
				lost++
			default:
				t.Error(err)
			}
		})
		if won != 1 || lost != 7 {
			t.Fatalf("round %d: %d won, %d lost", round, won, lost)
		}
		after++
	}
}

func recordsAfter(t *testing.T, log planning.Log) {
	mustAppend(t, log, "one", 0, story("one", 2300)...)
	ctx := context.Background()
	for _, c := range []struct{ after, limit, want int }{
		{0, 1, 1}, {0, 10, 10}, {5, 10, 10}, {2295, 10, 5}, {2300, 10, 0}, {9999, 10, 0},
		{0, 0, 1000}, {0, -1, 1000}, {0, 5000, 1000}, {2000, 0, 300},
	} {
		records, err := log.Records(ctx, "one", int64(c.after), c.limit)
		if err != nil || len(records) != c.want {
			t.Errorf("after %d, limit %d: %d records, %v; want %d", c.after, c.limit, len(records), err, c.want)
		}
		for i, r := range records {
			if r.Seq != int64(c.after+i+1) {
				t.Fatalf("after %d: record %d has seq %d", c.after, i, r.Seq)
			}
		}
	}
	// A watcher comes back with any seq it has seen: nothing missed, nothing twice.
	if n := len(allRecords(t, log, "one")); n != 2300 {
		t.Errorf("paging gives %d records", n)
	}
}

// later is an event of a kind that this code does not know.
type later struct {
	Wish string `json:"wish"`
}

func (later) Kind() planning.Kind { return "wish.granted" }

func unknownKindIsKept(t *testing.T, log planning.Log) {
	before := begin(t, log, "one")
	s := mustAppend(t, log, "one", 1, by(ada, later{"peace"}))
	before.Seq, before.UpdatedAt = s.Seq, s.UpdatedAt
	sameState(t, "an unknown kind moves nothing but the seq", s, before)
	records := allRecords(t, log, "one")
	if r := records[1]; r.Kind != "wish.granted" || string(r.Data) != `{"wish":"peace"}` {
		t.Errorf("kept as %+v", r)
	}
	mustAppend(t, log, "one", 2, said("and on"))
}

func beginsWithCreated(t *testing.T, log planning.Log) {
	ctx := context.Background()
	for name, events := range map[string][]planning.Event{
		"another event first": {said("hello")}, "no event": {}, "twice": {created, created}, "no payload": {{Actor: ada}},
	} {
		if _, err := log.Append(ctx, "one", 0, events...); !fault.Is(err, fault.Internal) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := log.State(ctx, "one"); !fault.Is(err, fault.NotFound) {
		t.Errorf("state afterwards: %v", err)
	}
	begin(t, log, "one")
	if _, err := log.Append(ctx, "one", 1, created); !fault.Is(err, fault.Internal) {
		t.Errorf("created in the middle: %v", err)
	}
	if _, err := log.Append(ctx, "one", -1, created); !fault.Is(err, fault.Internal) {
		t.Errorf("after -1: %v", err)
	}
}

// broken has a payload that its kind can't be read from.
type broken struct {
	Items string `json:"items"`
}

func (broken) Kind() planning.Kind { return planning.KindTodoWritten }

func allOrNothing(t *testing.T, log planning.Log) {
	before := begin(t, log, "one")
	_, err := log.Append(context.Background(), "one", 1, said("good"), by(agent, broken{"not a list"}), said("good"))
	f, ok := fault.As(err)
	if !ok || f.Code != fault.Internal || f.Err == nil {
		t.Errorf("an event that does not fold: %v", err)
	}
	sameState(t, "after the failed append", mustState(t, log, "one"), before)
	if n := len(allRecords(t, log, "one")); n != 1 {
		t.Errorf("%d records after the failed append", n)
	}
}

func unknownSession(t *testing.T, log planning.Log) {
	ctx := context.Background()
	if _, err := log.State(ctx, "none"); !fault.Is(err, fault.NotFound) {
		t.Errorf("State: %v", err)
	}
	if _, err := log.Records(ctx, "none", 0, 10); !fault.Is(err, fault.NotFound) {
		t.Errorf("Records: %v", err)
	}
	if _, err := log.Append(ctx, "none", 4, said("hello")); !fault.Is(err, fault.NotFound) {
		t.Errorf("Append: %v", err)
	}
}
