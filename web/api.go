package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"countersign/internal/fault"
	"countersign/internal/planning"
	"countersign/internal/review"

	"github.com/labstack/echo/v4"
)

// endpoint is one call of the JSON API. Its route, its check of the role and
// its description all come from here, so they can't drift apart.
type endpoint struct {
	method  string
	path    string // below apiPrefix, in echo's notation
	summary string
	action  review.Action // what it takes to be allowed
	handle  echo.HandlerFunc
	query   []parameter
	body    any   // zero value of what it takes; nil for nothing
	limit   int64 // bytes of the body, 0 for bodyLimit
	answer  any   // zero value of what it returns
	status  int   // on success
}

// parameter is one of the query.
type parameter struct{ name, about, kind string }

func on(method, path, summary string, action review.Action, handle echo.HandlerFunc) endpoint {
	return endpoint{method: method, path: path, summary: summary, action: action, handle: handle}
}

func (e endpoint) takes(body any, limit int64) endpoint {
	e.body, e.limit = body, limit
	return e
}

func (e endpoint) asks(name, about, kind string) endpoint {
	e.query = append(slices.Clip(e.query), parameter{name, about, kind})
	return e
}

func (e endpoint) gives(status int, answer any) endpoint {
	e.status, e.answer = status, answer
	return e
}

const apiPrefix = "/api/v1"

// mount registers the API below a prefix and keeps the limits of its routes.
func (s *server) mount(g *echo.Group, endpoints []endpoint) {
	for _, e := range endpoints {
		handle := e.handle
		if e.method == http.MethodPost {
			handle = s.once(handle)
		}
		g.Add(e.method, e.path, allow(s, e.action, handle))
		if e.limit > 0 {
			s.limits[apiPrefix+e.path] = e.limit
		}
	}
}

// allow checks the role before anything of the request is looked at.
func allow(s *server, a review.Action, next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if err := s.person(c).May(a); err != nil {
			return err
		}
		return next(c)
	}
}

// decode reads a JSON body into a struct. Its faults are BadRequest for what is
// no JSON object and Invalid, with the field, for one that is wrong or unknown.
func decode[T any](c echo.Context) (T, error) {
	var v T
	data, err := io.ReadAll(c.Request().Body) // the gate has bounded it
	if err != nil {
		return v, fault.Wrap(err, fault.BadRequest, "The request broke off before its end.")
	}
	if len(bytes.TrimSpace(data)) == 0 {
		data = []byte("{}")
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil || fields == nil {
		return v, fault.Wrap(err, fault.BadRequest, "The body has to be a JSON object.")
	}
	known := fieldNames(reflect.TypeFor[T]())
	for name := range fields {
		if !slices.Contains(known, name) {
			name = firstRunes(name, 100) // it may be as long as the body
			return v, fault.New(fault.Invalid, "There is no field %q here. Known are: %s.", name, or(strings.Join(known, ", "), "none")).At(name)
		}
	}
	var wrong *json.UnmarshalTypeError
	if err := json.Unmarshal(data, &v); errors.As(err, &wrong) {
		return v, fault.Wrap(err, fault.Invalid, "The field %q can't be a %s.", wrong.Field, wrong.Value).At(wrong.Field)
	} else if err != nil {
		return v, fault.Wrap(err, fault.BadRequest, "The body can't be read as JSON.")
	}
	return v, nil
}

// fieldNames are the JSON names of a struct's fields, in order.
func fieldNames(t reflect.Type) []string {
	names := make([]string, 0, t.NumField())
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}

// serializer writes the answers of the API, with nothing in them that a terminal
// would obey. An answer that can't be encoded is an error before anything of it
// is sent.
type serializer struct{ echo.DefaultJSONSerializer }

// Serialize implements echo.JSONSerializer; answers are never indented.
func (serializer) Serialize(c echo.Context, v any, _ string) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = c.Response().Write(append(planning.EscapeJSON(data), '\n'))
	return err
}

// whole reads a number of a query or path that can't be negative; def if it is
// missing.
func whole(text, name string, def int64) (int64, error) {
	if text == "" {
		return def, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, fault.New(fault.Invalid, "%s has to be a whole number, 0 or more; it is %q.", name, text).At(name)
	}
	return n, nil
}

// version reads the plan version of the path.
func version(c echo.Context) (int, error) {
	n, err := strconv.Atoi(c.Param("version"))
	if err != nil || n < 1 {
		return 0, fault.New(fault.NotFound, "There is no plan version %q.", c.Param("version"))
	}
	return n, nil
}
