package builtin

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Whatever the lines are, also where many are alike, the edits that come out
// are unique at their time and lead to the text that was planned.
func TestReplacements_LeadToThePlannedText(t *testing.T) {
	words := []string{"", "a", "aa", "b", "a b", "\t", "}"}
	for seed := range uint64(3000) {
		random := rand.New(rand.NewPCG(seed, 3))
		content := make([]string, 1+random.IntN(60))
		for i := range content {
			content[i] = words[random.IntN(len(words))]
		}
		content[random.IntN(len(content))] = "x" // a file of blank lines has nothing to hold on to
		var hunks []hunk
		want := slices.Clone(content)
		for at := 0; at < len(content); at += 1 + random.IntN(8) {
			h := hunk{line: at + 1, old: content[at : at+1], new: []string{words[random.IntN(len(words))] + "!"}}
			if random.IntN(5) == 0 {
				h.new = append(h.new, "more")
			}
			hunks = append(hunks, h)
		}
		for _, h := range slices.Backward(hunks) {
			want = slices.Replace(want, h.line-1, h.line, h.new...)
		}
		end := "\n"
		if content[len(content)-1] != "" && random.IntN(2) == 0 {
			end = ""
		}
		text := strings.Join(content, "\n") + end
		list := place(content, hunks, false)
		for _, r := range replacements(content, list) {
			if n := strings.Count(text, r.old); n != 1 {
				t.Fatalf("seed %d: %q stands %d times in %q", seed, r.old, n, text)
			}
			text = strings.Replace(text, r.old, r.new, 1)
		}
		if d := cmp.Diff(strings.Join(want, "\n")+end, text); d != "" {
			t.Fatalf("seed %d: %s", seed, d)
		}
		for i, p := range place(want, hunks, true) {
			if p.state == ready {
				t.Fatalf("seed %d: hunk %d would be made twice", seed, i)
			}
		}
	}
}

func TestReplacements_LineTakenOut(t *testing.T) {
	for _, content := range [][]string{{"x"}, {"x", "b"}, {"a", "x"}, {"a", "x", "b"}, {"x", "x", "x"}} {
		at := slices.Index(content, "x")
		text := strings.Join(content, "\n")
		for _, r := range replacements(content, place(content, []hunk{{line: at + 1, old: []string{"x"}}}, false)) {
			text = strings.Replace(text, r.old, r.new, 1)
		}
		if want := strings.Join(slices.Delete(slices.Clone(content), at, at+1), "\n"); text != want {
			t.Errorf("%q became %q, want %q", content, text, want)
		}
	}
}

func TestPlace(t *testing.T) {
	h := func(line int, old, new string) hunk {
		return hunk{line: line, old: strings.Split(old, "|"), new: strings.Split(new, "|")}
	}
	tests := map[string]struct {
		content string
		hunks   []hunk
		at      []int
		state   []placement
		again   bool
	}{
		"in place":                {"a|b|c", []hunk{h(2, "b", "x")}, []int{1}, []placement{ready}, false},
		"moved, and unique":       {"n|a|b", []hunk{h(1, "a", "x")}, []int{1}, []placement{ready}, false},
		"moved, and twice":        {"n|a|a", []hunk{h(1, "a", "x")}, []int{0}, []placement{gone}, false},
		"done already":            {"a|x", []hunk{h(2, "b", "x")}, []int{1}, []placement{already}, false},
		"done, and grown":         {"x|y|z|w", []hunk{h(1, "a", "x|y"), h(2, "b", "z|w")}, []int{0, 2}, []placement{already, already}, false},
		"not there":               {"a", []hunk{h(1, "b", "x")}, []int{0}, []placement{gone}, false},
		"behind the end":          {"a", []hunk{h(9, "b", "x")}, []int{8}, []placement{gone}, false},
		"blanks at the end":       {"a  ", []hunk{h(1, "a", "x")}, []int{0}, []placement{ready}, false},
		"the same line twice":     {"a", []hunk{h(1, "a", "x"), h(1, "a", "y")}, []int{0, 0}, []placement{ready, clash}, false},
		"lines that overlap":      {"a|b|c", []hunk{h(1, "a|b", "x"), h(2, "b|c", "y")}, []int{0, 1}, []placement{ready, clash}, false},
		"an empty file":           {"", []hunk{h(1, "a", "x")}, []int{0}, []placement{gone}, false},
		"old text is still there": {"ab", []hunk{h(1, "a", "ab")}, []int{0}, []placement{already}, false},
		"a line was added":        {"a|b", []hunk{h(1, "a", "a|b")}, []int{0}, []placement{already}, true},
		"a line is to be added":   {"a|b", []hunk{h(1, "a", "a|b")}, []int{0}, []placement{ready}, false},
		"by chance at its number": {"x|y|b|z", []hunk{h(1, "q", "x|y"), h(2, "a", "b"), h(3, "b", "z")}, []int{0, 2, 3}, []placement{already, already, already}, true},
	}
	for name, test := range tests {
		for i, p := range place(strings.Split(test.content, "|"), test.hunks, test.again) {
			if p.state != test.state[i] || p.at != test.at[i] {
				t.Errorf("%s: hunk %d is at %d in state %d", name, i, p.at, p.state)
			}
		}
	}
}

// Changes near each other are one edit; those far apart are several.
func TestReplacements_Size(t *testing.T) {
	content := make([]string, 200)
	for i := range content {
		content[i] = strings.Repeat("x", i)
	}
	hunks := []hunk{}
	for _, n := range []int{1, 5, 30, 100, 199} {
		hunks = append(hunks, hunk{line: n, old: content[n-1 : n], new: []string{"new"}})
	}
	var sizes []int
	for _, r := range replacements(content, place(content, hunks, false)) {
		sizes = append(sizes, len(r.hunks))
	}
	if d := cmp.Diff([]int{1, 1, 3}, sizes); d != "" {
		t.Error(d)
	}
}
