package web

import (
	"time"

	"countersign/internal/review"

	"github.com/gorilla/websocket"
)

// holder is what a socket hangs on: the hash of a sign-in or token, and when
// that ends, if it does.
type holder struct {
	hash   string
	until  time.Time
	person review.Person // whose it is
}

// end closes the sockets that hang on a sign-in.
func (h *Hub) end(signIn string) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	for w := range h.watchers {
		if w.signIn == signIn {
			w.end(goodbye{websocket.ClosePolicyViolation, "signed out"})
		}
	}
}

// goodbye is why a watcher is closed: the code and the reason that it gets.
type goodbye struct {
	code   int
	reason string
}

func (g goodbye) Error() string { return g.reason }

// lookAgain is for a watcher whose sign-in was good until now: when it comes
// again, it is looked at again.
var lookAgain = goodbye{websocket.CloseTryAgainLater, "is somebody still signed in? come again"}

// tooSlow is for a watcher that can't keep up: it comes again and catches up
// from the log.
var tooSlow = goodbye{websocket.CloseTryAgainLater, "too far behind; come again"}
