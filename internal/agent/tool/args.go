package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// fields are the names that a tool's arguments may and must have.
type fields struct{ known, required []string }

// decode reads a call's arguments. Its errors are for the model and name the
// field that is wrong. A null for an optional field counts as left out,
// because models like to send it; a name must be spelled exactly, so that two
// spellings of one field can't contradict each other.
func decode[A any](tool string, f fields, raw json.RawMessage) (A, error) {
	var args A
	if len(bytes.TrimSpace(raw)) == 0 {
		raw = json.RawMessage("{}")
	}
	var given map[string]json.RawMessage
	if err := json.Unmarshal(raw, &given); err != nil || given == nil {
		return args, refuse("%s: the arguments are not a JSON object%s.", tool, because(err))
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !slices.Contains(f.known, name) {
			return args, refuse("%s: there is no argument %q; it takes %s.", tool, name, strings.Join(f.known, ", "))
		}
		if string(given[name]) == "null" && !slices.Contains(f.required, name) {
			delete(given, name)
		}
	}
	for _, name := range f.required {
		if v, ok := given[name]; !ok || string(v) == "null" {
			return args, refuse("%s: %s is missing.", tool, name)
		}
	}
	checked, err := json.Marshal(given)
	if err != nil {
		return args, refuse("%s: the arguments can't be read%s.", tool, because(err))
	}
	if err := json.Unmarshal(checked, &args); err != nil {
		return args, refuse("%s: %s.", tool, describeMismatch(err))
	}
	return args, nil
}

func because(err error) string {
	if err == nil {
		return ""
	}
	return fmt.Sprintf(" (%v)", err)
}

func describeMismatch(err error) string {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return fmt.Sprintf("the arguments can't be read (%v)", err)
	}
	kind := map[reflect.Kind]string{
		reflect.String: "a text", reflect.Bool: "true or false",
		reflect.Slice: "a list", reflect.Int: "a whole number", reflect.Float64: "a number", reflect.Struct: "an object",
	}[wrong.Type.Kind()]
	return fmt.Sprintf("%s is to be %s, not %s", wrong.Field, kind, wrong.Value)
}
