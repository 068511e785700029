package web

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"countersign/internal/fault"
	"countersign/internal/review"

	"github.com/gorilla/websocket"
)

// What a foreign page, a rebound name or a script without a token can send.
func TestGate_OtherSitesAreTurnedAway(t *testing.T) {
	r := newRig(t, func(c *Config) { c.Hosts = []string{"plans.example", "0.0.0.0", "::", ""} })
	cookie := header("Cookie: " + r.cookie(r.owner))
	own := header("Origin: " + r.srv.URL)
	session := r.begin()
	pause, resume := apiPrefix+"/sessions/"+session+"/pause", apiPrefix+"/sessions/"+session+"/resume"
	tests := []struct {
		name    string
		method  string
		path    string
		headers []header
		want    int
	}{
		{"rebound name", "GET", "/healthz", []header{"Host: evil.example"}, 403},
		{"rebound name, signed in, own origin", "POST", pause, []header{"Host: evil.example", "Origin: http://evil.example", cookie}, 403},
		{"the unspecified address", "GET", "/healthz", []header{"Host: 0.0.0.0"}, 403},
		{"the unspecified address of IPv6", "GET", "/healthz", []header{"Host: [::]:7777"}, 403},
		{"a name that begins like ours", "GET", "/healthz", []header{"Host: localhost.evil.example"}, 403},
		{"a name behind a user", "GET", "/healthz", []header{"Host: localhost@evil.example"}, 403},
		{"localhost", "GET", "/healthz", []header{"Host: LOCALHOST:1"}, 200},
		{"IPv6", "GET", "/healthz", []header{"Host: [::1]:7777"}, 200},
		{"a configured name", "GET", "/healthz", []header{"Host: plans.example"}, 200},

		{"foreign origin, cookie", "POST", pause, []header{cookie, "Origin: http://evil.example"}, 403},
		{"foreign origin, token", "POST", pause, []header{r.bearer(), "Origin: http://evil.example"}, 403},
		{"opaque origin", "POST", pause, []header{cookie, "Origin: null"}, 403},
		{"another port", "POST", pause, []header{cookie, "Origin: http://127.0.0.1:1"}, 403},
		{"another scheme's port", "POST", pause, []header{cookie, "Origin: https://127.0.0.1"}, 403},
		{"same site", "POST", pause, []header{cookie, "Sec-Fetch-Site: same-site"}, 403},
		{"cross site", "POST", pause, []header{cookie, "Sec-Fetch-Site: cross-site"}, 403},
		{"own origin, cross site", "POST", pause, []header{cookie, own, "Sec-Fetch-Site: cross-site"}, 403},
		{"cookie alone", "POST", pause, []header{cookie}, 403},
		{"delete with a cookie alone", "DELETE", apiPrefix + "/sessions/x/plans/1/steps/s1", []header{cookie}, 403},
		{"own origin", "POST", pause, []header{cookie, own}, 200},
		{"same origin", "POST", resume, []header{cookie, "Sec-Fetch-Site: same-origin"}, 200},
		{"a token alone", "POST", pause, []header{r.bearer()}, 200},
		{"a wrong token beside a right cookie", "GET", apiPrefix + "/sessions", []header{cookie, as("wrong")}, 401},
		{"another scheme", "GET", apiPrefix + "/sessions", []header{"Authorization: Basic b3duZXI6b3duZXI="}, 401},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := r.do(tt.method, tt.path, nil, tt.headers...).is(tt.want)
			if tt.want != 200 && !strings.HasSuffix(read[errorBody](a).Error.Message, ".") {
				t.Errorf("no sentence in %s", a.body)
			}
		})
	}
}

// A page of another site can send a text/plain body without asking first.
func TestGate_OnlyJSONIntoTheAPI(t *testing.T) {
	r := newRig(t)
	session := r.begin()
	p := r.submit(session, samplePlan)
	path := fmt.Sprintf("%s/sessions/%s/plans/1/decision", apiPrefix, session)
	body := fmt.Sprintf(`{"verdict":"approve","sha256":%q}`, p.SHA256)
	for _, kind := range []string{"text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain; application/json", ""} {
		a := r.do("POST", path, strings.NewReader(body), r.bearer(), header("Content-Type:"+kind))
		a.fails(403, fault.Forbidden, "")
	}
	r.do("POST", "/sign-out", strings.NewReader("{}"), header("Cookie: "+r.cookie(r.owner)), header("Origin: "+r.srv.URL)).is(403)
	st := read[sessionView](r.api("GET", "/sessions/"+session, nil))
	if st.Status != "in_review" {
		t.Fatalf("the plan was decided: %s", st.Status)
	}
	r.do("POST", path, strings.NewReader(body), r.bearer(), "Content-Type: application/json; charset=utf-8").is(200)
}

func TestGate_EverythingNeedsSignIn(t *testing.T) {
	r := newRig(t)
	for _, path := range []string{apiPrefix + "/sessions", apiPrefix + "/openapi.json", apiPrefix + "/nothing", "/metrics", "/ws", "/api/"} {
		r.do("GET", path, nil).fails(401, fault.Unauthenticated, "")
	}
	for _, path := range []string{"/", "/new", "/sessions/x/plan?version=2", "/nothing"} {
		a := r.do("GET", path, nil).is(303)
		if to := a.Header.Get("Location"); !strings.HasPrefix(to, "/sign-in") {
			t.Errorf("%s leads to %s", path, to)
		}
	}
	a := r.do("GET", "/sessions/x/plan?version=2", nil)
	if to := a.Header.Get("Location"); to != "/sign-in?next=%2Fsessions%2Fx%2Fplan%3Fversion%3D2" {
		t.Errorf("the way back is lost: %s", to)
	}
	r.do("GET", "/healthz", nil).is(200)
	r.do("GET", "/sign-in", nil).is(200)
	r.do("GET", "/join", nil).is(401)
}

