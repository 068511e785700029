package planning

import (
	"slices"
	"strings"
)

// Answer is the newest thing in a session's threads that answers a person: the
// last word of a thread that they took part in is somebody else's, or a version
// came that changed what the thread is on. Whether they have read it is not the
// log's business.
type Answer struct {
	Person  string `json:"person"` // id of the one who is answered
	Seq     int64  `json:"seq"`    // of the record that answers
	Thread  string `json:"thread"`
	By      string `json:"by,omitempty"`      // name of who replied; empty if a version answers
	Version int    `json:"version,omitempty"` // that answers; 0 for a reply
}

// Answers returns one for each person who has been answered, by person.
func (s State) Answers() []Answer {
	newest := map[string]Answer{}
	for _, t := range s.Threads {
		last, version := s.lastWord(t)
		for person, mine := range t.lastOf() {
			a := version
			if last.Seq > a.Seq && last.By.ID != person {
				a = Answer{Seq: last.Seq, By: last.By.Name}
			}
			if a.Seq > mine && a.Seq > newest[person].Seq {
				a.Person, a.Thread = person, t.ID
				newest[person] = a
			}
		}
	}
	list := make([]Answer, 0, len(newest))
	for _, a := range newest {
		list = append(list, a)
	}
	slices.SortFunc(list, func(a, b Answer) int { return strings.Compare(a.Person, b.Person) })
	return list
}

// lastWord is the last comment of a thread that stands, and the version that
// answered it as an answer to nobody in particular; either may be zero.
func (s State) lastWord(t Thread) (last Comment, version Answer) {
	for _, c := range t.Comments {
		if !c.Deleted() {
			last = c
		}
	}
	if p, ok := s.PlanVersion(max(t.Answered, t.Revised)); ok {
		version = Answer{Seq: p.Seq, Version: p.Version}
	}
	return last, version
}

// lastOf is the seq of everybody's last comment in a thread, by person.
func (t Thread) lastOf() map[string]int64 {
	last := map[string]int64{}
	for _, c := range t.Comments {
		if !c.Deleted() {
			last[c.By.ID] = c.Seq
		}
	}
	return last
}
