package web

import (
	"net/http"
	"testing"
	"time"

	"countersign/internal/fault"
)

func TestMetrics(t *testing.T) {
	r := newRig(t)
	conn := r.watch("")
	readFrame(t, conn)
	r.begin()
	r.api("GET", "/nothing", nil).is(404)
	a := r.do("GET", "/metrics", nil, r.bearer()).is(200)
	for _, line := range []string{
		`countersign_build_info{version="test"} 1`,
		`countersign_http_requests_total{method="GET",status="404"} 1`,
		`countersign_http_requests_total{method="POST",status="201"} 1`,
		`countersign_sessions{status="planning"} 1`,
		`countersign_sessions{status="in_review"} 0`,
		`countersign_watchers 1`,
		`countersign_events_appended_total 2`,
	} {
		a.says(line + "\n")
	}
}

func TestHealth_NeedsTheDatabase(t *testing.T) {
	r := newRig(t)
	r.do("GET", "/healthz", nil).is(200).says("ok")
	r.must(r.db.Close())
	r.do("GET", "/healthz", nil).fails(503, fault.Unavailable, "")
}

func TestHTTP_ServerHasTimeouts(t *testing.T) {
	srv := newRig(t).web.HTTP()
	for name, d := range map[string]time.Duration{
		"ReadHeaderTimeout": srv.ReadHeaderTimeout, "ReadTimeout": srv.ReadTimeout, "WriteTimeout": srv.WriteTimeout, "IdleTimeout": srv.IdleTimeout,
	} {
		if d <= 0 {
			t.Errorf("%s is not set", name)
		}
	}
	if srv.MaxHeaderBytes == 0 || srv.MaxHeaderBytes > http.DefaultMaxHeaderBytes {
		t.Errorf("MaxHeaderBytes is %d", srv.MaxHeaderBytes)
	}
}
