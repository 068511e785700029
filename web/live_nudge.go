package web

import "countersign/internal/planning"

// frameWaiting tells a page that what waits for its person may have changed.
const frameWaiting = "waiting"

var nudgeFrame = message(struct {
	Type string `json:"type"`
}{frameWaiting})

// noteWaiting keeps the list of what waits up to date, and lets all pages look
// when it changes.
func (h *Hub) noteWaiting(s planning.State) {
	if s.ID != "" && h.waits.put(s.Summary()) {
		h.queue.put(happening{nudge: true})
	}
}

// nudge lets the pages of a person look again at what waits for them; an empty
// id means everybody's. Nudges that come while a page is busy are one.
func (h *Hub) nudge(person string) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	for w := range h.watchers {
		if w.key.format != formatJSON && (person == "" || w.person.ID == person) {
			w.feed.nudge(w)
		}
	}
}

func (f *feed) nudge(w *watcher) {
	f.mu.Lock()
	defer f.mu.Unlock()
	w.nudged = true
	select {
	case w.wake <- struct{}{}:
	default:
	}
}
