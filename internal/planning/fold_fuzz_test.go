package planning

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// FuzzFold puts a log together from lines "kind payload": whatever is in it, the
// fold does not panic, does not pass over a payload that can't be read, and does
// not depend on where it was interrupted (S6).
func FuzzFold(f *testing.F) {
	var session []string
	for _, r := range longSession(f) {
		session = append(session, string(r.Kind)+" "+string(r.Data))
	}
	f.Add(strings.Join(session, "\n"))
	slices.Reverse(session)
	f.Add(strings.Join(session, "\n"))
	for _, line := range session {
		f.Add(line + "\n" + line)
	}
	for _, s := range []string{"", "nobody.knows {}", "user.message {", "plan.submitted null", "thread.replied {\"thread\":\"none\"}\nreview.decided {\"version\":-1}", "step.moved {\"version\":9}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, log string) {
		var records []Record
		var broken bool
		for line := range strings.Lines(log) {
			kind, data, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
			r := Record{Session: "s", Seq: int64(len(records)) + 1, Kind: Kind(kind), Version: 1, At: time.Unix(int64(len(records)), 0), Data: json.RawMessage(data)}
			if _, err := r.Payload(); err != nil {
				broken = true
			}
			records = append(records, r)
		}
		whole, err := Fold(State{}, records...)
		if err == nil && broken {
			t.Fatal("a payload that can't be read was folded")
		}
		if err != nil {
			return
		}
		half, err := Fold(State{}, records[:len(records)/2]...)
		if err != nil {
			t.Fatal(err)
		}
		if half, err = Fold(half, records[len(records)/2:]...); err != nil || !cmp.Equal(half, whole) {
			t.Fatalf("in two parts: %v\n%s", err, cmp.Diff(half, whole))
		}
		ask(whole)
	})
}

// ask asks a state everything that pages and agents ask it.
func ask(s State) {
	s.Plan()
	s.Scope()
	s.TodoNow()
	s.TodoCounts()
	s.Runnable()
	s.CallsToRun()
	s.ModelDue()
	s.Waits()
	s.InReview()
	s.OpenPermissions()
	s.OpenInquiries()
	s.NextRound()
	s.Reminder(2)
	s.Grants()
}
