package web

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"countersign/internal/agent/llm/catalog"
	"countersign/internal/planning"
	"countersign/internal/review"
	"countersign/web/lang"
	"countersign/web/templates"

	"github.com/labstack/echo/v4"
)

// SampleTask is what one can try in the sample workspace: a message, as the
// planner understands the languages of the pages.
const SampleTask = "Rename Greeter to Welcomer"

const builtinModel = "builtin"

// dashboard shows all sessions, those that wait for the person first.
func (s *server) dashboard(c echo.Context) error {
	return s.board(c, http.StatusOK, s.taskForm())
}

func (s *server) board(c echo.Context, status int, form templates.TaskForm) error {
	if err := s.person(c).May(review.ActionView); err != nil {
		return err
	}
	sessions, err := s.store.Sessions(c.Request().Context(), "")
	if err != nil {
		return err
	}
	waiting, err := s.waiting(c.Request().Context(), s.person(c))
	if err != nil {
		return err
	}
	p := s.baseWith(c, waiting)
	p.Feed = templates.FeedBoard
	page := templates.BoardPage{
		Page: p, Sessions: sessions, Mine: waiting, Task: form, Sample: s.cfg.Sample,
		Builtin: s.cfg.Model == builtinModel,
	}
	if s.cfg.Shell != nil {
		page.Shell = s.cfg.Shell()
	}
	if page.Sample != "" {
		page.SampleTask = lang.Say(c.Request().Context(), SampleTask)
	}
	return render(c, status, templates.Board(page))
}

// taskForm is a form that nobody has filled in.
func (s *server) taskForm() templates.TaskForm {
	form := templates.TaskForm{
		Workspaces: s.cfg.Workspaces, Mode: string(planning.ModePlan), Model: s.cfg.Model,
		Approvals: strconv.Itoa(max(s.cfg.Approvals, 1)),
	}
	if len(s.cfg.Workspaces) > 0 {
		form.Workspace = s.cfg.Workspaces[0]
	}
	return form
}

// newSessionPage is the form with all settings.
func (s *server) newSessionPage(c echo.Context) error {
	return s.newSessionForm(c, http.StatusOK, s.taskForm())
}

func (s *server) newSessionForm(c echo.Context, status int, form templates.TaskForm) error {
	if err := s.person(c).May(review.ActionTask); err != nil {
		return err
	}
	return render(c, status, templates.New(templates.NewPage{Page: s.base(c), Task: form, Models: s.models()}))
}

// models are those that people are offered, that of new sessions first.
func (s *server) models() []string {
	models := []string{builtinModel}
	if s.cfg.Models != nil {
		models = s.cfg.Models()
	}
	if s.cfg.Model != "" && !slices.Contains(models, s.cfg.Model) {
		models = append([]string{s.cfg.Model}, models...)
	}
	return models
}

// createFromForm starts a session from either form, or goes from the short one
// to the long one with what was filled in.
func (s *server) createFromForm(c echo.Context) error {
	form := s.filledIn(c)
	if c.FormValue("more") != "" {
		return s.newSessionForm(c, http.StatusOK, form)
	}
	approvals, err := whole(form.Approvals, "approvals", int64(s.cfg.Approvals))
	if err == nil {
		var st planning.State
		st, err = s.createSession(c.Request().Context(), s.person(c), newSession{
			Workspace: form.Workspace, Task: form.Task, Mode: form.Mode, Model: form.Model, Approvals: int(approvals),
		})
		if err == nil {
			return c.Redirect(http.StatusSeeOther, sessionPath(st.ID, homeOf(st)))
		}
	}
	f, err := formFault(err)
	if err != nil {
		return err
	}
	form.Problems = map[string]string{f.Field: said(c, f)}
	if c.FormValue("from") == "new" {
		return s.newSessionForm(c, statusOf(f), form)
	}
	return s.board(c, statusOf(f), form)
}

// filledIn is the form as somebody sent it. The short one has a tick for
// planning instead of a mode.
func (s *server) filledIn(c echo.Context) templates.TaskForm {
	form := s.taskForm()
	form.Task, form.Workspace = formText(c, "task"), c.FormValue("workspace")
	if c.FormValue("from") == "new" {
		form.Mode, form.Model, form.Approvals = c.FormValue("mode"), c.FormValue("model"), c.FormValue("approvals")
	} else if c.FormValue("plan") == "" {
		form.Mode = string(planning.ModeNormal)
	}
	return form
}

// knownServers are the providers that have a name, as models of theirs are
// written.
func knownServers() string {
	var names []string
	for _, p := range catalog.Providers() {
		names = append(names, p.Name+":NAME")
	}
	return strings.Join(names, ", ")
}

// modelsPage says how to connect a model.
func (s *server) modelsPage(c echo.Context) error {
	return render(c, http.StatusOK, templates.Models(templates.ModelsPage{Page: s.base(c), Model: s.cfg.Model, Servers: knownServers()}))
}
