package web

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"countersign/internal/planning"
	"countersign/internal/review"

	"github.com/PuerkitoBio/goquery"
)

// waits asks as somebody what waits for them.
func (r *rig) waits(who header) waitingView {
	r.t.Helper()
	return read[waitingView](r.do("GET", "/waiting", nil, who).is(200))
}

// board is the dashboard as somebody sees it.
func (r *rig) board(who header) *goquery.Document {
	r.t.Helper()
	return r.do("GET", "/", nil, who).is(200).doc()
}

// texts are what the items say.
func (v waitingView) texts() string {
	var said []string
	for _, i := range v.Items {
		said = append(said, i.Text)
	}
	return strings.Join(said, "; ")
}

func TestWaiting_R8_PlansThatIHaveNotDecidedOn(t *testing.T) {
	r := newRig(t, func(c *Config) { c.Approvals = 2 })
	r.person("Ann", review.RoleApprover, "ann")
	r.person("Vera", review.RoleViewer, "vera")
	id := r.begin()
	if v := r.waits(as("ann")); v.Count != 0 || len(v.Items) != 0 {
		t.Fatalf("before there is a plan: %+v", v)
	}
	p := r.submit(id, samplePlan)
	v := r.waits(as("ann"))
	if v.Count != 1 || v.texts() != "Plan v1 waits for your decision" || v.Items[0].URL != "/sessions/"+id+"/plan" || !strings.Contains(v.Icon, "waiting") {
		t.Fatalf("for Ann: %+v", v)
	}
	if v := r.waits(as("vera")); v.Count != 0 || strings.Contains(v.Icon, "waiting") {
		t.Errorf("for a viewer: %+v", v)
	}
	if doc := r.board(as("vera")); doc.Find("#others .card").Length() != 1 || doc.Find(".nothing").Length() != 1 {
		t.Error("a viewer does not see that others are waited for")
	}
	r.api("POST", "/sessions/"+id+"/plans/1/decision", decisionBody{Verdict: planning.VerdictApprove, SHA256: p.SHA256}, as("ann")).is(200)
	if v := r.waits(as("ann")); v.Count != 0 {
		t.Errorf("Ann has approved: %+v", v)
	}
	if v := r.waits(r.bearer()); v.Count != 1 {
		t.Errorf("for the owner: %+v", v)
	}
	doc := r.board(as("ann"))
	if doc.Find("#waiting").Length() != 0 || doc.Find("#others .card").Length() != 1 || strings.HasPrefix(doc.Find("title").Text(), "(") {
		t.Error("the dashboard says something else")
	}
	if title := r.board(r.bearer()).Find("title").Text(); !strings.HasPrefix(title, "(1) ") {
		t.Errorf("the title is %q", title)
	}
}

func TestWaiting_R8_OnesOwnPlanIsForOthers(t *testing.T) {
	r := newRig(t, func(c *Config) { c.Rules.RefuseOwn = true })
	r.person("Ann", review.RoleApprover, "ann")
	r.submit(r.begin(), samplePlan)
	if a, b := r.waits(r.bearer()), r.waits(as("ann")); a.Count != 0 || b.Count != 1 {
		t.Errorf("for who started it %d, for an approver %d", a.Count, b.Count)
	}
}

func TestWaiting_R8_AnswersUntilThePlanIsOpened(t *testing.T) {
	r := newRig(t)
	r.person("Ann", review.RoleReviewer, "ann")
	r.person("Ben", review.RoleReviewer, "ben")
	id := r.begin()
	p := r.submit(id, samplePlan)
	threads := fmt.Sprintf("/sessions/%s/plans/1/threads", id)
	th := read[threadView](r.api("POST", threads, threadBody{Step: p.Steps()[0].ID, Body: "Why?"}, as("ann")).is(201))
	r.api("POST", "/threads/"+th.ID+"/replies", replyBody{Body: "Because."}, as("ben")).is(201)
	if v := r.waits(as("ben")); v.Count != 0 {
		t.Errorf("Ben answers himself: %+v", v)
	}
	if v := r.waits(as("ann")); v.texts() != "Ben replied to you" {
		t.Fatalf("for Ann: %+v", v)
	}
	list := read[sessionsView](r.api("GET", "/sessions", nil, as("ann")).is(200)).Sessions
	if len(list) != 1 || fmt.Sprint(list[0].WaitingForMe) != "[answer]" {
		t.Errorf("the API says %+v", list)
	}
	if list := read[sessionsView](r.api("GET", "/sessions", nil, as("ben")).is(200)).Sessions; list[0].WaitingForMe == nil || len(list[0].WaitingForMe) != 0 {
		t.Errorf("and to Ben %+v", list)
	}
	if got := r.board(as("ann")).Find("#waiting .card").Text(); !strings.Contains(got, "Ben replied to you") {
		t.Errorf("the card says %q", got)
	}

	r.do("GET", "/sessions/"+id+"/activity", nil, as("ann")).is(200)
	r.do("GET", "/sessions/"+id+"/plan?shown=1&from=0&away=yes", nil, as("ann")).is(200) // a page in the background
	if v := r.waits(as("ann")); v.Count != 1 {
		t.Errorf("was taken for read: %+v", v)
	}
	conn, _, err := r.dial("", as("ann"))
	r.must(err)
	defer conn.Close()
	readFrame(t, conn)
	doc := r.do("GET", "/sessions/"+id+"/plan", nil, as("ann")).is(200).doc()
	if title := doc.Find("title").Text(); strings.HasPrefix(title, "(") {
		t.Errorf("the plan page itself has the title %q", title)
	}
	if f := readFrame(t, conn); f.Type != frameWaiting {
		t.Errorf("another page of Ann's gets %+v", f)
	}
	if v := r.waits(as("ann")); v.Count != 0 {
		t.Errorf("after Ann has read it: %+v", v)
	}

	sum := p.SHA256
	r.api("POST", "/sessions/"+id+"/plans/1/decision", decisionBody{Verdict: planning.VerdictRequestChanges, SHA256: sum}).is(200)
	r.submit(id, strings.Replace(samplePlan, "Read a.go.", "Read a.go and b.go.", 1))
	if v := r.waits(as("ann")); v.texts() != "Plan v2 answers your comment" {
		t.Errorf("for Ann: %+v", v)
	}
	if v := r.waits(as("ben")); v.texts() != "Plan v2 answers your comment" {
		t.Errorf("for Ben: %+v", v)
	}
}

