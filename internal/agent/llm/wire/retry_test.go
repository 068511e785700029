package wire

import (
	"net/http"
	"testing"
	"time"
)

func TestRetryAfter(t *testing.T) {
	date := "Mon, 02 Jan 2006 15:04:05 GMT"
	tests := map[string]struct {
		h    http.Header
		want time.Duration
	}{
		"nothing":            {http.Header{}, 0},
		"seconds":            {http.Header{"Retry-After": {" 12 "}}, 12 * time.Second},
		"a fraction":         {http.Header{"Retry-After": {"0.5"}}, 500 * time.Millisecond},
		"milliseconds":       {http.Header{"Retry-After": {"9"}, "Retry-After-Ms": {"250"}}, 250 * time.Millisecond},
		"negative":           {http.Header{"Retry-After": {"-3"}}, 0},
		"not a number":       {http.Header{"Retry-After": {"NaN"}}, 0},
		"for ever":           {http.Header{"Retry-After": {"1e300"}}, maxWait},
		"infinite":           {http.Header{"Retry-After": {"Inf"}}, maxWait},
		"a date":             {http.Header{"Date": {date}, "Retry-After": {"Mon, 02 Jan 2006 15:05:05 GMT"}}, time.Minute},
		"a date in the past": {http.Header{"Date": {date}, "Retry-After": {"Mon, 02 Jan 2006 15:04:00 GMT"}}, 0},
		"long ago":           {http.Header{"Retry-After": {date}}, 0},
		"nonsense":           {http.Header{"Retry-After": {"soon"}}, 0},
	}
	for name, test := range tests {
		if have := retryAfter(test.h); have != test.want {
			t.Errorf("%s: got %v, want %v", name, have, test.want)
		}
	}
}
