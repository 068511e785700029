package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"countersign/web/lang"
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
