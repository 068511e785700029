package web

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"countersign/internal/fault"
	"countersign/internal/planning"
	"countersign/internal/review"
	"countersign/web/lang"
	"countersign/web/templates"

	"github.com/labstack/echo/v4"
)

// scopePage is where a reviewer sets what the plan may write and run.
func (s *server) scopePage(c echo.Context) error {
	if err := s.person(c).May(review.ActionEdit); err != nil {
		return err
	}
	p, err := s.scopeView(c)
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, templates.EditScope(p))
}

// scopeView is the page with the scope as it is now.
func (s *server) scopeView(c echo.Context) (templates.ScopePage, error) {
	st, err := s.writable(c)
	if err != nil {
		return templates.ScopePage{}, err
	}
	plan, ok := st.Plan()
	switch {
	case !ok:
		return templates.ScopePage{}, fault.New(fault.NotFound, "There is no plan yet.")
	case plan.Status != planning.PlanInReview:
		return templates.ScopePage{}, fault.New(fault.Conflict, "The review of this plan is over.")
	}
	return templates.ScopePage{
		Page: s.sessionBase(c, st), State: st, Plan: plan,
		Files: strings.Join(plan.Scope.Files, "\n"), Commands: plan.Scope.Commands,
	}, nil
}

// scopeForm sets the scope. If somebody else has set it meanwhile, both come
// back with the choice between them (R6).
func (s *server) scopeForm(c echo.Context) error {
	n, err := scopeOf(c)
	if err != nil {
		return err
	}
	if c.FormValue("merge") == "both" {
		return s.scopeBoth(c, n)
	}
	st, err := s.editScope(c.Request().Context(), s.person(c), c.Param("id"), n)
	if err == nil {
		return c.Redirect(http.StatusSeeOther, sessionPath(st.ID, "plan"))
	}
	f, err := formFault(err)
	if err != nil {
		return err
	}
	p, err := s.scopeView(c)
	if err != nil {
		return err
	}
	p.Files, p.Commands, p.Problem = strings.Join(n.Files, "\n"), n.Commands, said(c, f)
	if f.Code == fault.Conflict {
		p.Problem = ""
		p.Conflict = &templates.EditConflict{Message: said(c, f), By: lastScope(p.Plan)}
	}
	return render(c, statusOf(f), templates.EditScope(p))
}

// scopeOf reads the form.
func scopeOf(c echo.Context) (review.NewScope, error) {
	n := review.NewScope{Files: entries(formText(c, "files")), Base: c.FormValue("base")}
	n.Version, _ = strconv.Atoi(c.FormValue("version"))
	form, err := c.FormParams()
	if err != nil {
		return n, fault.Wrap(err, fault.BadRequest, "The form can't be read.")
	}
	for _, command := range form["command"] {
		if command = strings.TrimSpace(strings.ReplaceAll(command, "\r\n", "\n")); command != "" {
			n.Commands = append(n.Commands, command)
		}
	}
	n.Commands = append(n.Commands, entries(formText(c, "more"))...)
	var seen planning.Scope
	if json.Unmarshal([]byte(c.FormValue("seen")), &seen) == nil {
		n.Seen = &seen
	}
	return n, nil
}

// entries are the lines of a text that are not blank.
func entries(text string) []string {
	var list []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			list = append(list, line)
		}
	}
	return list
}

// scopeBoth puts what both set into the fields.
func (s *server) scopeBoth(c echo.Context, n review.NewScope) error {
	if err := s.person(c).May(review.ActionEdit); err != nil {
		return err
	}
	p, err := s.scopeView(c)
	if err != nil {
		return err
	}
	p.Files = strings.Join(union(p.Plan.Scope.Files, n.Files), "\n")
	p.Commands = union(p.Plan.Scope.Commands, n.Commands)
	p.Problem = lang.Say(c.Request().Context(), "Both are in the fields now. Take out what should not stay.")
	return render(c, http.StatusOK, templates.EditScope(p))
}

func union(theirs, mine []string) []string {
	both := slices.Clone(theirs)
	for _, m := range mine {
		if !slices.Contains(both, m) {
			both = append(both, m)
		}
	}
	return both
}

// lastScope is who set the scope last, or empty.
func lastScope(p planning.Plan) string {
	for _, e := range slices.Backward(p.Standing()) {
		if e.Op == planning.EditScope {
			return e.By.Name
		}
	}
	return ""
}
