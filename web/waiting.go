package web

import (
	"context"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"countersign/internal/fault"
	"countersign/internal/planning"
	"countersign/internal/review"
	"countersign/web/templates"

	"github.com/labstack/echo/v4"
)

// waitlist is what may wait for somebody, so that no page has to read the
// summaries of all sessions to say how much does. It is read once from the
// database, and kept up by what is committed.
type waitlist struct {
	mu      sync.RWMutex
	loaded  bool
	entries map[string]waitEntry // by session
}

// waitEntry is a session. One that can wait for nobody keeps its seq only, so
// that nothing older comes back.
type waitEntry struct {
	seq int64
	sum *planning.Summary
}

func newWaitlist() *waitlist { return &waitlist{entries: map[string]waitEntry{}} }

// put takes a session over as it is now, and tells whether anything changed in
// what waits for anybody.
func (l *waitlist) put(sum planning.Summary) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.take(sum)
}

func (l *waitlist) take(sum planning.Summary) bool {
	old := l.entries[sum.ID]
	if sum.Seq <= old.seq {
		return false
	}
	e := waitEntry{seq: sum.Seq}
	if mayWait(sum) {
		sum.Todos = nil // long, and no part of it
		e.sum = &sum
	}
	l.entries[sum.ID] = e
	return !sameWait(old.sum, e.sum)
}

// spoil takes a session out for good, because its record is damaged, and tells
// whether anything changed.
func (l *waitlist) spoil(session string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	old := l.entries[session]
	l.entries[session] = waitEntry{seq: math.MaxInt64} // nothing comes after that
	return old.sum != nil
}

// mayWait tells whether there can be somebody for whom the session waits.
func mayWait(sum planning.Summary) bool {
	if sum.Damage != nil {
		return false
	}
	switch sum.Status {
	case planning.StatusPlanning, planning.StatusExecuting, planning.StatusDone:
		return len(sum.Answers) > 0
	default:
		return true
	}
}

// sameWait tells whether nobody's list changes between the two.
func sameWait(a, b *planning.Summary) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Status == b.Status && a.Wait == b.Wait && a.Asks == b.Asks && a.Inquiry == b.Inquiry && a.PlanVersion == b.PlanVersion &&
		slices.Equal(a.ApprovedBy, b.ApprovedBy) && slices.Equal(a.Answers, b.Answers)
}

// load reads what there is, the first time.
func (l *waitlist) load(ctx context.Context, store Store) error {
	l.mu.RLock()
	loaded := l.loaded
	l.mu.RUnlock()
	if loaded {
		return nil
	}
	sessions, err := store.Sessions(ctx, "")
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, sum := range sessions {
		l.take(sum)
	}
	l.loaded = true
	return nil
}

// answers tells whether anything was ever answered to a person.
func (l *waitlist) answers(person string) bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	for _, e := range l.entries {
		if e.sum != nil && slices.ContainsFunc(e.sum.Answers, func(a planning.Answer) bool { return a.Person == person }) {
			return true
		}
	}
	return false
}

