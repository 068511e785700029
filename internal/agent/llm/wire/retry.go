package wire

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// maxWait bounds what a server may ask us to wait.
const maxWait = 24 * time.Hour

// retryAfter reads how long a server asks to wait, as RFC 9110 section 10.2.3
// has it: seconds or a date, which is compared with the server's own clock
// where it tells the time. OpenAI's finer "retry-after-ms" goes first. What
// can't be read, or has passed, is nought.
func retryAfter(h http.Header) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil {
		return clamp(ms / 1000)
	}
	value := strings.TrimSpace(h.Get("Retry-After"))
	if s, err := strconv.ParseFloat(value, 64); err == nil {
		return clamp(s)
	}
	until, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	now, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		now = time.Now()
	}
	return clamp(until.Sub(now).Seconds())
}

func clamp(seconds float64) time.Duration {
	switch {
	case !(seconds > 0): // NaN as well
		return 0
	case seconds > maxWait.Seconds():
		return maxWait
	}
	return time.Duration(seconds * float64(time.Second))
}