func TestGate_RolesAreCheckedBeforeAnythingElse(t *testing.T) {
	r := newRig(t)
	r.person("Vic", review.RoleViewer, "viewer")
	r.person("Rae", review.RoleReviewer, "reviewer")
	session := r.begin()
	p := r.submit(session, samplePlan)
	plan := "/sessions/" + session + "/plans/1"
	tests := []struct {
		token, method, path string
		want                int
	}{
		{"viewer", "GET", plan, 200},
		{"viewer", "POST", "/sessions", 403},
		{"viewer", "POST", "/sessions/" + session + "/messages", 403},
		{"viewer", "POST", "/sessions/" + session + "/pause", 403},
		{"viewer", "POST", plan + "/threads", 403},
		{"viewer", "PUT", plan + "/steps/" + p.Steps()[0].ID, 403},
		{"viewer", "POST", "/threads/x/replies", 403},
		{"viewer", "POST", plan + "/decision", 403},
		{"reviewer", "POST", plan + "/decision", 403},
		{"reviewer", "POST", "/sessions/" + session + "/permissions/x", 403},
	}
	for _, tt := range tests {
		r.do(tt.method, apiPrefix+tt.path, nil, as(tt.token)).is(tt.want)
	}
}

func TestGate_StaticPathsStayInside(t *testing.T) {
	r := newRig(t)
	for _, path := range []string{
		"/static/..%2f..%2fetc%2fpasswd", "/static/%2e%2e/%2e%2e/etc/passwd", "/static/../../etc/passwd",
		"/static/..%5c..%5cetc%5cpasswd", "/static//etc/passwd", "/static/", "/static/..%2fapi%2fv1%2fsessions",
	} {
		status, body := r.raw("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
		if status == 200 || strings.Contains(body, "root:") || strings.Contains(body, "sessions\"") {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
}

// raw sends bytes as they are, because clients tidy paths up.
func (r *rig) raw(request string) (status int, body string) {
	r.t.Helper()
	conn, err := net.Dial("tcp", r.srv.Listener.Addr().String())
	r.must(err)
	defer conn.Close()
	_, err = io.WriteString(conn, request)
	r.must(err)
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	r.must(err)
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	r.must(err)
	return res.StatusCode, string(data)
}

func TestGate_SocketNeedsTokenAndOrigin(t *testing.T) {
	r := newRig(t)
	cookie := header("Cookie: " + r.cookie(r.owner))
	tests := []struct {
		name    string
		headers []header
		want    int
	}{
		{"nothing", nil, 401},
		{"foreign origin", []header{cookie, "Origin: http://evil.example"}, 403},
		{"foreign origin with a token", []header{r.bearer(), "Origin: http://evil.example"}, 403},
		{"cookie without origin", []header{cookie}, 403},
		{"rebound", []header{cookie, "Host: evil.example", "Origin: http://evil.example"}, 403},
		{"cross site", []header{cookie, header("Origin: " + r.srv.URL), "Sec-Fetch-Site: cross-site"}, 403},
		{"own origin", []header{cookie, header("Origin: " + r.srv.URL)}, 101},
		{"token", []header{r.bearer()}, 101},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			conn, res, err := r.dial("", tt.headers...)
			if err == nil {
				defer conn.Close()
			}
			if res == nil || res.StatusCode != tt.want {
				t.Fatalf("%v, %v; want %d", res, err, tt.want)
			}
		})
	}
	r.do("GET", "/ws", nil, r.bearer()).fails(400, fault.BadRequest, "")
	r.do("GET", "/ws?session=nothing", nil, r.bearer()).fails(404, fault.NotFound, "")
	r.do("GET", "/ws?format=xml", nil, r.bearer()).fails(422, fault.Invalid, "format")
	r.do("GET", "/ws?after=-1", nil, r.bearer()).fails(422, fault.Invalid, "after")
}

// A message that never ends, in fragments, must not be collected.
func TestGate_EndlessFragmentedMessage(t *testing.T) {
	r := newRig(t)
	conn, _, err := r.dial("", r.bearer())
	r.must(err)
	defer conn.Close()
	readFrame(t, conn) // hello
	raw := conn.NetConn()
	fragment := append([]byte{0x00, 0x80 | 126, 0x04, 0x00, 0, 0, 0, 0}, make([]byte, 1024)...)
	first := append([]byte{0x01}, fragment[1:]...)
	if _, err := raw.Write(first); err != nil {
		t.Fatal(err)
	}
	for range 1000 {
		if _, err := raw.Write(fragment); err != nil {
			break // cut off
		}
	}
	// The goodbye may be lost in what was still under way.
	_, _, err = conn.ReadMessage()
	var closed *websocket.CloseError
	var late net.Error
	if errors.As(err, &closed) && closed.Code != websocket.CloseMessageTooBig || errors.As(err, &late) && late.Timeout() || err == nil {
		t.Fatalf("it goes on reading: %v", err)
	}
	r.noWatchers()
}