// waiting returns the sessions that wait for a person, the last changed first.
func (s *server) waiting(ctx context.Context, p review.Person) ([]templates.Waiting, error) {
	l := s.hub.waits
	if err := l.load(ctx, s.store); err != nil {
		return nil, err
	}
	var read map[string]int64
	if l.answers(p.ID) {
		var err error
		if read, err = s.store.Readings(ctx, p.ID); err != nil {
			return nil, err
		}
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	var list []templates.Waiting
	for id, e := range l.entries {
		if e.sum == nil {
			continue
		}
		if why := s.cfg.Rules.Waits(*e.sum, p, read[id]); len(why) > 0 {
			list = append(list, s.whyWaits(*e.sum, p, why, read[id]))
		}
	}
	slices.SortFunc(list, func(a, b templates.Waiting) int {
		if c := b.Summary.UpdatedAt.Compare(a.Summary.UpdatedAt); c != 0 {
			return c
		}
		return strings.Compare(a.Summary.ID, b.Summary.ID)
	})
	return list, nil
}

func (s *server) whyWaits(sum planning.Summary, p review.Person, why []review.Reason, read int64) templates.Waiting {
	answer, _ := review.Unread(sum, p, read)
	return templates.Waiting{Summary: sum, Why: why, Answer: answer}
}

// waitingView is what a page is told of what waits for its person.
type waitingView struct {
	Count int           `json:"count"` // of sessions
	Icon  string        `json:"icon"`  // address of the page's icon
	Items []waitingItem `json:"items"`
}

// waitingItem is one reason.
type waitingItem struct {
	Key   string `json:"key"` // names this very thing, whatever page asks
	URL   string `json:"url"`
	Title string `json:"title"`
	Text  string `json:"text"` // the reason, in the page's language
}

// GET /waiting
func (s *server) waitingFor(c echo.Context) error {
	ctx, p := c.Request().Context(), s.person(c)
	if err := p.May(review.ActionView); err != nil {
		return err
	}
	list, err := s.waiting(ctx, p)
	if err != nil {
		return err
	}
	view := waitingView{Count: len(list), Icon: templates.Icon(len(list)), Items: []waitingItem{}}
	for _, w := range list {
		for _, why := range w.Why {
			view.Items = append(view.Items, waitingItem{
				Key: keyOf(w, why), URL: sessionPath(w.Summary.ID, placeOf(why)),
				Title: templates.Shown(w.Summary.Title), Text: templates.Reason(ctx, w, why),
			})
		}
	}
	c.Response().Header().Set("Cache-Control", "no-store")
	return c.JSON(http.StatusOK, view)
}

// keyOf names what waits: the same version, question or answer has the same key
// for as long as it waits.
func keyOf(w templates.Waiting, why review.Reason) string {
	what := ""
	switch why {
	case review.ReasonReview:
		what = strconv.Itoa(w.Summary.PlanVersion)
	case review.ReasonQuestion:
		what = w.Summary.Inquiry
	case review.ReasonAnswer:
		what = strconv.FormatInt(w.Answer.Seq, 10)
	default:
		what = strconv.FormatInt(w.Summary.Since.UnixMicro(), 10)
	}
	return w.Summary.ID + " " + string(why) + " " + what
}

// placeOf is the page where one can do something about it.
func placeOf(why review.Reason) string {
	switch why {
	case review.ReasonReview, review.ReasonAnswer:
		return "plan"
	case review.ReasonQuestion:
		return "questions"
	default:
		return "activity"
	}
}

// noteRead notes that a person looks at the plan and its threads as they are.
// It writes only if something in them was new to the person.
func (s *server) noteRead(c echo.Context, st planning.State) error {
	ctx, p := c.Request().Context(), s.person(c)
	sum := planning.Summary{Answers: st.Answers()}
	if _, ok := review.Unread(sum, p, 0); !ok {
		return nil
	}
	read, err := s.store.Readings(ctx, p.ID)
	if err != nil {
		return err
	}
	if _, ok := review.Unread(sum, p, read[st.ID]); !ok {
		return nil
	}
	switch err := s.store.NoteRead(ctx, p.ID, st.ID, st.Seq); {
	case fault.Is(err, fault.Unavailable): // it stays unread; the page is there to be read
		s.log.WarnContext(ctx, "note what was read", "err", err)
		return nil
	case err != nil:
		return err
	}
	s.hub.nudge(p.ID)
	return nil
}

// sessionLines are sessions with what in them waits for who asks.
func (s *server) sessionLines(c echo.Context, list []planning.Summary) ([]sessionLine, error) {
	p := s.person(c)
	read, err := s.store.Readings(c.Request().Context(), p.ID)
	if err != nil {
		return nil, err
	}
	lines := make([]sessionLine, len(list))
	for i, sum := range list {
		lines[i] = sessionLine{sum, notNil(s.cfg.Rules.Waits(sum, p, read[sum.ID]))}
	}
	return lines, nil
}
