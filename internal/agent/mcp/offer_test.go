package mcp

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"countersign/internal/agent"
	"countersign/internal/planning"
)

func TestList_TenThousandTools(t *testing.T) {
	r := newRig(t, "many")
	told := r.open(planning.ModePlan)
	if len(told.Tools) != MaxTools || len(r.set.Tools()) != MaxTools {
		t.Errorf("%d listed, %d offered, want %d", len(told.Tools), len(r.set.Tools()), MaxTools)
	}
	if len(told.Notes) != 1 || !strings.Contains(told.Notes[0], "more tools than fit") {
		t.Errorf("notes: %q", told.Notes)
	}
}

func TestList_OddNamesAndTexts(t *testing.T) {
	r := newRig(t, "odd")
	told := r.open(planning.ModePlan)
	valid := regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	for _, name := range r.names() {
		if !valid.MatchString(name) {
			t.Errorf("%q is no name for a model", name)
		}
	}
	if names := r.names(); slices.Contains(names, "t__get_weather") || !slices.Contains(names, "t__plain") {
		t.Errorf("names: %q", names)
	}
	notes := strings.Join(told.Notes, "\n")
	for _, want := range []string{"the same name: get.weather.", "the same name: get/weather.", "more than 16 KiB: huge."} {
		if !strings.Contains(notes, want) {
			t.Errorf("the notes %q do not say %q", notes, want)
		}
	}
	spec := r.tool("described").Spec()
	if len(spec.Description) > maxDescription+100 || strings.ContainsAny(spec.Description, "\x1b\u202e\U000E0041") {
		t.Errorf("description of %d bytes: %q", len(spec.Description), spec.Description)
	}
	if !strings.Contains(string(spec.Parameters), `"hidden"`) {
		t.Errorf("schema: %s", spec.Parameters)
	}
}

func TestList_NamesAreUnique(t *testing.T) {
	long := strings.Repeat("x", 80)
	a, b := offeredName("s", long+"1"), offeredName("s", long+"2")
	if a == b || len(a) != maxName {
		t.Errorf("%q and %q", a, b)
	}
}

// What a server adds while the agent works comes with the next run.
func TestList_StaysDuringARun(t *testing.T) {
	r := newRig(t, "tools")
	r.open(planning.ModeExecuting)
	before := r.names()
	r.says("grows", given{})
	if after := r.names(); !slices.Equal(before, after) {
		t.Errorf("the list went from %q to %q", before, after)
	}
}

func TestResult_IsShortForTheModelAndWholeForTheLog(t *testing.T) {
	r := newRig(t, "tools")
	r.open(planning.ModeExecuting)
	result, err := r.call(t.Context(), "repeats", given{Text: "0123456789", N: 20_000})
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Output) > maxOutput+100 || !strings.HasPrefix(result.Output, "begin") || !strings.HasSuffix(result.Output, "end") {
		t.Errorf("for the model: %d bytes", len(result.Output))
	}
	if len(result.Whole) != 200_008 {
		t.Errorf("for the log: %d bytes", len(result.Whole))
	}
	result, err = r.call(t.Context(), "repeats", given{Text: "0123456789", N: 300_000})
	if err != nil || len(result.Whole) > maxWhole+100 || len(result.Whole) < maxWhole {
		t.Errorf("%v, for the log: %d bytes, want %d", err, len(result.Whole), maxWhole)
	}
	if result, err := r.call(t.Context(), "repeats", given{}); err != nil || result.Whole != "" {
		t.Errorf("%v, kept twice: %q", err, result.Whole)
	}
}

func TestResult_KindsOfContent(t *testing.T) {
	r := newRig(t, "tools")
	r.open(planning.ModeExecuting)
	want := "look:\n[image, image/png, 20 KB]\n[audio, audio/wav, 10 bytes]\n[resource file:///a] a\n[resource mem://b]\ninside\n[resource mem://c, application/zip, 3 KB]\n{\n  \"answer\": 42\n}"
	if got := r.says("mixed", given{}); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if said := r.refuses("fails", given{}); said != "no such table" {
		t.Errorf("refusal: %q", said)
	}
}

func TestServer_WantsInputOfAPerson(t *testing.T) {
	r := newRig(t, "tools")
	r.open(planning.ModeExecuting)
	if said := r.refuses("wants", given{}); !strings.Contains(said, "does not support elicitation") {
		t.Errorf("refusal: %q", said)
	}
}

func TestServer_AsksTheClient(t *testing.T) {
	r := newRig(t, "legacy")
	r.open(planning.ModeExecuting)
	said := r.says("asks", given{})
	if strings.Contains(said, "sampled: <nil>") || strings.Contains(said, "elicited: <nil>") || !strings.Contains(said, "roots: [file://"+r.workspace+"] <nil>") {
		t.Errorf("it says %s", said)
	}
}

func TestPlan_P28_WhoIsAskedSeesTheArguments(t *testing.T) {
	r := newRig(t, "tools")
	r.open(planning.ModeExecuting)
	tool := r.tool("repeats")
	preview, err := tool.(agent.Previewer).Preview(agent.Env{}, json.RawMessage(`{"text":"a","n":3}`))
	if err != nil || preview.Detail != "{\n  \"text\": \"a\",\n  \"n\": 3\n}" {
		t.Errorf("%v %q", err, preview.Detail)
	}
	for _, raw := range []string{`[1]`, `null`, `{"a":`, `"x"`} {
		if _, err := tool.Touch(json.RawMessage(raw)); err == nil {
			t.Errorf("%s passes", raw)
		}
		if _, err := tool.Run(context.Background(), agent.Env{}, json.RawMessage(raw)); err == nil {
			t.Errorf("%s runs", raw)
		}
	}
}
