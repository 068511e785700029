package web

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"countersign/internal/fault"
	"countersign/internal/planning"
	"countersign/web/templates"

	"github.com/labstack/echo/v4"
)

// comparePage holds any two texts of the plan against each other (R5). The
// address says which and how, so that it can be passed on.
func (s *server) comparePage(c echo.Context) error {
	st, err := s.canView(c)
	if err != nil {
		return err
	}
	newest, ok := st.Plan()
	if !ok {
		return c.Redirect(http.StatusSeeOther, sessionPath(st.ID, "plan"))
	}
	p := templates.ComparePage{Page: s.sessionBase(c, st), State: st, Side: c.QueryParam("view") == "side"}
	ctx := c.Request().Context()
	if p.To, err = s.planText(ctx, st, or(c.QueryParam("to"), templates.Point(newest, true))); err != nil {
		return err
	}
	if from := or(c.QueryParam("from"), textBefore(st, p.To)); from != "" && from != "0" {
		if p.From, err = s.planText(ctx, st, from); err != nil {
			return err
		}
	}
	p.Choices = planTexts(st, p.From, p.To)
	return render(c, http.StatusOK, templates.Compare(p))
}

// textBefore names what a text is compared with unless told: the version
// before, or for the first one what the agent sent. It is empty if there is
// neither.
func textBefore(st planning.State, p planning.Plan) string {
	if p.Version > 1 {
		return strconv.Itoa(p.Version - 1)
	}
	stands, _ := st.PlanVersion(p.Version)
	if first := stands.AsSubmitted(); first.SHA256 != p.SHA256 {
		return templates.Point(first, false)
	}
	return ""
}

// planText finds the text that an address names, see templates.Point. It fails
// with fault.NotFound if the plan was never so.
func (s *server) planText(ctx context.Context, st planning.State, point string) (planning.Plan, error) {
	number, hash, _ := strings.Cut(point, "-")
	n, err := strconv.Atoi(number)
	if p, ok := st.PlanVersion(n); err == nil && ok {
		p, ok, err = s.textOf(ctx, st, p, hash)
		if ok || err != nil {
			return p, err
		}
	}
	return planning.Plan{}, fault.New(fault.NotFound, "There is no version %s of this plan.", point)
}

// textOf finds the text of a version whose hash begins so: how it stands, how
// it was submitted, or how it was between two edits.
func (s *server) textOf(ctx context.Context, st planning.State, p planning.Plan, hash string) (planning.Plan, bool, error) {
	is := func(text planning.Plan) bool { return strings.HasPrefix(text.SHA256, hash) }
	was := p.AsSubmitted()
	switch {
	case is(p):
		return p, true, nil
	case is(was):
		return was, true, nil
	case len(p.Edits) == 0:
		return p, false, nil
	}
	for after := p.Edits[0].Seq - 1; after < st.Seq; {
		records, err := s.store.Records(ctx, st.ID, after, exportWindow)
		if err != nil || len(records) == 0 {
			return p, false, err
		}
		for _, r := range records {
			if text, ok := was.Then(r); ok {
				if was = text; is(was) {
					return was, true, nil
				}
			}
			if p.Decision != nil && r.Seq >= p.Decision.Seq {
				return p, false, nil
			}
			after = r.Seq
		}
	}
	return p, false, nil
}

// planTexts lists what can be chosen: each version, each as it was submitted
// if people have changed it, and what is compared just now.
func planTexts(st planning.State, now ...planning.Plan) []templates.PlanText {
	var list []templates.PlanText
	for _, p := range st.Plans {
		var texts []templates.PlanText
		add := func(t templates.PlanText) {
			for _, known := range texts {
				if known.SHA256 == t.SHA256 {
					return
				}
			}
			t.Point = templates.Point(t.Plan, t.SHA256 == p.SHA256)
			texts = append(texts, t)
		}
		if p.First != nil {
			add(templates.PlanText{Plan: p.AsSubmitted(), Submitted: p.AsSubmitted().SHA256 != p.SHA256})
		}
		for _, t := range now {
			if t.Version == p.Version && t.SHA256 != p.SHA256 {
				add(templates.PlanText{Plan: t, Between: true})
			}
		}
		add(templates.PlanText{Plan: p})
		list = append(list, texts...)
	}
	return list
}
