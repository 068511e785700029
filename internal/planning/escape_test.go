package planning

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
)

// TestExport_R10_JSONObeysNothing: JSON with every character that a terminal or
// an editor follows means the same, and shows none of them.
func TestExport_R10_JSONObeysNothing(t *testing.T) {
	var all strings.Builder
	for r := range rune(unicode.MaxRune + 1) {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || unicode.Is(unicode.Cf, r) {
			all.WriteRune(r)
		}
	}
	text := "a é 中 😀 \\u202e \\\u202e \"" + all.String()
	in := map[string]any{"text": text, text: json.RawMessage("[\"\u009b31m\", \"\u2066\", \"\x7f\"]")}
	data, err := json.MarshalIndent(in, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	escaped := EscapeJSON(data)
	var want, got map[string]any
	if json.Unmarshal(data, &want) != nil || json.Unmarshal(escaped, &got) != nil {
		t.Fatalf("it can't be read: %s", escaped)
	}
	if got["text"] != text || want["text"] != text || len(got) != len(want) {
		t.Errorf("it means something else: %q", got)
	}
	if list, _ := got[text].([]any); len(list) != 3 || list[0] != "\u009b31m" || list[2] != "\x7f" {
		t.Errorf("the list means something else: %q", got[text])
	}
	for _, r := range string(escaped) {
		if unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) {
			t.Errorf("%U stands in it as it is", r)
		}
	}
	for _, plain := range []string{"é", "中", "😀", "\u200b"} {
		if !strings.Contains(string(escaped), plain) {
			t.Errorf("%q was changed", plain)
		}
	}
}
