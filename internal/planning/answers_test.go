package planning

import (
	"fmt"
	"testing"
	"time"
)

// The threads of one session, told by what happens in them; after each line, who
// is answered by what.
func TestAnswers_R8_TheLastWord(t *testing.T) {
	ann, ben := Actor{Kind: ActorPerson, ID: "ann", Name: "Ann"}, Actor{Kind: ActorPerson, ID: "ben", Name: "Ben"}
	agent := Actor{Kind: ActorAgent, ID: "agent", Name: "Agent"}
	s := State{}
	apply := func(by Actor, p Payload) {
		t.Helper()
		r, err := NewRecord("s", s.Seq+1, time.Unix(s.Seq, 0), Event{Actor: by, Payload: p})
		if err == nil {
			s, err = s.Apply(r)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	submit := func(markdown string) {
		t.Helper()
		v, err := NewVersion(s, markdown, Scope{})
		if err != nil {
			t.Fatal(err)
		}
		apply(agent, v)
	}
	answered := func(want string) {
		t.Helper()
		got := ""
		for _, a := range s.Answers() {
			got += fmt.Sprintf("%s by %s%d in %s; ", a.Person, a.By, a.Version, a.Thread)
		}
		if got != want {
			t.Errorf("at %d: %q, want %q", s.Seq, got, want)
		}
	}
	apply(ann, SessionCreated{Title: "T", Mode: ModePlan, Approvals: 1})
	submit("# P\n\n## Step 1: Read the whole file\n\nText.\n\n## Step 2: Write\n\nText.\n")
	step := s.Plans[0].Steps()[0].ID
	apply(ann, ThreadOpened{Thread: "t1", Version: 1, Step: step, Body: "Why?"})
	answered("")
	apply(ben, ThreadReplied{Thread: "t1", Body: "Because."})
	answered("ann by Ben0 in t1; ")
	if a := s.Answers()[0]; a.Seq != s.Seq {
		t.Errorf("the answer is record %d, not %d", a.Seq, s.Seq)
	}
	apply(ann, ThreadReplied{Thread: "t1", Body: "I see."})
	answered("ben by Ann0 in t1; ")
	apply(ann, CommentDeleted{Thread: "t1", Comment: s.Seq})
	answered("ann by Ben0 in t1; ")
	apply(ben, ReviewDecided{Version: 1, Verdict: VerdictRequestChanges})
	submit("# P\n\n## Step 1: Read the whole file, twice\n\nText.\n\n## Step 2: Write\n\nText.\n")
	answered("ann by 2 in t1; ben by 2 in t1; ")
	apply(ben, ThreadOpened{Thread: "t2", Version: 2, Body: "And the rest?"})
	answered("ann by 2 in t1; ben by 2 in t1; ")
	apply(ann, ThreadReplied{Thread: "t2", Body: "Later."})
	answered("ann by 2 in t1; ben by Ann0 in t2; ")
}
