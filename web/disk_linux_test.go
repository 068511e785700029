package web

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"countersign/internal/trial"
)

// A full disk refuses what people do, with a sentence on the page and in the
// API, and nothing else; with room again everything goes on.
func TestDisk_S3_AFullOneRefusesAndThePagesGoOn(t *testing.T) {
	dir := trial.SmallDisk(t, 0)
	r := newRigAt(t, dir)
	id := r.begin()
	r.submit(id, samplePlan)
	owner := header("Cookie: " + r.cookie(r.owner))
	filler := filepath.Join(dir, "filler")
	if err := os.WriteFile(filler, make([]byte, 8<<20), 0o600); err == nil {
		t.Fatal("the disk is larger than it should be")
	}
	seq := r.state(id).Seq
	comment := func(body string) answer {
		return r.form("/sessions/"+id+"/threads", url.Values{"version": {"1"}, "body": {body}}, owner)
	}
	const sentence = "the server's disk is full"
	var refused answer
	for refused = comment(strings.Repeat("x", 15_000)); refused.StatusCode == http.StatusSeeOther; seq++ {
		refused = comment(strings.Repeat("x", 15_000)) // what the WAL has room for still goes in
	}
	if text := strings.ReplaceAll(refused.is(http.StatusServiceUnavailable).body, "&#39;", "'"); !strings.Contains(text, sentence) {
		t.Errorf("the page does not say %q", sentence)
	}
	if message := r.api("POST", "/sessions/"+id+"/messages", messageBody{Text: strings.Repeat("x", 15_000)}).fails(http.StatusServiceUnavailable, "unavailable", ""); !strings.Contains(message, sentence) {
		t.Errorf("the API says %q", message)
	}
	for _, page := range []string{"/", "/sessions/" + id + "/plan", "/sessions/" + id + "/activity", "/sessions/" + id + "/history"} {
		r.do("GET", page, nil, owner).is(http.StatusOK)
	}
	if got := r.state(id).Seq; got != seq {
		t.Errorf("the log stands at %d, want %d", got, seq)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	comment("room again").is(http.StatusSeeOther)
	if got := r.state(id).Seq; got != seq+1 {
		t.Errorf("the log stands at %d, want %d", got, seq+1)
	}
}
