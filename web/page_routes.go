package web

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"countersign/internal/fault"
	"countersign/internal/planning"
	"countersign/internal/review"
	"countersign/web/templates"

	"github.com/labstack/echo/v4"
)

// pages registers what people see. Everything in it is behind the sign-in.
// Each form answers with a redirect when it worked, and else with the page
// that it stands on: what was typed in it, and a sentence beside the field.
func (s *server) pages(g *echo.Group) {
	g.GET("/", s.dashboard)
	g.GET("/new", s.newSessionPage)
	g.POST("/sessions", s.createFromForm)
	g.GET("/models", s.modelsPage)
	g.GET("/waiting", s.waitingFor)
	s.peoplePages(g)
	s.webhookPages(g)

	g.GET("/sessions/:id", s.sessionHome)
	g.GET("/sessions/:id/plan", s.planPage)
	g.GET("/sessions/:id/compare", s.comparePage)
	g.GET("/sessions/:id/activity", s.activityPage)
	g.GET("/sessions/:id/results/:seq", s.resultText)
	g.GET("/sessions/:id/questions", s.questionsPage)
	g.GET("/sessions/:id/changes", s.changesPage)
	g.GET("/sessions/:id/history", s.historyPage)
	g.GET("/sessions/:id/export", s.exportFile)
	g.GET("/sessions/:id/print", s.printPage)
	g.GET("/sessions/:id/edit", s.editPage)
	g.GET("/sessions/:id/scope", s.scopePage)
	g.GET("/sessions/:id/feedback", s.feedbackPage)

	g.POST("/sessions/:id/messages", s.sayForm)
	g.POST("/sessions/:id/changes/comments", s.noteForm)
	g.POST("/sessions/:id/pause", s.pauseForm)
	g.POST("/sessions/:id/resume", s.resumeForm)
	g.POST("/sessions/:id/goal", s.goalForm)
	g.POST("/sessions/:id/permissions/:pid", s.permissionForm)
	g.POST("/sessions/:id/permissions/:pid/withdraw", s.withdrawGrantForm)
	g.POST("/sessions/:id/questions/:qid", s.answerForm)
	g.POST("/sessions/:id/threads", s.commentForm)
	g.POST("/sessions/:id/threads/:thread/replies", s.replyForm)
	g.POST("/sessions/:id/threads/:thread/resolve", s.resolveForm)
	g.POST("/sessions/:id/threads/:thread/reopen", s.reopenForm)
	g.POST("/sessions/:id/threads/:thread/comments/:comment", s.editCommentForm)
	g.POST("/sessions/:id/threads/:thread/comments/:comment/agree", s.agreeForm)
	g.POST("/sessions/:id/edits", s.editForm)
	g.POST("/sessions/:id/edits/:edit/undo", s.undoForm)
	g.POST("/sessions/:id/release", s.releaseForm)
	g.POST("/sessions/:id/scope", s.scopeForm)
	g.POST("/sessions/:id/approval/withdraw", s.withdrawApprovalForm)
	g.POST("/sessions/:id/decision", s.decisionForm)

	for _, route := range []string{
		"/sessions", "/sessions/:id/messages", "/sessions/:id/changes/comments", "/sessions/:id/decision",
		"/sessions/:id/threads", "/sessions/:id/threads/:thread/replies", "/sessions/:id/questions/:qid",
		"/sessions/:id/threads/:thread/comments/:comment", "/sessions/:id/goal", "/sessions/:id/permissions/:pid",
	} {
		s.limits[route] = textLimit
	}
	s.limits["/sessions/:id/edits"], s.limits["/sessions/:id/scope"] = planLimit, planLimit
}

// base is what every page carries.
func (s *server) base(c echo.Context) templates.Page {
	list, err := s.waiting(c.Request().Context(), s.person(c))
	if err != nil {
		// A page without its badge is better than none.
		s.log.ErrorContext(c.Request().Context(), "count what waits", "err", err)
	}
	return s.baseWith(c, list)
}

// baseWith is base where it is known what waits for the person.
func (s *server) baseWith(c echo.Context, waiting []templates.Waiting) templates.Page {
	return templates.Page{Person: s.person(c), Now: time.Now(), Feed: templates.FeedWaiting, Waiting: len(waiting)}
}

// sessionBase is what every page of a session carries.
func (s *server) sessionBase(c echo.Context, st planning.State) templates.Page {
	p := s.base(c)
	p.Feed, p.Seq, p.Damaged = st.ID, st.Seq, st.Damage != nil
	return p
}

// formText is a field of a form with line ends as people mean them: browsers
// send CRLF.
func formText(c echo.Context, name string) string {
	return strings.ReplaceAll(c.FormValue(name), "\r\n", "\n")
}

// formFault returns the fault of a form that comes back to its page, or the
// error for the page that all others share.
func formFault(err error) (*fault.Fault, error) {
	f, ok := fault.As(err)
	if !ok {
		return nil, err
	}
	switch f.Code {
	case fault.Invalid, fault.Conflict, fault.TooLarge, fault.Unavailable:
		return f, nil
	default:
		return nil, err
	}
}

// back redirects to the page that a form was on, as the browser names it, if
// that is one of this session's; else to fallback.
func (s *server) back(c echo.Context, session, fallback string) error {
	if c.FormValue("back") == "board" {
		return c.Redirect(http.StatusSeeOther, "/")
	}
	to := sessionPath(session, fallback)
	if from, ours := cameFrom(c.Request()); ours && strings.HasPrefix(from.Path, sessionPath(session, "")) {
		to = (&url.URL{Path: from.Path, RawQuery: from.RawQuery}).String()
	}
	return c.Redirect(http.StatusSeeOther, to)
}

func sessionPath(session, page string) string {
	return "/sessions/" + url.PathEscape(session) + "/" + page
}

// homeOf is where a session is best looked at: a plan while one is made or
// reviewed, where it appears by itself, else what the agent does.
func homeOf(st planning.State) string {
	if len(st.OpenInquiries()) > 0 {
		return "questions"
	}
	if st.Mode == planning.ModePlan {
		return "plan"
	}
	return "activity"
}

// sessionHome leads there.
func (s *server) sessionHome(c echo.Context) error {
	st, err := s.session(c)
	if err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, sessionPath(st.ID, homeOf(st)))
}

// writable is the session of a page that is for changing something in it. It
// fails with fault.Forbidden where nothing is added any more.
func (s *server) writable(c echo.Context) (planning.State, error) {
	st, err := s.session(c)
	if err == nil && st.Damage != nil {
		err = st.Damage.Fault()
	}
	return st, err
}

// canView stands before pages that show a session: everybody who is signed in
// may see all of them, but a role that is none may not.
func (s *server) canView(c echo.Context) (planning.State, error) {
	if err := s.person(c).May(review.ActionView); err != nil {
		return planning.State{}, err
	}
	return s.session(c)
}
