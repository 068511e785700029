package web

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"countersign/internal/planning"
	"countersign/internal/review"
	"countersign/web/templates"
)

func changed(path, before, after, todo string) planning.FileChanged {
	return planning.FileChanged{Path: path, Before: before, After: after, Existed: before != "", Exists: after != "", InPlan: true, Todo: todo}
}

// executed is a browser on a session that has changed two files in two steps.
func executed(t *testing.T) (*browser, string) {
	t.Helper()
	r := newRig(t)
	id := r.begin()
	outside := changed("new.go", "", "package x\n", "")
	outside.InPlan = false
	r.agent(id,
		planning.TodoWritten{Items: []planning.Todo{
			{ID: "s1", Text: "Rename it", Status: planning.TodoCompleted}, {ID: "s2", Text: "Test it", Status: planning.TodoInProgress},
			{ID: "s3", Text: "Tell it", Status: planning.TodoPending},
		}},
		changed("a.go", "package a\n\nfunc Alpha() int { return 1 }\n", "package a\n\nfunc Beta() int { return 1 }\n", "s1"),
		changed("a.go", "package a\n\nfunc Beta() int { return 1 }\n", "package a\n\nfunc Beta() int { return 2 }\n", "s2"),
		changed("a.go", "package a\n\nfunc Beta() int { return 2 }\n", "package a\n\nfunc Gamma() int { return 2 }\n", "s1"),
		outside, planning.RunFinished{})
	return r.browse(r.owner), id
}

func TestChanges_R11_ByFileInWordsAndColours(t *testing.T) {
	b, id := executed(t)
	b.open("/sessions/"+id+"/changes").sees("h1", "2 files changed").sees(".chip.warn", "1 file outside the plan")
	if was, now := b.text("tr.r del.was"), b.text("tr.a ins.now"); was != "Alpha1" || now != "Gamma2" {
		t.Errorf("%q became %q", was, now)
	}
	b.sees(".diff tr.a .kd, .diff tr.a .k", "func").sees("details.file:last-of-type .chip.warn", "not in the plan")
	if got := b.doc.Find("tr.a .tx").First().Text(); got != "func Gamma() int { return 2 }" {
		t.Errorf("the line is %q", got)
	}
}

func TestChanges_R11_ByStep(t *testing.T) {
	b, id := executed(t)
	b.open("/sessions/" + id + "/changes?by=step")
	want := []string{"Rename it done: a.go Alpha→Beta, a.go Beta→Gamma", "Test it in progress: a.go 1→2", "Tell it not begun:", "While no step was in progress: new.go →"}
	for i, w := range want {
		s := b.doc.Find(".change-step").Eq(i)
		var files []string
		for n := range s.Find("details.file").Length() {
			f := s.Find("details.file").Eq(n)
			files = append(files, f.Find("summary code").Text()+" "+f.Find("del.was").Text()+"→"+f.Find("ins.now").Text())
		}
		got := strings.TrimSpace(strings.Join(strings.Fields(s.Find("h2").Text()), " ") + ": " + strings.Join(files, ", "))
		if got != w {
			t.Errorf("step %d is %q, want %q", i, got, w)
		}
	}
}

// A comment on a line reaches the agent with the line, and wakes it.
func TestChanges_R11_CommentOnALineWithoutScripts(t *testing.T) {
	b, id := executed(t)
	b.open("/sessions/" + id + "/changes")
	link, _ := b.doc.Find(`tr.a a[aria-label="Comment on line 3"]`).Attr("href")
	b.open("/sessions/" + id + "/changes" + strings.Split(link, "#")[0]).sees("tr.a + tr.note form")
	b.submit("tr.note form", "body", " ")
	if b.status != http.StatusUnprocessableEntity {
		t.Fatalf("status %d", b.status)
	}
	b.sees("tr.note .problem", "empty").submit("tr.note form", "body", "Call it Delta.").sees("#note-sent")
	st := b.state(id)
	records, err := b.db.Records(t.Context(), id, st.Seq-1, 1)
	b.must(err)
	payload, err := records[0].Payload()
	b.must(err)
	if m, ok := payload.(planning.UserMessage); !ok || m.Text != "On line 3 of `a.go`:\n```\nfunc Gamma() int { return 2 }\n```\n\nCall it Delta." {
		t.Errorf("the agent gets %+v", payload)
	}
	if !st.Runnable() {
		t.Error("the agent sleeps on")
	}
}

