package markdown

import (
	"strings"
	"testing"
)

func TestVisible_NamesWhatCantBeSeen(t *testing.T) {
	cases := []struct{ text, want string }{
		{"plain, 中文，「」 é — “x” €\n\tnext", ""},
		{"a\u202Eb\u202C", "a⟨U+202E⟩b⟨U+202C⟩"},
		{"\u2066x\u2069\u200F", "⟨U+2066⟩x⟨U+2069⟩⟨U+200F⟩"},
		{"soft\u00adhyphen, zero\u200bwidth, word\u2060joiner", "soft⟨U+00AD⟩hyphen, zero⟨U+200B⟩width, word⟨U+2060⟩joiner"},
		{"bell\x07 escape\x1b[0m delete\x7f next\u0085", "bell⟨U+0007⟩ escape⟨U+001B⟩[0m delete⟨U+007F⟩ next⟨U+0085⟩"},
		{"line\u2028paragraph\u2029", "line⟨U+2028⟩paragraph⟨U+2029⟩"},
		{"tags \U000E0068\U000E0069", "tags ⟨U+E0068⟩⟨U+E0069⟩"},
		{"fillers \u3164\uFFA0\u115F", "fillers ⟨U+3164⟩⟨U+FFA0⟩⟨U+115F⟩"},
		{"variants a\uFE01\U000E0100", "variants a⟨U+FE01⟩⟨U+E0100⟩"},
		{"joiner a\u200Db", "joiner a⟨U+200D⟩b"},
		// These are spelling.
		{"👩\u200D💻 ❤\uFE0F 1\uFE0F\u20E3 👍🏽", ""},
		{"می\u200Cخواهم क\u094D\u200Dष 葛\U000E0100 \u0600", ""},
	}
	for _, c := range cases {
		if c.want == "" {
			c.want = c.text
		}
		if got := Visible(c.text); got != c.want {
			t.Errorf("%q comes out as %q, want %q", c.text, got, c.want)
		}
	}
}

func TestHTML_NamesStandInElementsOfTheirOwn(t *testing.T) {
	for name, out := range map[string]string{
		"text":          HTML("a\u202Eb", ""),
		"entity":        HTML("a&#x202E;b", ""),
		"code":          HTML("`a\u202Eb`", ""),
		"fence":         HTML("```go\na\u202Eb\n```", ""),
		"link":          HTML("[a\u202Eb](https://example.com)", ""),
		"image":         HTML("![a\u202Eb](https://example.com)", ""),
		"html":          HTML("<b\u202E>", "") + HTML("<!-- \u202E -->", ""),
		"comment":       Comment("a\u202Eb"),
		"inline":        Inline("a\u202E*b*"),
		"text as it is": Text("a\u202Eb<"),
		"plain":         Plain("a\u202Eb"),
		"long":          HTML("\u202E"+strings.Repeat("x", maxBlock), ""),
	} {
		found := parse(t, out).Find(`span.ctl[title="U+202E"]`)
		if found.Length() == 0 || found.First().Text() != "⟨U+202E⟩" || strings.Contains(out, "\u202E") {
			t.Errorf("%s: %s", name, out)
		}
	}
}
