package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/labstack/echo/v4"
)

// GET /openapi.json
func (s *server) apiDescription(c echo.Context) error {
	doc, err := s.openapi()
	if err != nil {
		return err
	}
	return c.JSONBlob(http.StatusOK, doc)
}

type object map[string]any

// describe makes the OpenAPI description of the API from its endpoints and
// from the types that they take and return.
func describe(version string, endpoints []endpoint) ([]byte, error) {
	schemas := schemas{opts: &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[json.RawMessage](): {Description: "depends on kind"},
	}}, named: object{}}
	paths := map[string]object{}
	for _, e := range endpoints {
		operation, err := schemas.operation(e)
		if err != nil {
			return nil, fmt.Errorf("describe %s %s: %w", e.method, e.path, err)
		}
		path := bracePath(e.path)
		if paths[path] == nil {
			paths[path] = object{}
		}
		paths[path][strings.ToLower(e.method)] = operation
	}
	failure, err := schemas.ref(errorBody{})
	if err != nil {
		return nil, err
	}
	return json.Marshal(object{
		"openapi": "3.1.0",
		"info":    object{"title": "Countersign", "version": or(version, "dev")},
		"servers": []object{{"url": apiPrefix}},
		"paths":   paths,
		"components": object{
			"schemas":         schemas.named,
			"responses":       object{"Error": object{"description": "What is wrong, as a sentence", "content": jsonContent(failure)}},
			"securitySchemes": object{"token": object{"type": "http", "scheme": "bearer"}},
		},
		"security": []object{{"token": []string{}}},
	})
}

// schemas collects the named types that operations refer to.
type schemas struct {
	opts  *jsonschema.ForOptions
	named object
}

// ref puts the type of a value among the named ones and refers to it.
func (s schemas) ref(value any) (object, error) {
	t := reflect.TypeOf(value)
	if t.Name() == "" {
		return object{"type": "object"}, nil
	}
	name := schemaName(value)
	if _, known := s.named[name]; !known {
		schema, err := jsonschema.ForType(t, s.opts)
		if err != nil {
			return nil, err
		}
		s.named[name] = schema
	}
	return object{"$ref": "#/components/schemas/" + name}, nil
}

// schemaName is the name of a type in the description.
func schemaName(value any) string {
	name := reflect.TypeOf(value).Name()
	return strings.ToUpper(name[:1]) + name[1:]
}

func (s schemas) operation(e endpoint) (object, error) {
	answer, err := s.ref(e.answer)
	if err != nil {
		return nil, err
	}
	op := object{
		"summary":    e.summary,
		"parameters": parameters(e),
		"responses": object{
			strconv.Itoa(e.status): object{"description": http.StatusText(e.status), "content": jsonContent(answer)},
			"default":              object{"$ref": "#/components/responses/Error"},
		},
	}
	if e.body != nil {
		body, err := s.ref(e.body)
		if err != nil {
			return nil, err
		}
		op["requestBody"] = object{"required": e.method != http.MethodDelete, "content": jsonContent(body)}
	}
	return op, nil
}

func jsonContent(schema object) object {
	return object{echo.MIMEApplicationJSON: object{"schema": schema}}
}

// colon is a parameter in echo's notation of a path.
var colon = regexp.MustCompile(`:(\w+)`)

func bracePath(path string) string { return colon.ReplaceAllString(path, "{$1}") }

func parameters(e endpoint) []object {
	list := []object{}
	for _, m := range colon.FindAllStringSubmatch(e.path, -1) {
		list = append(list, object{"name": m[1], "in": "path", "required": true, "schema": object{"type": "string"}})
	}
	for _, p := range e.query {
		list = append(list, object{"name": p.name, "in": "query", "description": p.about, "schema": object{"type": p.kind}})
	}
	if e.method == http.MethodPost {
		list = append(list, object{"name": idempotencyKey, "in": "header",
			"description": "a request that is sent twice under the same key acts once", "schema": object{"type": "string"}})
	}
	return list
}