// The line is the one that was looked at, whatever has become of the file.
func TestChanges_R11_TheFileChangedWhileOneWrote(t *testing.T) {
	b, id := executed(t)
	b.open("/sessions/" + id + "/changes")
	link, _ := b.doc.Find(`tr.r a`).Attr("href")
	b.open("/sessions/" + id + "/changes" + strings.Split(link, "#")[0])
	b.agent(id, changed("a.go", "package a\n\nfunc Gamma() int { return 2 }\n", "package a\n", "s2"))
	last := b.state(id).Changes[0].Last
	b.submit("tr.note form", "body", "Why?")
	st := b.state(id)
	records, err := b.db.Records(t.Context(), id, st.Seq-1, 1)
	b.must(err)
	if !strings.Contains(string(records[0].Data), "func Alpha() int { return 1 }") {
		t.Errorf("the agent gets %s", records[0].Data)
	}
	// Where the line is not on the page any more, what was typed still is.
	a := b.form("/sessions/"+id+"/changes/comments", values("record", fmt.Sprint(st.Changes[0].First), "side", "new", "line", "3", "body", strings.Repeat("long ", review.MaxComment/5+2)), b.cookie)
	b.take("/sessions/"+id+"/changes/comments", a)
	b.sees(".panel.note textarea", "long long").sees(".panel.note .problem", "too long")
	for _, wrong := range [][]string{{"record", "2", "line", "1"}, {"record", "999", "line", "1"}, {"record", fmt.Sprint(last), "line", "7"}, {"record", "x", "line", "0"}} {
		b.form("/sessions/"+id+"/changes/comments", values(append(wrong, "body", "x")...), b.cookie).is(http.StatusNotFound)
	}
	v := b.browse(b.rig.person("Vera", review.RoleViewer, "vera"))
	v.open("/sessions/" + id + "/changes").lacks("a[data-note]")
	v.form("/sessions/"+id+"/changes/comments", values("record", fmt.Sprint(last), "line", "1", "body", "x"), v.cookie).is(http.StatusForbidden)
}

// manyChanges is a session with so many changed files of 120 lines.
func manyChanges(r *rig, files int) string {
	r.t.Helper()
	id := r.begin()
	text := strings.Repeat("\tif err := run(ctx, \"name\", 42); err != nil {\n\t\treturn err\n\t}\n", 40)
	payloads := make([]planning.Payload, files)
	for i := range payloads {
		payloads[i] = changed(fmt.Sprintf("pkg/file%03d.go", i), text, strings.ReplaceAll(text, "42", fmt.Sprint(43+i)), "")
	}
	r.agent(id, payloads...)
	return id
}

func TestChanges_R11_ManyFilesComeFolded(t *testing.T) {
	r := newRig(t)
	id := manyChanges(r, 200)
	b := r.browse(r.owner).open("/sessions/" + id + "/changes")
	all, full := b.doc.Find("details.file").Length(), b.doc.Find("details.file[open]").Length()
	if all != 200 || full < 5 || full > inFull.files {
		t.Errorf("%d files, %d of them in full", all, full)
	}
	folded := b.doc.Find("details.file[data-load]").Last()
	name, _ := folded.Attr("id")
	link, _ := folded.Find("p a").Attr("href")
	b.open("/sessions/"+id+"/changes"+strings.Split(link, "#")[0]).sees("#"+name+"[open] tr.a ins.now", "242")
	load, _ := folded.Attr("data-load")
	b.open("/sessions/" + id + "/changes" + load).sees("#" + name + "[open] tr.a")
	if n := b.doc.Find("details.file[open]").Length(); n != 1 {
		t.Errorf("%d files come for one", n)
	}
}

// BenchmarkChanges_200Files makes the page of a session that changed 200 files;
// "all" is what it would be with every file in full.
func BenchmarkChanges_200Files(b *testing.B) {
	r := newRig(b)
	id := manyChanges(r, 200)
	for _, c := range []struct {
		name string
		most most
	}{{"page", inFull}, {"all", most{files: 200, lines: 1 << 20}}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				p := templates.ChangesPage{Page: templates.Page{Person: r.owner}, State: r.state(id)}
				var err error
				p.Groups, err = r.web.server.changeGroups(b.Context(), p, 0, c.most)
				r.must(err)
				var out bytes.Buffer
				r.must(templates.Changes(p).Render(b.Context(), &out))
				b.ReportMetric(float64(out.Len()), "bytes")
			}
		})
	}
}
