package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"countersign/internal/planning"
	"countersign/web/lang"

	"github.com/gorilla/websocket"
)

// TestLanguage_TheBrowsersOrTheChosen: pages come in the language that the
// browser asks for, until somebody chooses one; the choice is kept.
func TestLanguage_TheBrowsersOrTheChosen(t *testing.T) {
	r := newRig(t)
	cookie := r.cookie(r.owner)
	for _, c := range []struct{ chosen, asked, want string }{
		{"", "", "en"}, {"", "zh-CN,zh;q=0.9,en;q=0.8", "zh-Hans"}, {"", "fr", "en"},
		{"en", "zh-CN", "en"}, {"zh-Hans", "en", "zh-Hans"}, {"klingon", "zh-CN", "zh-Hans"},
	} {
		with := header("Cookie: " + cookie + "; " + languageCookie + "=" + c.chosen)
		a := r.do(http.MethodGet, "/", nil, with, header("Accept-Language: "+c.asked)).is(http.StatusOK)
		a.says(`<html lang="` + c.want + `">`)
		if !strings.Contains(strings.Join(a.Header.Values("Vary"), ","), "Accept-Language") {
			t.Error("caches are not told that it depends on the language")
		}
	}
}

func TestLanguage_ChosenWithoutAScriptOrASignIn(t *testing.T) {
	r := newRig(t)
	r.do(http.MethodGet, signInRoute, nil).is(http.StatusOK).says(`action="` + languageRoute + `"`)
	for from, want := range map[string]string{
		r.srv.URL + "/sign-in?next=%2Fnew":        "/sign-in?next=%2Fnew",
		r.srv.URL + "/sessions":                   "/", // takes forms only
		r.srv.URL + "/no/such/page":               "/",
		"http://elsewhere.example/sign-in":        "/",
		r.srv.URL + "//elsewhere.example/sign-in": "/",
		"": "/",
	} {
		a := r.form(languageRoute, url.Values{"language": {"zh-Hans"}}, header("Referer: "+from)).is(http.StatusSeeOther)
		if got := a.Header.Get("Location"); got != want {
			t.Errorf("from %q to %q, want %q", from, got, want)
		}
		if c := a.Cookies(); len(c) != 1 || c[0].Name != languageCookie || c[0].Value != lang.Chinese.Code || c[0].MaxAge < 30*24*3600 {
			t.Errorf("cookies %v", c)
		}
	}
	a := r.form(languageRoute, url.Values{"language": {"x"}}).is(http.StatusUnprocessableEntity)
	if len(a.Cookies()) != 0 {
		t.Error("a language that there isn't was kept")
	}
}

// TestLanguage_LiveLinesAreInThePagesLanguage: what the socket adds to a page is
// in the language of that page.
func TestLanguage_LiveLinesAreInThePagesLanguage(t *testing.T) {
	r := newRig(t)
	r.hub.render = ActivityLine
	id := r.begin()
	zh := r.watchWith("session="+id+"&after=2", header("Accept-Language: zh-CN"))
	en := r.watch("session=" + id + "&after=2")
	for _, conn := range []*websocket.Conn{zh, en} {
		if f := readFrame(t, conn); f.Type != frameHello {
			t.Fatalf("the first frame is %q", f.Type)
		}
	}
	r.agent(id, planning.RunFinished{})
	if f := readFrame(t, zh); !strings.Contains(f.HTML, "智能体已完成") {
		t.Errorf("on a Chinese page %s", f.HTML)
	}
	if f := readFrame(t, en); !strings.Contains(f.HTML, "The agent is done") {
		t.Errorf("on an English page %s", f.HTML)
	}
}

// watchWith is watch with further headers.
func (r *rig) watchWith(query string, headers ...header) *websocket.Conn {
	r.t.Helper()
	conn, _, err := r.dial(query, append(headers, r.bearer())...)
	r.must(err)
	r.t.Cleanup(func() { conn.Close() })
	return conn
}
