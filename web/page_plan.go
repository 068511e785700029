package web

import (
	"net/http"
	"strconv"

	"countersign/internal/fault"
	"countersign/internal/planning"
	"countersign/internal/planning/document"
	"countersign/internal/review"
	"countersign/web/templates"

	"github.com/labstack/echo/v4"
)

// planPage shows the newest version of the plan, or an older one to read.
func (s *server) planPage(c echo.Context) error {
	st, err := s.canView(c)
	if err != nil {
		return err
	}
	if c.QueryParam("away") == "" && c.QueryParam("version") == "" {
		if err := s.noteRead(c, st); err != nil {
			return err
		}
	}
	p, err := s.planView(c, st)
	if err != nil {
		return err
	}
	if step := c.QueryParam("comment"); step != "" && st.Damage == nil {
		p.Compose = templates.Compose{Open: true, Step: lead(p.Plan, step)}
	}
	return render(c, http.StatusOK, templates.Plan(p))
}

// lead: a comment on what stands before the steps is one on the whole plan.
func lead(p planning.Plan, step string) string {
	if len(p.Blocks) > 0 && p.Blocks[0].ID == step && p.Blocks[0].Kind == document.Text {
		return ""
	}
	return step
}

func (s *server) planView(c echo.Context, st planning.State) (templates.PlanPage, error) {
	p := templates.PlanPage{Page: s.sessionBase(c, st), State: st, Rules: s.cfg.Rules}
	newest, ok := st.Plan()
	if !ok {
		return p, nil
	}
	p.Plan = newest
	if v := c.QueryParam("version"); v != "" {
		n, err := whole(v, "version", 0)
		if err != nil {
			return p, err
		}
		if p.Plan, ok = st.PlanVersion(int(n)); !ok {
			return p, fault.New(fault.NotFound, "There is no version %s of this plan.", v)
		}
	}
	return p, s.compareWith(c, st, &p)
}

// planAgain is the plan page after a form that did not work.
func (s *server) planAgain(c echo.Context, f *fault.Fault, compose templates.Compose) error {
	st, err := s.session(c)
	if err != nil {
		return err
	}
	p, err := s.planView(c, st)
	if err != nil {
		return err
	}
	if _, there := p.Plan.Block(compose.Step); compose.Thread == "" && !there {
		compose.Step = "" // its step is gone, so what was typed waits at the plan
	}
	p.Compose, p.Root = compose, sessionPath(st.ID, "")
	if !s.shows(p, compose) {
		p.Alert = said(c, f)
	}
	return render(c, statusOf(f), templates.Plan(p))
}

// shows tells whether the page has the place where a form stood, so that the
// message can be read there.
func (s *server) shows(p templates.PlanPage, compose templates.Compose) bool {
	if compose.Edit > 0 {
		_, ok := p.Plan.Edit(compose.Edit)
		return ok
	}
	if compose.Thread != "" {
		t, ok := p.State.Thread(compose.Thread)
		if c, there := t.Comment(compose.Comment); compose.Comment > 0 {
			return there && !c.Deleted()
		}
		return ok
	}
	_, ok := p.Plan.Block(compose.Step)
	return compose.Open && (ok || compose.Step == "")
}

func toStep(st planning.State, step string) string {
	if step == "" {
		return sessionPath(st.ID, "plan")
	}
	return sessionPath(st.ID, "plan#"+step)
}

// commentForm opens a thread.
func (s *server) commentForm(c echo.Context) error {
	n := review.NewComment{Step: c.FormValue("step"), Quote: formText(c, "quote"), Body: formText(c, "body")}
	n.Version, _ = strconv.Atoi(c.FormValue("version"))
	st, _, err := s.comment(c.Request().Context(), s.person(c), c.Param("id"), n)
	if err == nil {
		return c.Redirect(http.StatusSeeOther, toStep(st, n.Step))
	}
	f, err := formFault(err)
	if err != nil {
		return err
	}
	return s.planAgain(c, f, templates.Compose{Open: true, Step: n.Step, Quote: n.Quote, Body: n.Body, Problem: said(c, f)})
}

// replyForm adds to a thread.
func (s *server) replyForm(c echo.Context) error {
	thread, body := c.Param("thread"), formText(c, "body")
	st, err := s.reply(c.Request().Context(), s.person(c), c.Param("id"), thread, body)
	if err == nil {
		return s.toThread(c, st, thread)
	}
	f, err := formFault(err)
	if err != nil {
		return err
	}
	return s.planAgain(c, f, templates.Compose{Open: true, Thread: thread, Body: body, Problem: said(c, f)})
}

// resolveForm closes a thread.
func (s *server) resolveForm(c echo.Context) error {
	st, err := s.resolve(c.Request().Context(), s.person(c), c.Param("id"), c.Param("thread"))
	return s.threadDone(c, st, err)
}

// reopenForm opens it again.
func (s *server) reopenForm(c echo.Context) error {
	st, err := s.reopen(c.Request().Context(), s.person(c), c.Param("id"), c.Param("thread"))
	return s.threadDone(c, st, err)
}

func (s *server) threadDone(c echo.Context, st planning.State, err error) error {
	if err == nil {
		return s.toThread(c, st, c.Param("thread"))
	}
	f, err := formFault(err)
	if err != nil {
		return err
	}
	return s.planAgain(c, f, templates.Compose{})
}

func (s *server) toThread(c echo.Context, st planning.State, thread string) error {
	t, _ := st.Thread(thread)
	return c.Redirect(http.StatusSeeOther, toStep(st, t.Step))
}