func TestWaiting_R8_PagesHearWhenSomethingBegins(t *testing.T) {
	r := newRig(t)
	id := r.begin()
	r.waits(r.bearer())
	other, program := r.watch("after=2&session="+id), r.watch("format=json&after=2&session="+id)
	readFrame(t, other)
	readFrame(t, program)
	second := r.begin()
	r.submit(second, samplePlan)
	if f := readFrame(t, other); f.Type != frameWaiting {
		t.Errorf("a page of another session gets %+v", f)
	}
	r.api("POST", "/sessions/"+id+"/messages", messageBody{Text: "Go on."}).is(200)
	if f := readFrame(t, program); f.Type != frameEvent {
		t.Errorf("a program gets %+v", f)
	}
}

func TestWaiting_R8_InTheReadersLanguage(t *testing.T) {
	r := newRig(t)
	r.submit(r.begin(), samplePlan)
	v := read[waitingView](r.do("GET", "/waiting", nil, r.bearer(), "Accept-Language: zh-CN").is(200))
	if got := v.texts(); got == "" || strings.Contains(got, "Plan") {
		t.Errorf("in Chinese: %q", got)
	}
}

// What the list says is what the summaries say, whatever was committed before
// and after it was first asked for.
func TestWaitlist_R8_KeepsUp(t *testing.T) {
	r := newRig(t)
	var ids []string
	for range 4 {
		ids = append(ids, r.begin())
	}
	r.submit(ids[0], samplePlan)
	r.waits(r.bearer())
	r.submit(ids[1], samplePlan)
	r.agent(ids[2], planning.RunFailed{Message: "x"})
	r.api("POST", "/sessions/"+ids[0]+"/plans/1/decision", decisionBody{Verdict: planning.VerdictAbandon, SHA256: r.plan(ids[0]).SHA256}).is(200)
	want := map[string]bool{ids[1]: true, ids[2]: true}
	list, err := r.web.server.waiting(context.Background(), r.owner)
	r.must(err)
	for _, w := range list {
		if !want[w.Summary.ID] {
			t.Errorf("%s waits because of %v", w.Summary.Status, w.Why)
		}
		delete(want, w.Summary.ID)
	}
	if len(want) > 0 {
		t.Errorf("%d are missing", len(want))
	}
	old := list[0].Summary
	old.Seq, old.Status = old.Seq-1, planning.StatusDone
	if r.hub.waits.put(old) {
		t.Error("an older summary was taken")
	}
}

func (r *rig) plan(session string) planning.Plan {
	r.t.Helper()
	st, err := r.db.State(context.Background(), session)
	r.must(err)
	p, _ := st.Plan()
	return p
}

// BenchmarkWaiting asks what waits for a person among 1,000 sessions, and, in the
// same run, does it in the plain way: reads all summaries each time.
func BenchmarkWaiting(b *testing.B) {
	r := newRig(b)
	for i := range 1000 {
		id := r.begin()
		if i%10 == 0 {
			r.submit(id, samplePlan)
		}
	}
	ctx := context.Background()
	if list, err := r.web.server.waiting(ctx, r.owner); err != nil || len(list) != 100 {
		b.Fatalf("%d wait, %v", len(list), err)
	}
	b.ResetTimer()
	start := time.Now()
	for range b.N {
		if _, err := r.web.server.waiting(ctx, r.owner); err != nil {
			b.Fatal(err)
		}
	}
	took := time.Since(start)
	start = time.Now()
	for range b.N {
		sessions, err := r.db.Sessions(ctx, "")
		if err != nil {
			b.Fatal(err)
		}
		n := 0
		for _, sum := range sessions {
			if len(r.config.Rules.Waits(sum, r.owner, 0)) > 0 {
				n++
			}
		}
		if n != 100 {
			b.Fatalf("%d wait", n)
		}
	}
	plain := time.Since(start)
	b.ReportMetric(float64(took.Nanoseconds())/float64(b.N), "ns/op")
	b.ReportMetric(plain.Seconds()/took.Seconds(), "x-plain")
}
