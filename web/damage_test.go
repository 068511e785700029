package web

import (
	"database/sql"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"countersign/internal/planning"

	_ "modernc.org/sqlite" // registers itself as "sqlite"
)

// harm changes the database behind the server's back.
func (r *rig) harm(statement string, args ...any) {
	r.t.Helper()
	file, err := sql.Open("sqlite", r.path)
	r.must(err)
	defer file.Close()
	_, err = file.Exec(statement, args...)
	r.must(err)
}

// banner is what a page says of damage.
func banner(a answer) string {
	a.t.Helper()
	return a.doc().Find("#damage").Text()
}

// A session whose record is not as it was written says so on each of its pages
// and in the API, takes nothing more, and is the only one.
func TestDamage_S1_OneSessionIsReadOnlyAndTheOthersGoOn(t *testing.T) {
	r := newRig(t)
	bad, well := r.begin(), r.begin()
	r.submit(bad, samplePlan)
	r.submit(well, samplePlan)
	owner := header("Cookie: " + r.cookie(r.owner))
	seq := r.state(bad).Seq
	r.harm("UPDATE events SET actor_name = 'Eve' WHERE session = ? AND seq = ?", bad, seq)
	r.do("GET", "/sessions/"+bad+"/activity", nil, owner).is(http.StatusOK) // reads the record

	const sentence = "was changed after it was written"
	for _, page := range []string{"plan", "activity", "changes", "history", "questions"} {
		if a := r.do("GET", "/sessions/"+bad+"/"+page, nil, owner).is(http.StatusOK); !strings.Contains(banner(a), sentence) {
			t.Errorf("%s does not say it", page)
		}
		if a := r.do("GET", "/sessions/"+well+"/"+page, nil, owner).is(http.StatusOK); banner(a) != "" {
			t.Errorf("%s of the other session says it", page)
		}
	}
	if v := read[sessionView](r.api("GET", "/sessions/"+bad, nil).is(http.StatusOK)); v.Damage == nil || *v.Damage != (planning.Damage{Seq: seq, Flaw: planning.FlawChanged}) {
		t.Errorf("the API says %v", v.Damage)
	}
	comment := func(session string) answer {
		return r.form("/sessions/"+session+"/threads", url.Values{"version": {"1"}, "body": {"Why?"}}, owner)
	}
	if a := comment(bad).is(http.StatusForbidden); !strings.Contains(a.body, sentence) {
		t.Error("the refusal does not say why")
	}
	if a := r.api("POST", "/sessions/"+bad+"/messages", map[string]string{"text": "Hello"}).is(http.StatusForbidden); !strings.Contains(a.body, sentence) {
		t.Error("the API's refusal does not say why")
	}
	comment(well).is(http.StatusSeeOther)
}
