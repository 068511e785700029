package web

import (
	"net/http"

	"countersign/internal/fault"
	"countersign/internal/planning"
	"countersign/internal/review"

	"github.com/labstack/echo/v4"
)

// The bodies of calls on plans.
type (
	rewriteBody struct {
		Markdown string `json:"markdown"`
		Base     string `json:"base" jsonschema:"sha256 of the plan that was seen"`
	}
	insertBody struct {
		After    string `json:"after,omitempty" jsonschema:"id of the step that it follows; before the first step if it is missing"`
		Markdown string `json:"markdown"`
		Base     string `json:"base" jsonschema:"sha256 of the plan that was seen"`
	}
	deleteBody struct {
		Base string `json:"base,omitempty" jsonschema:"sha256 of the plan that was seen; may be in the query instead"`
	}
	moveBody struct {
		After string `json:"after,omitempty" jsonschema:"id of the step that it follows; before the first step if it is missing"`
		Base  string `json:"base" jsonschema:"sha256 of the plan that was seen"`
	}
	decisionBody struct {
		Verdict planning.Verdict `json:"verdict" jsonschema:"approve, request_changes or abandon"`
		SHA256  string           `json:"sha256" jsonschema:"of the plan that was seen"`
		Note    string           `json:"note,omitempty" jsonschema:"reaches the agent word for word"`
	}
)

// plan is the state and the plan version that the path names.
func (s *server) plan(c echo.Context) (planning.State, planning.Plan, error) {
	n, err := version(c)
	if err != nil {
		return planning.State{}, planning.Plan{}, err
	}
	st, err := s.session(c)
	if err != nil {
		return planning.State{}, planning.Plan{}, err
	}
	p, ok := st.PlanVersion(n)
	if !ok {
		return st, p, fault.New(fault.NotFound, "There is no plan version %d.", n)
	}
	return st, p, nil
}

// GET /sessions/{id}/plans
func (s *server) apiPlans(c echo.Context) error {
	st, err := s.session(c)
	if err != nil {
		return err
	}
	out := plansView{Plans: []planLine{}}
	for _, p := range st.Plans {
		out.Plans = append(out.Plans, viewLine(st, p))
	}
	return c.JSON(http.StatusOK, out)
}

// GET /sessions/{id}/plans/{version}
func (s *server) apiPlan(c echo.Context) error {
	st, p, err := s.plan(c)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, viewPlan(st, p))
}

// GET /sessions/{id}/plans/{version}/diff
func (s *server) apiDiff(c echo.Context) error {
	st, p, err := s.plan(c)
	if err != nil {
		return err
	}
	from, err := whole(c.QueryParam("from"), "from", int64(p.Version-1))
	if err != nil {
		return err
	}
	old, ok := st.PlanVersion(int(min(from, int64(len(st.Plans)+1))))
	if !ok && from != 0 {
		return fault.New(fault.NotFound, "There is no plan version %d.", from)
	}
	return c.JSON(http.StatusOK, diffView{From: int(from), To: p.Version, Steps: planning.Compare(old, p), Scope: planning.CompareScopes(old.Scope, p.Scope)})
}

// PUT /sessions/{id}/plans/{version}/steps/{step}
func (s *server) apiRewrite(c echo.Context) error {
	in, err := decode[rewriteBody](c)
	if err != nil {
		return err
	}
	return s.apiEdit(c, http.StatusOK, review.NewEdit{
		Op: planning.EditRewrite, Step: c.Param("step"), Markdown: in.Markdown, Base: in.Base,
	})
}

// POST /sessions/{id}/plans/{version}/steps
func (s *server) apiInsert(c echo.Context) error {
	in, err := decode[insertBody](c)
	if err != nil {
		return err
	}
	return s.apiEdit(c, http.StatusCreated, review.NewEdit{
		Op: planning.EditInsert, After: in.After, Markdown: in.Markdown, Base: in.Base,
	})
}

// DELETE /sessions/{id}/plans/{version}/steps/{step}
func (s *server) apiDelete(c echo.Context) error {
	in, err := decode[deleteBody](c)
	if err != nil {
		return err
	}
	return s.apiEdit(c, http.StatusOK, review.NewEdit{
		Op: planning.EditDelete, Step: c.Param("step"), Base: or(in.Base, c.QueryParam("base")),
	})
}

// POST /sessions/{id}/plans/{version}/steps/{step}/move
func (s *server) apiMove(c echo.Context) error {
	in, err := decode[moveBody](c)
	if err != nil {
		return err
	}
	return s.apiEdit(c, http.StatusOK, review.NewEdit{
		Op: planning.EditMove, Step: c.Param("step"), After: in.After, Base: in.Base,
	})
}

// apiEdit applies an edit to the version of the path and answers with the plan
// after it.
func (s *server) apiEdit(c echo.Context, status int, n review.NewEdit) error {
	var err error
	if n.Version, err = version(c); err != nil {
		return err
	}
	st, err := s.edit(c.Request().Context(), s.person(c), c.Param("id"), n)
	if err != nil {
		return err
	}
	return replyPlan(c, status, st, n.Version)
}

func replyPlan(c echo.Context, status int, st planning.State, version int) error {
	p, ok := st.PlanVersion(version)
	if !ok {
		return fault.New(fault.NotFound, "There is no plan version %d.", version)
	}
	return c.JSON(status, viewPlan(st, p))
}

// GET /sessions/{id}/plans/{version}/feedback
func (s *server) apiFeedback(c echo.Context) error {
	st, p, err := s.plan(c)
	if err != nil {
		return err
	}
	newest, _ := st.Plan()
	if p.Version != newest.Version || p.Status != planning.PlanInReview {
		return fault.New(fault.Conflict, "Version %d is not in review any more.", p.Version).With(viewLine(st, newest))
	}
	verdict := planning.Verdict(or(c.QueryParam("verdict"), string(planning.VerdictRequestChanges)))
	text := review.Feedback(st, s.person(c), verdict, c.QueryParam("note"))
	return c.JSON(http.StatusOK, feedbackView{Version: p.Version, Verdict: verdict, Text: text})
}

// POST /sessions/{id}/plans/{version}/decision
func (s *server) apiDecision(c echo.Context) error {
	in, err := decode[decisionBody](c)
	if err != nil {
		return err
	}
	n, err := version(c)
	if err != nil {
		return err
	}
	st, err := s.decide(c.Request().Context(), s.person(c), c.Param("id"), review.NewDecision{
		Version: n, Verdict: in.Verdict, SHA256: in.SHA256, Note: in.Note,
	})
	if err != nil {
		return err
	}
	return replyPlan(c, http.StatusOK, st, n)
}
