package document

import (
	"fmt"
	"strings"
	"testing"

	"github.com/yuin/goldmark/ast"
)

// marked shows emphasis in a paragraph: <1> and <2> for one and two asterisks,
// <s> for struck text.
func marked(source string) string {
	src := []byte(source)
	var b strings.Builder
	_ = ast.Walk(parse(src), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		tag := ""
		switch n := n.(type) {
		case *ast.Emphasis:
			tag = fmt.Sprint(n.Level)
		case *ast.Text:
			if entering {
				b.Write(n.Segment.Value(src))
			}
		default:
			if n.Kind().String() == "Strikethrough" {
				tag = "s"
			}
		}
		if tag != "" && entering {
			b.WriteString("<" + tag + ">")
		} else if tag != "" {
			b.WriteString("</" + tag + ">")
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

func TestEmphasis_R2_BesideEastAsianPunctuation(t *testing.T) {
	cases := []struct{ source, want string }{
		{"阅读**「调度器」**的代码", "阅读<2>「调度器」</2>的代码"},
		{"**真，**她说", "<2>真，</2>她说"},
		{"*真，*她说", "<1>真，</1>她说"},
		{"说**“好”**了", "说<2>“好”</2>了"},
		{"这是**重点（必读）**。", "这是<2>重点（必读）</2>。"},
		{"**重点**：说明", "<2>重点</2>：说明"},
		{"用**`代码`**写", "用<2>代码</2>写"},
		{"用**[链接](x)**写", "用<2>链接</2>写"},
		{"これは**「太字」**です", "これは<2>「太字」</2>です"},
		{"이것은 **굵은(bold)**입니다", "이것은 <2>굵은(bold)</2>입니다"},
		{"~~删除。~~新的", "<s>删除。</s>新的"},
		{"***又粗又斜，***是", "<1><2>又粗又斜，</2></1>是"},
		{"**外*内，*外。**后", "<2>外<1>内，</1>外。</2>后"},
		// Where no such script is beside, the rule is CommonMark's.
		{"a**\"b\"**c", "a**\"b\"**c"},
		{"a * b *", "a * b *"},
		{"**bold** and *it*", "<2>bold</2> and <1>it</1>"},
		{"***a** b*", "<1><2>a</2> b</1>"},
		{"*a **b***", "<1>a <2>b</2></1>"},
		{"foo*bar*baz", "foo<1>bar</1>baz"},
		{"foo_bar_baz", "foo_bar_baz"},
		{"_a_ (_b_)", "<1>a</1> (<1>b</1>)"},
		{"snake_case_名字_了", "snake_case_名字_了"},
		{"~a~ ~~b~~ ~~~c~~~", "<s>a</s> <s>b</s> ~~~c~~~"},
		{"~~a~", "~~a~"},
		{"3~5 天，7~10 天", "3~5 天，7~10 天"},
		{"约~5天，~6天", "约~5天，~6天"},
		{strings.Repeat("*", 40) + "a", strings.Repeat("*", 40) + "a"},
	}
	for _, c := range cases {
		if got := marked(c.source); got != c.want {
			t.Errorf("%q gives %q, want %q", c.source, got, c.want)
		}
	}
}
