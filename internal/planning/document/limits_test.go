package document

import (
	"fmt"
	"strings"
	"testing"

	"github.com/yuin/goldmark/ast"
)

// hostile are inputs that are quadratic, or worse, for goldmark as it comes.
// Each is repeated up to about n bytes.
func hostile(n int) map[string]string {
	rep := func(s string) string { return strings.Repeat(s, n/len(s)+1) }
	var ticks, rows strings.Builder
	for i := 1; ticks.Len() < n; i++ {
		ticks.WriteString(strings.Repeat("`", i%2000+1) + " ")
	}
	half := n / 2
	fmt.Fprintf(&rows, "%s|\n%s|\n%s", strings.Repeat("|a", half/4), strings.Repeat("|-", half/4), strings.Repeat("|\n", half/2))
	return map[string]string{
		"images":             rep("![]("),
		"open brackets":      rep("["),
		"nested brackets":    strings.Repeat("[", half) + strings.Repeat("]", half),
		"short nests":        rep(strings.Repeat("[", 499) + strings.Repeat("]", 499)),
		"links":              rep("[a](b"),
		"links in brackets":  strings.Repeat("[", half/2) + rep("[a](b) ")[:half] + strings.Repeat("]", half/2),
		"titles":             rep("[a](b \""),
		"full references":    rep("[a][b"),
		"nested images":      strings.Repeat("![", half/3) + strings.Repeat("](x)", half/4),
		"lists":              rep("- "),
		"ordered lists":      rep("1. "),
		"quotes":             rep(">"),
		"quotes and lists":   rep("> - "),
		"quote lines":        rep(">>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>a\n"),
		"deep list by lines": deepList(n),
		"openers":            rep("*a **a _a "),
		"closers":            rep("a* a** a_ "),
		"mixed closers":      rep("*a_ "),
		"rule of three":      rep("a**b c* "),
		"asterisks":          rep("*"),
		"tildes":             "x " + rep("~"),
		"spaced tildes":      rep("~a ~~b "),
		"backticks":          ticks.String(),
		"tags":               rep("<a x=\""),
		"tags, mixed quotes": rep("<a x=\"<a y='"),
		"comments":           "x " + rep("<!--"),
		"declarations":       rep("x<!A "),
		"instructions":       rep("x<?"),
		"autolinks":          rep("<http:a"),
		"mail":               rep("_a"),
		"mail in asterisks":  rep("a*"),
		"mail with at":       rep("a@a_"),
		"urls":               rep("(http://a.bc/"),
		"wide table":         rows.String(),
		"escaped bars":       "|a|\n|-|\n" + rep("|`\\|`\n"),
		"escaped bars, wide": strings.Repeat("|a", half/8) + "|\n" + strings.Repeat("|-", half/8) + "|\n" + strings.Repeat("|`\\|`", half/5),
		"definitions":        rep("[a]: b\n"),
		"open titles":        rep("[a]: b\n(x\n"),
		"definitions apart":  rep("[a]: b\n\n"),
		"entities":           rep("&a;&#x;"),
		"headings":           rep("# a\n"),
		"numbered headings":  rep("## Step 1: a\n"),
		"items":              rep("1. a\n"),
		"underlines":         rep("a\n-\n"),
		"html blocks":        rep("<div>\n"),
		"blank lines":        rep("\n"),
		"spaces":             rep(" "),
		"tabs":               rep("\t-"),
		"one word":           rep("a"),
		"bold":               rep("**a** "),
		"no end":             "```\n" + rep("1. a\n"),
	}
}

func deepList(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		b.WriteString(strings.Repeat("  ", i%500) + "- a\n")
	}
	return b.String()
}

func TestParse_HostileInputKeepsItsBytes(t *testing.T) {
	for name, source := range hostile(4 << 10) {
		t.Run(name, func(t *testing.T) {
			source = "# T\n\n" + source
			d := Parse(source)
			checkTiling(t, d)
			if d.Title != "T" {
				t.Errorf("title %q", d.Title)
			}
		})
	}
}

func TestParse_LimitsLeaveOrdinaryTextAlone(t *testing.T) {
	word := "Some *words* with `code`, a [link](https://example.com), arr[i] < b, **bold** and me@example.com.\n"
	cases := []struct {
		name, source string
		marks        string
		want         int
	}{
		{"a long paragraph", strings.Repeat(word, 100), "Emphasis", 200},
		{"a long table", "|a|b|\n|-|-|\n" + strings.Repeat("|*x*|`y \\| z`|\n", 500), "TableCell", 1002},
		{"nested lists", nestedList(20), "ListItem", 20},
		{"many definitions", "[a]\n\n" + strings.Repeat("[a]: /b\n", 200), "LinkReferenceDefinition", 200},
		{"brackets inside one another", strings.Repeat("[", 40) + "x](y)" + strings.Repeat("]", 39), "Link", 1},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := 0
			_ = ast.Walk(parse([]byte(c.source)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
				if entering && n.Kind().String() == c.marks {
					got++
				}
				return ast.WalkContinue, nil
			})
			if got != c.want {
				t.Errorf("%d nodes %s, want %d", got, c.marks, c.want)
			}
		})
	}
}

func nestedList(depth int) string {
	var b strings.Builder
	for i := range depth {
		b.WriteString(strings.Repeat("  ", i) + "- a\n")
	}
	return b.String()
}
