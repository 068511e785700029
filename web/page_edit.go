package web

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"countersign/internal/fault"
	"countersign/internal/planning"
	"countersign/internal/planning/document"
	"countersign/internal/review"
	"countersign/web/lang"
	"countersign/web/templates"

	"github.com/labstack/echo/v4"
)

// editPage is where one block of the plan is rewritten, moved or deleted, or a
// step put behind it.
func (s *server) editPage(c echo.Context) error {
	if err := s.person(c).May(review.ActionEdit); err != nil {
		return err
	}
	st, err := s.writable(c)
	if err != nil {
		return err
	}
	p, err := s.editView(c, st, c.QueryParam("step"), c.QueryParam("op"))
	if err != nil {
		return err
	}
	if p.Op == planning.EditRewrite {
		p.Text = written(p.Plan, p.Block)
	}
	return render(c, http.StatusOK, templates.Edit(p))
}

// editView is the page for a block as it is now, with nothing typed.
func (s *server) editView(c echo.Context, st planning.State, step, op string) (templates.EditPage, error) {
	p := templates.EditPage{Page: s.sessionBase(c, st), State: st, Op: planning.EditOp(or(op, string(planning.EditRewrite)))}
	switch p.Op {
	case planning.EditRewrite, planning.EditInsert, planning.EditDelete, planning.EditMove:
	default:
		return p, fault.New(fault.NotFound, "A plan can't be edited in that way.")
	}
	plan, ok := st.Plan()
	if !ok {
		return p, fault.New(fault.NotFound, "There is no plan yet.")
	}
	b, ok := plan.Block(step)
	if !ok {
		return p, fault.New(fault.NotFound, "This step is not in the plan any more.")
	}
	p.Plan, p.Block, p.Base, p.Seen = plan, b, plan.SHA256, plan.Text(b)
	return p, nil
}

// written is what a person edits of a block: its text without the blank lines
// around it.
func written(p planning.Plan, b planning.Block) string {
	for i, d := range document.Parse(p.Markdown).Blocks {
		if d.Start == b.Start && d.End == b.End {
			return document.Parse(p.Markdown).Body(i)
		}
	}
	return strings.TrimSpace(p.Text(b))
}

// editForm carries an edit out. If somebody else has changed the block in the
// meantime, both texts come back with the choice between them (R6).
func (s *server) editForm(c echo.Context) error {
	n := editOf(c)
	if c.FormValue("merge") == "both" {
		return s.editBoth(c, n)
	}
	st, err := s.session(c)
	if err != nil {
		return err
	}
	if p, ok := st.Plan(); ok {
		n.Markdown = lineEnds(n.Markdown, p.Markdown)
	}
	st, err = s.edit(c.Request().Context(), s.person(c), c.Param("id"), n)
	if err == nil {
		return c.Redirect(http.StatusSeeOther, toStep(st, or(n.Step, n.After)))
	}
	f, err := formFault(err)
	if err != nil {
		return err
	}
	return s.editAgain(c, n, f)
}

func editOf(c echo.Context) review.NewEdit {
	n := review.NewEdit{
		Op: planning.EditOp(c.FormValue("op")), Step: c.FormValue("step"), After: c.FormValue("after"),
		Markdown: formText(c, "markdown"), Base: c.FormValue("base"),
	}
	n.Version, _ = strconv.Atoi(c.FormValue("version"))
	if form := c.Request().Form; form.Has("seen") {
		seen := c.FormValue("seen")
		n.Seen = &seen
	}
	if n.Op == planning.EditInsert {
		n.Step, n.After = "", n.Step
	}
	return n
}

// lineEnds gives a text from a form the line ends of the plan.
func lineEnds(text, plan string) string {
	if strings.Contains(plan, "\r\n") {
		return strings.ReplaceAll(text, "\n", "\r\n")
	}
	return text
}

// editAgain is the edit page after an edit that did not work, with what was
// typed still in it.
func (s *server) editAgain(c echo.Context, n review.NewEdit, f *fault.Fault) error {
	st, err := s.writable(c)
	if err != nil {
		return err
	}
	step := or(n.Step, n.After)
	if plan, _ := st.Plan(); step != "" {
		if _, there := plan.Block(step); !there { // the text has no place of its own any more
			return s.planAgain(c, f, templates.Compose{Open: true, Step: step, Body: n.Markdown, Problem: said(c, f)})
		}
	}
	p, err := s.editView(c, st, step, string(n.Op))
	if err != nil {
		return err
	}
	p.Text, p.Problem = strings.ReplaceAll(n.Markdown, "\r\n", "\n"), said(c, f)
	theirs := written(p.Plan, p.Block)
	if f.Code == fault.Conflict && st.InReview() && n.Op == planning.EditRewrite {
		p.Problem = ""
		p.Conflict = &templates.EditConflict{Message: said(c, f), By: lastEditor(p.Plan, p.Block.ID), Theirs: theirs}
	}
	return render(c, statusOf(f), templates.Edit(p))
}

// lastEditor is the name of who changed a block last, or empty.
func lastEditor(p planning.Plan, block string) string {
	for _, e := range slices.Backward(p.Standing()) {
		if e.Op != planning.EditRelease && (e.Step == block || slices.Contains(e.Made, block)) {
			return e.By.Name
		}
	}
	return ""
}

// editBoth puts both texts of a conflict into one field.
func (s *server) editBoth(c echo.Context, n review.NewEdit) error {
	if err := s.person(c).May(review.ActionEdit); err != nil {
		return err
	}
	st, err := s.writable(c)
	if err != nil {
		return err
	}
	p, err := s.editView(c, st, n.Step, string(n.Op))
	if err != nil {
		return err
	}
	p.Text = written(p.Plan, p.Block) + "\n\n" + n.Markdown
	p.Problem = lang.Say(c.Request().Context(), "Both texts are in the field now, yours below. Make one of them.")
	return render(c, http.StatusOK, templates.Edit(p))
}
