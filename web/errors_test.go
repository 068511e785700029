package web

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"countersign/internal/fault"

	"github.com/labstack/echo/v4"
)

// Each kind of fault has its status, and what is ours stays in the log.
func TestErrors_OneTable(t *testing.T) {
	r := newRig(t)
	secret := errors.New("dial tcp 10.0.0.7: password=hunter2")
	tests := []struct {
		err  error
		want int
	}{
		{fault.New(fault.BadRequest, "A sentence."), 400},
		{fault.New(fault.Unauthenticated, "A sentence."), 401},
		{fault.New(fault.Forbidden, "A sentence."), 403},
		{fault.New(fault.NotFound, "A sentence."), 404},
		{fmt.Errorf("wrapped: %w", fault.New(fault.NotFound, "A sentence.")), 404},
		{fmt.Errorf("wrapped: %w", echo.ErrNotFound), 404},
		{echo.ErrMethodNotAllowed, 405},
		{fault.Wrap(secret, fault.Conflict, "A sentence."), 409},
		{fault.New(fault.TooLarge, "A sentence."), 413},
		{&http.MaxBytesError{Limit: 1 << 10}, 413},
		{fault.New(fault.Invalid, "A sentence."), 422},
		{fault.New(fault.RateLimited, "A sentence."), 429},
		{fault.Wrap(secret, fault.Unavailable, "A sentence."), 503},
		{fault.Wrap(secret, fault.Internal, "hunter2"), 500},
		{&fault.Fault{Message: "hunter2", Err: secret}, 500},
		{echo.NewHTTPError(502, "hunter2"), 500},
		{secret, 500},
	}
	for _, tt := range tests {
		for _, path := range []string{"/page", "/api/v1/call"} {
			status, body, id := r.failWith(path, tt.err)
			if path == "/page" && tt.want == 401 {
				tt.want = 303
			}
			if status != tt.want {
				t.Errorf("%v on %s: %d, want %d", tt.err, path, status, tt.want)
			}
			if strings.Contains(body, "hunter2") {
				t.Errorf("%v is shown: %s", tt.err, body)
			}
			if tt.want == 500 && !strings.Contains(r.log.String(), id) {
				t.Errorf("%v is not in the log under its id", tt.err)
			}
			if tt.want == 303 {
				tt.want = 401
			}
		}
	}
	if !strings.Contains(r.log.String(), "hunter2") {
		t.Error("the cause is not in the log")
	}
}

// failWith lets the error handler write an error.
func (r *rig) failWith(path string, err error) (status int, body, id string) {
	req, res := httptest.NewRequest("GET", path, nil), httptest.NewRecorder()
	c := r.web.echo.NewContext(req, res)
	id = newSecret()
	c.Set(requestKey, id)
	r.web.server.fail(err, c)
	return res.Code, res.Body.String(), id
}

func TestErrors_APanicIsAPage(t *testing.T) {
	r := newRig(t)
	r.web.echo.GET("/boom", func(echo.Context) error { panic("hunter2") })
	a := r.do("GET", "/boom", nil, header("Cookie: "+r.cookie(r.owner))).is(500).says(a500)
	if strings.Contains(a.body, "hunter2") || !strings.Contains(r.log.String(), "hunter2") {
		t.Error("the cause belongs into the log and nowhere else")
	}
	if !strings.Contains(a.body, a.Header.Get("X-Request-Id")) {
		t.Error("the page does not name the request")
	}
}

const a500 = "Something went wrong on our side."

func TestErrors_TenMegabytes(t *testing.T) {
	r := newRig(t)
	ten := strings.Repeat("x", 10<<20)
	cookie := header("Cookie: " + r.cookie(r.owner))
	form := r.do("POST", "/sessions", strings.NewReader("task="+ten), cookie,
		"Content-Type: application/x-www-form-urlencoded", header("Origin: "+r.srv.URL)).is(413).says("What was sent is too long")
	if !strings.Contains(form.Header.Get("Content-Type"), "text/html") {
		t.Errorf("not a page: %s", form.Header.Get("Content-Type"))
	}
	// A browser sends all of it before it looks for an answer.
	status, body := r.raw(fmt.Sprintf("POST /sign-in HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\nConnection: close\r\n"+
		"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n\r\n%s", len(ten), ten))
	if status != 413 || !strings.Contains(body, "What was sent is too long") {
		t.Errorf("a browser gets %d", status)
	}
	r.api("POST", "/sessions", createBody{Task: ten}).fails(413, fault.TooLarge, "")
	// Without a length said in advance.
	r.do("POST", apiPrefix+"/sessions", io.MultiReader(strings.NewReader(`{"task":"`+ten+`"}`)), r.bearer()).fails(413, fault.TooLarge, "")
	r.api("POST", "/sessions", createBody{Task: strings.Repeat("x", 70<<10)}).fails(413, fault.TooLarge, "task")
}
