package web

import (
	"fmt"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"countersign/internal/review"
)

func TestProxy_OnlyATrustedOneIsBelieved(t *testing.T) {
	s := &server{cfg: Config{Proxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("::1/128")}}}
	for name, tt := range map[string]struct{ at, proto, said, want string }{
		"a stranger":               {"192.0.2.1:9", "https", "203.0.113.5", "192.0.2.1:9 "},
		"a proxy":                  {"10.1.2.3:9", "https", "203.0.113.5", "203.0.113.5:0 https"},
		"mapped into IPv6":         {"[::ffff:10.1.2.3]:9", "HTTPS", "203.0.113.5", "203.0.113.5:0 https"},
		"IPv6":                     {"[::1]:9", "https", "2001:db8::7", "[2001:db8::7]:0 https"},
		"two proxies":              {"10.1.2.3:9", "http, https", "203.0.113.5, 10.9.9.9", "203.0.113.5:0 https"},
		"what the browser made up": {"10.1.2.3:9", "https", "198.51.100.1, 203.0.113.5", "203.0.113.5:0 https"},
		"nonsense":                 {"10.1.2.3:9", "https", "x, , y", "10.1.2.3:9 https"},
		"nothing":                  {"10.1.2.3:9", "", "", "10.1.2.3:9 "},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = tt.at
		for header, value := range map[string]string{"X-Forwarded-Proto": tt.proto, "X-Forwarded-For": tt.said, "Forwarded": "proto=https", "X-Forwarded-Host": "evil.example"} {
			if value != "" {
				r.Header.Set(header, value)
			}
		}
		s.fromProxy(r)
		if got := r.RemoteAddr + " " + r.Header.Get("X-Forwarded-Proto"); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
		if r.Header.Get("Forwarded")+r.Header.Get("X-Forwarded-Host") != "" {
			t.Errorf("%s: %v", name, r.Header)
		}
	}
}

// Whoever makes up an address for each attempt to sign in is counted all the
// same, and gets no cookie that claims TLS.
func TestProxy_AStrangersHeadersCountForNothing(t *testing.T) {
	r := newRig(t)
	for i := range failBurst {
		r.do("GET", "/sign-in?link=nonsense", nil, header(fmt.Sprintf("X-Forwarded-For: 203.0.113.%d", i))).is(401)
	}
	r.do("GET", "/sign-in?link=nonsense", nil, "X-Forwarded-For: 203.0.113.99").is(429)

	r = newRig(t)
	link := r.link(review.Link{Person: r.owner.ID})
	a := r.do("GET", link, nil, "X-Forwarded-Proto: https").is(303)
	if cookies := strings.Join(a.Header.Values("Set-Cookie"), " "); cookies == "" || strings.Contains(cookies, "Secure") {
		t.Errorf("the cookie is %s", cookies)
	}
}

func TestProxy_BehindATrustedOne(t *testing.T) {
	r := newRig(t, func(c *Config) { c.Proxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} })
	for i := range 3 * failBurst {
		r.do("GET", "/sign-in?link=nonsense", nil, header(fmt.Sprintf("X-Forwarded-For: 203.0.113.%d", i))).is(401)
	}
	a := r.do("GET", r.link(review.Link{Person: r.owner.ID}), nil, "X-Forwarded-Proto: https").is(303)
	if cookies := strings.Join(a.Header.Values("Set-Cookie"), " "); !strings.Contains(cookies, "Secure") {
		t.Errorf("the cookie is %q", cookies)
	}
}
