package markdown

import (
	"strings"
	"testing"
)

func TestCode_ColouredWithinBounds(t *testing.T) {
	line := "func f() string { return \"x\" } // y\n"
	cases := []struct {
		name, source string
		spans        bool
	}{
		{"Go", "```go\n" + line + "```", true},
		{"by the ending of a file", "```tsx\nconst x = 1\n```", true},
		{"more words behind the fence", "```go title=x\n" + line + "```", true},
		{"a diff", "```diff\n+a\n-b\n```", true},
		{"no language", "```\n" + line + "```", false},
		{"an unknown language", "```nosuch\n" + line + "```", false},
		{"long", "```go\n" + strings.Repeat(line, 1+maxColored/len(line)) + "```", false},
		{"a long line", "```go\nfunc " + strings.Repeat("a", maxLine) + "\n```", false},
		// What takes the lexer of C 46 seconds.
		{"empty lines", "```c\nint a;\n" + strings.Repeat("\n", maxBlock-100) + "```", false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			doc := parse(t, HTML(c.source, ""))
			if got := doc.Find("pre.chroma code span").Length() > 0; got != c.spans {
				t.Errorf("coloured: %v, want %v", got, c.spans)
			}
			_, code, _ := strings.Cut(strings.TrimSuffix(c.source, "```"), "\n")
			if got := doc.Find("pre.chroma code").Text(); got != code {
				t.Errorf("shows %q, want %q", got, code)
			}
		})
	}
}

func TestCode_OneTextColoursSoMuch(t *testing.T) {
	code := "```go\n" + strings.Repeat("var a = 1 // x\n", 180) + "```\n\n"
	doc := parse(t, HTML(strings.Repeat(code, 4), ""))
	colored := doc.Find("pre.chroma:has(span)").Length()
	if all := doc.Find("pre.chroma").Length(); all != 4 || colored != 2 {
		t.Errorf("%d of %d blocks are coloured, want 2 of 4", colored, all)
	}
}
