package web

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// smallDisk mounts a file system of 4 MB, where the test may. On a build server,
// where nobody reads what was skipped, it has to.
func smallDisk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=4m"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("can't mount here: %v", err)
		}
		t.Skipf("can't mount here: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// A full disk refuses what people do, with a sentence on the page and in the
// API, and nothing else; with room again everything goes on.
func TestDisk_S3_AFullOneRefusesAndThePagesGoOn(t *testing.T) {
	dir := smallDisk(t)
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
