package web

import (
	"strings"
	"testing"

	"countersign/internal/planning"
	"countersign/internal/review"
)

// notes opens a line of the changes by its label and comments on it.
func (b *browser) notes(id, label, body string) {
	b.t.Helper()
	b.open("/sessions/" + id + "/changes")
	link, ok := b.doc.Find(`a[aria-label="` + label + `"]`).First().Attr("href")
	if !ok {
		b.t.Fatalf("no line %q", label)
	}
	b.open("/sessions/"+id+"/changes"+strings.Split(link, "#")[0]).submit("tr.note form", "body", body)
}

// answers is what the agent says, having read all that is in the log.
func (r *rig) answers(id, text string, then ...planning.Payload) {
	r.t.Helper()
	r.agent(id, append([]planning.Payload{planning.ModelMessage{Text: text, Seen: r.state(id).Seq}}, then...)...)
}

func TestChanges_R11_ACommentStaysBesideItsLine(t *testing.T) {
	b, id := executed(t)
	b.notes(id, "Comment on line 3", "Call it *Delta*.")
	b.open("/sessions/"+id+"/changes").
		sees("tr.a + tr.noted .by", "Olivia").sees("tr.noted .said em", "Delta").sees("tr.noted .by time").
		sees("tr.noted .undelivered", "not delivered").sees("details.file summary .tag", "1 comment").
		lacks(".loose-notes")
	b.answers(id, "I look first.", planning.ToolStarted{Call: "c"})
	b.open("/sessions/"+id+"/changes").lacks(".undelivered").sees("tr.noted .act", "the agent has it")
	b.answers(id, "It is Delta now.", planning.RunFinished{})
	b.answers(id, "Something else.")
	b.open("/sessions/"+id+"/changes").sees("tr.noted .act", "has answered").sees("tr.noted .reply .said", "It is Delta now.")
	b.notes(id, "Comment on removed line 3", "Why?")
	b.open("/sessions/"+id+"/changes").sees("tr.r + tr.noted .said", "Why?").sees("tr.a + tr.noted .said", "Delta")
	b.open("/sessions/" + id + "/changes?by=step").sees(".change-step:nth-of-type(1) tr.noted .said")
	if n := b.doc.Find("tr.noted").Length(); n != 2 {
		t.Errorf("by step there are %d comments", n)
	}
}

// A later round may move the line, change it, or take the file away.
func TestChanges_R11_ACommentFollowsItsLine(t *testing.T) {
	b, id := executed(t)
	b.notes(id, "Comment on line 3", "Call it Delta.")
	const gamma = "func Gamma() int { return 2 }\n"
	for _, step := range []struct{ before, after, where string }{
		{"package a\n\n" + gamma, "package a\n\nvar x int\n\n" + gamma, "tr.noted"},
		{"package a\n\nvar x int\n\n" + gamma, "package a\n\nvar x int\n\nfunc Delta() {}\n", ".loose-notes"},
		{"package a\n\nvar x int\n\nfunc Delta() {}\n", "package a\n\nfunc Alpha() int { return 1 }\n", ".loose-notes"}, // as at first
		{"package a\n\nfunc Alpha() int { return 1 }\n", "", ".loose-notes"},
	} {
		b.agent(id, changed("a.go", step.before, step.after, "s2"))
		b.open("/sessions/"+id+"/changes").sees(step.where+" .said", "Call it Delta.")
		if n := b.doc.Find(".line-note").Length(); n != 1 {
			t.Errorf("after %q it stands there %d times", step.after, n)
		}
		if step.where == "tr.noted" {
			if got := b.doc.Find("tr.noted").Prev().Find(".ln").Text(); strings.TrimSpace(got) != "5" {
				t.Errorf("it is beside line %s", got)
			}
			continue
		}
		b.sees(".loose-notes pre.quote", "func Gamma() int { return 2 }").sees(".loose-notes .when", "on line 3")
	}
}

func TestChanges_R11_S1_CommentsOnLinesOutliveARestart(t *testing.T) {
	b, id := executed(t)
	b.notes(id, "Comment on line 3", "Call it Delta.")
	b.answers(id, "Done.", planning.RunFinished{})
	want := b.state(id).LineComments
	records, err := b.db.Records(t.Context(), id, 0, 1000)
	b.must(err)
	again, err := planning.Fold(planning.State{}, records...)
	b.must(err)
	if got := again.LineComments; len(got) != 1 || got[0] != want[0] || got[0].Answer == 0 || !got[0].Settled {
		t.Errorf("after a restart: %+v", got)
	}
	v := b.browse(b.rig.person("Vera", review.RoleViewer, "vera"))
	v.open("/sessions/"+id+"/changes").sees("tr.noted .said", "Call it Delta.").lacks("a[data-note]")
}

func TestChanges_R11_WhereALineIsNow(t *testing.T) {
	for _, c := range []struct {
		from, to  string
		line, now int
	}{
		{"a\nb\nc\n", "a\nb\nc\n", 2, 2},
		{"a\nb\nc\n", "x\na\nb\nc\n", 1, 2},
		{"a\nb\nc\n", "b\nc\n", 1, 0},
		{"a\nb\nc\n", "b\nc\n", 3, 2},
		{"a\nb\nc", "a\nb\nc\nd", 3, 0}, // it got an end
		{"a\nb\nc\n", "", 2, 0},
		{"a\n", "a\n", 9, 0},
	} {
		if got := sameLine(c.from, c.to, c.line); got != c.now {
			t.Errorf("line %d of %q in %q: %d, want %d", c.line, c.from, c.to, got, c.now)
		}
	}
}
