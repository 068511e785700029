package static

import (
	"compress/gzip"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func get(t *testing.T, path string, headers ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, "http://x"+path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	Handler().ServeHTTP(w, r)
	return w.Result()
}

func body(t *testing.T, r io.Reader) string {
	t.Helper()
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestHandler_ServesEveryFileForGood(t *testing.T) {
	for name, a := range byName() {
		res := get(t, Path(name))
		if res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != a.mime || a.mime == "" {
			t.Errorf("%s: %d %s", name, res.StatusCode, res.Header.Get("Content-Type"))
		}
		if !strings.Contains(res.Header.Get("Cache-Control"), "immutable") {
			t.Errorf("%s may not be kept: %q", name, res.Header.Get("Cache-Control"))
		}
		if again := get(t, Path(name), "If-None-Match", res.Header.Get("ETag")); again.StatusCode != http.StatusNotModified {
			t.Errorf("%s is sent again though the browser has it: %d", name, again.StatusCode)
		}
	}
}

func TestHandler_GzipIsTheSameText(t *testing.T) {
	plain := body(t, get(t, Path("app.css")).Body)
	res := get(t, Path("app.css"), "Accept-Encoding", "gzip, br")
	if res.Header.Get("Content-Encoding") != "gzip" || res.Header.Get("Vary") != "Accept-Encoding" {
		t.Fatalf("not compressed: %v", res.Header)
	}
	z, err := gzip.NewReader(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if body(t, z) != plain {
		t.Error("the compressed sheet is another one")
	}
}

func TestHandler_NothingElse(t *testing.T) {
	for _, path := range []string{
		"/static/", "/static/app.css", "/static/css/app.css", "/static/static.go", "/static/..%2f..%2fetc%2fpasswd",
		"/static/../static.go", "/static/%2e%2e/x", strings.ToUpper(Path("app.css")), Path("app.css") + "/",
	} {
		if res := get(t, path); res.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %d", path, res.StatusCode)
		}
	}
	r := httptest.NewRequest(http.MethodPost, "http://x"+Path("app.css"), nil)
	w := httptest.NewRecorder()
	Handler().ServeHTTP(w, r)
	if w.Code != http.StatusNotFound {
		t.Errorf("POST: %d", w.Code)
	}
}

func TestReferencesLeadToHashedNames(t *testing.T) {
	css := string(byName()["app.css"].body)
	if !strings.Contains(css, Path("inter.woff2")[len(prefix):]) || strings.Contains(css, `"inter.woff2"`) {
		t.Error("the sheet does not name the font by its hash")
	}
	for name, a := range byName() {
		for _, m := range regexp.MustCompile(`(?:from|import) "\./([^"]+)"`).FindAllStringSubmatch(string(a.body), -1) {
			if _, ok := byPath()[prefix+m[1]]; !ok {
				t.Errorf("%s imports %s, which is not served", name, m[1])
			}
		}
		if strings.Contains(string(a.body), "https://") && !strings.Contains(string(a.body), "www.w3.org") {
			t.Errorf("%s names another host", name)
		}
	}
}

func TestPath_UnknownNamePanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a wrong name in a template goes unnoticed")
		}
	}()
	Path("nothing.css")
}

// pairs are text and what it stands on, by the names of the tokens.
var pairs = [][2]string{
	{"ink", "paper"}, {"ink", "surface"}, {"ink", "sunken"},
	{"ink-2", "paper"}, {"ink-2", "surface"}, {"ink-2", "sunken"}, {"ink-2", "accent-soft"}, {"ink-2", "warn-soft"}, {"ink-2", "red-soft"}, {"ink-2", "add"}, {"ink-2", "del"},
	{"ink-3", "paper"}, {"ink-3", "surface"}, {"ink-3", "sunken"}, {"ink-3", "accent-soft"}, {"ink-3", "del"},
	{"accent-ink", "accent-soft"}, {"accent-ink", "surface"}, {"ok", "surface"}, {"ok", "paper"}, {"ok", "ok-soft"}, {"ok", "add"},
	{"warn", "surface"}, {"warn", "warn-soft"}, {"red", "surface"}, {"red", "red-soft"}, {"red", "del"},
	{"on-ok", "ok"}, {"on-red", "red"},
}

func TestContrastOfTextIsAtLeast4_5(t *testing.T) {
	tokens := map[string][2]string{}
	for _, m := range regexp.MustCompile(`--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)`).FindAllStringSubmatch(string(byName()["app.css"].body), -1) {
		tokens[m[1]] = [2]string{m[2], m[3]}
	}
	for i, theme := range []string{"light", "dark"} {
		for _, p := range pairs {
			on, ok := tokens[p[1]]
			text, ok2 := tokens[p[0]]
			if !ok || !ok2 {
				t.Fatalf("no token %s or %s", p[0], p[1])
			}
			if c := contrast(t, text[i], on[i]); c < 4.5 {
				t.Errorf("%s: %s on %s is %.2f : 1", theme, p[0], p[1], c)
			}
		}
	}
	for _, m := range regexp.MustCompile(`\.a\d \{ background: (#\w{6})`).FindAllStringSubmatch(string(byName()["app.css"].body), -1) {
		if c := contrast(t, "#ffffff", m[1]); c < 4.5 {
			t.Errorf("white on the avatar %s is %.2f : 1", m[1], c)
		}
	}
}

// contrast is the ratio of WCAG 2.2, 1.4.3.
func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	la, lb := luminance(t, a), luminance(t, b)
	return (max(la, lb) + .05) / (min(la, lb) + .05)
}

func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	var l float64
	for i, weight := range []float64{.2126, .7152, .0722} {
		n, err := strconv.ParseUint(hex[1+2*i:3+2*i], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		v := float64(n) / 255
		if v <= .04045 {
			v /= 12.92
		} else {
			v = math.Pow((v+.055)/1.055, 2.4)
		}
		l += weight * v
	}
	return l
}
