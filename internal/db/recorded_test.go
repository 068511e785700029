package db

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"countersign/internal/planning"
)

// recordedSession is a log with the state that the code of its time made of it.
type recordedSession struct {
	Records []planning.Record `json:"records"`
	State   json.RawMessage   `json:"state"`
}

// recordedSessions reads testdata/recorded. With -make-earlier it makes the one
// of this code first, under the name of its fold, if that is not there.
func recordedSessions(t *testing.T) map[string]recordedSession {
	t.Helper()
	if *makeEarlier {
		makeRecorded(t)
	}
	files, err := filepath.Glob(filepath.Join("testdata", "recorded", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no recorded sessions: %v", err)
	}
	all := map[string]recordedSession{}
	for _, name := range files {
		var s recordedSession
		if err := json.Unmarshal(mustRead(t, name), &s); err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(name)] = s
	}
	return all
}

func makeRecorded(t *testing.T) {
	t.Helper()
	name := filepath.Join("testdata", "recorded", "fold-"+foldID+".json")
	if _, err := os.Stat(name); err == nil {
		return
	}
	s := recordedSession{Records: records(t, "one", 75)}
	for i := range s.Records {
		s.Records[i].Sum = planning.Sum{} // not what this is about
	}
	state, err := planning.Fold(planning.State{}, s.Records...)
	if err == nil {
		s.State, err = json.Marshal(state)
	}
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.MarshalIndent(s, "", " ")
	if err == nil {
		err = os.MkdirAll(filepath.Dir(name), 0o755)
	}
	if err == nil {
		err = os.WriteFile(name, append(b, '\n'), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// missing says what the new state has not, or has otherwise, of the old one.
// New fields may have come.
func missing(t *testing.T, old, now []byte) string {
	t.Helper()
	var a, b any
	for raw, into := range map[*any][]byte{&a: old, &b: now} {
		if err := json.Unmarshal(into, raw); err != nil {
			t.Fatal(err)
		}
	}
	return lacks("state", a, b)
}

func lacks(at string, old, now any) string {
	switch o := old.(type) {
	case map[string]any:
		n, _ := now.(map[string]any)
		for key, value := range o {
			if diff := lacks(at+"."+key, value, n[key]); diff != "" {
				return diff
			}
		}
		return ""
	case []any:
		n, _ := now.([]any)
		if len(n) != len(o) {
			return fmt.Sprintf("%s has %d entries, had %d", at, len(n), len(o))
		}
		for i := range o {
			if diff := lacks(fmt.Sprintf("%s[%d]", at, i), o[i], n[i]); diff != "" {
				return diff
			}
		}
		return ""
	}
	if !reflect.DeepEqual(old, now) {
		return fmt.Sprintf("%s is %v, was %v", at, now, old)
	}
	return ""
}
