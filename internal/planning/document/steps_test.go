package document

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// outlineText shows blocks one a line: "1 Title" for a step, "- Title" for text.
func outlineText(d Document) string {
	var b strings.Builder
	for _, block := range d.Blocks {
		mark := "-"
		if block.Kind == Step {
			mark = fmt.Sprint(block.Number)
		}
		fmt.Fprintf(&b, "%s %s\n", mark, block.Title)
	}
	return b.String()
}

func TestParse_R2_RulesInOrder(t *testing.T) {
	cases := []struct{ name, source, want string }{
		{"nothing", "", ""},
		{"blank lines", "\n \n", "- \n"},
		{"only a title", "# T\n", "- T\n"},
		{"title and definitions", "# T\n\n[a]: /b\n", "- T\n- \n"},
		{
			"1 numbered headings with their sections",
			"# T\n\nIntro.\n\n## Context\n\nWhy.\n\n## Step 1: Read\n\n1. x\n\n### Detail\n\n## Step 2: Write\n\n## Risks\n\nNone.\n",
			"- T\n- Intro.\n- Context\n1 Read\n2 Write\n- Risks\n",
		},
		{
			"1 the shallowest numbered level",
			"# T\n\n## Phase 1\n\n### Step 1: a\n\n### Step 2: b\n\n## Phase 2: Ship\n\n### Step 1: c\n",
			"- T\n1 Phase 1\n2 Ship\n",
		},
		{
			"1 a deeper level where the shallower ones have no numbers",
			"# T\n\n## Work\n\nFirst.\n\n### 1. a\n\ntext\n\n### 2. b\n\n## Notes\n\n### 3. c\n",
			"- T\n- Work\n1 a\n2 b\n- Notes\n3 c\n",
		},
		{"1 a level-one heading is no step", "# 1. T\n\n1. a\n", "- 1. T\n1 a\n"},
		{"1 a heading in a quotation is no step", "# T\n\n> ## Step 1: x\n\n1. a\n", "- T\n- Step 1: x\n1 a\n"},
		{"1 underlined headings", "T\n===\n\nStep 1: a\n---\n\ntext\n\nStep 2: b\n---\n", "- T\n1 a\n2 b\n"},
		{
			"2 items of all ordered lists of the top level",
			"# T\n\n1. a\n   1. deep\n2. b\n\n- [ ] no\n\nText.\n\n7) c\n",
			"- T\n1 a\n2 b\n- no\n3 c\n",
		},
		{"2 a list in a quotation or in a list is not at the top", "# T\n\n> 1. q\n\n- x\n  1. y\n- [ ] z\n", "- T\n- q\n1 z\n"},
		{"2 a loose list, and items of several blocks", "# T\n\n1. a\n\n   more\n\n2. b\n\n       code\n", "- T\n1 a\n2 b\n"},
		{"2 a check box in an ordered list", "# T\n\n1. [x] done\n2. [ ] open\n", "- T\n1 done\n2 open\n"},
		{"2 an item without text", "# T\n\n1.\n2. b\n", "- T\n1 1.\n2 b\n"},
		{"2 an item that is only code", "# T\n\n1. ```\n   x\n   ```\n", "- T\n1 1. ```\n"},
		{"3 task lists", "# T\n\n- [ ] a\n- [x] b\n- c\n- [ ] d\n\n## End\n", "- T\n1 a\n2 b\n- c\n3 d\n- End\n"},
		{
			"4 paragraphs with a bold number",
			"# T\n\nIntro.\n\n**Step 1:** Read\nthe code\n\n```\nx\n```\n\n**2. Write** it\n\n## End\n\n**bold** but no number\n",
			"- T\n- Intro.\n1 Read the code\n2 Write it\n- End\n",
		},
		{"4 the number itself has to be bold", "# T\n\n**Step** 1: a\n", "- T\n1 a\n"},
		{"5 sections", "# T\n\nIntro.\n\n## a\n\n### x\n\n## b\n\n# End\n\ntext\n", "- T\n- Intro.\n1 a\n2 b\n- End\n"},
		{"6 the whole body", "# T\n\nDo *it*\nnow.\n\n### How\n\n- x\n", "- T\n1 Do it now.\n"},
		{"6 without a title", "Do it.\n\n- x\n", "1 Do it.\n"},
		{"6 what stands before the title", "Do it.\n\n# T\n", "1 Do it.\n- T\n"},
		{
			"text is cut at headings",
			"# T\n\nIntro.\n\nMore.\n\n## A\n\n### A1\n\n## B\n\n1. x\n\nBetween.\n\n2. y\n\n### C\n\n## D\n\n# E\n\n## F\n",
			"- T\n- Intro.\n- A\n- B\n1 x\n- Between.\n2 y\n- C\n- D\n- E\n- F\n",
		},
		{"text before the title", "<!-- x -->\n\n# T\n\n1. a\n", "- \n- T\n1 a\n"},
		{"a byte order mark", "\uFEFF# T\r\n\r\n1. a\r\n", "- T\n1 a\n"},
		{"a table below a paragraph", "# T\n\ntext\n| a |\n|---|\n| b |\n\n1. x\n", "- T\n- text\n1 x\n"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			d := Parse(c.source)
			checkTiling(t, d)
			if diff := cmp.Diff(c.want, outlineText(d)); diff != "" {
				t.Errorf("%q\n%s", c.source, diff)
			}
		})
	}
}

func TestParse_R2_TitlesArePlainText(t *testing.T) {
	cases := []struct{ item, want string }{
		{"Run `go test ./...` **now**", "Run go test ./... now"},
		{"See [the *spec*](https://example.com) and <https://example.org>", "See the spec and https://example.org"},
		{"Return Promise<void> from save()", "Return Promise<void> from save()"},
		{"Escapes \\*stay\\* &amp; &lt;b&gt; \\&amp;", "Escapes *stay* & <b> &amp;"},
		{"An ![image *alt*](x.png) text", "An image alt text"},
		{"~~old~~ new", "old new"},
		{"two  \n   lines\n   soft", "two lines soft"},
		{"Step 3: Build", "Build"},
		{"Phase 2 rollout", "Phase 2 rollout"},
		{"### Heading in an item", "Heading in an item"},
		{"<b>x</b>\x00\xff", "<b>x</b>\uFFFD\uFFFD"},
		{"阅读**“调度器”**的代码", "阅读“调度器”的代码"},
	}
	for _, c := range cases {
		d := Parse("# T\n\n1. " + c.item + "\n")
		checkTiling(t, d)
		if got := titles(t, d); len(got) != 1 || got[0] != c.want {
			t.Errorf("%q has titles %q, want %q", c.item, got, c.want)
		}
	}
	long := Parse("# T\n\n1. " + strings.Repeat("长", 400) + "\n")
	if got := long.Blocks[1].Title; got != strings.Repeat("长", maxTitle)+"…" {
		t.Errorf("a long title is not cut: %d bytes", len(got))
	}
}

func TestNumberOf_R2(t *testing.T) {
	cases := []struct{ text, title, next string }{
		{"Step 2: Read", "Read", "Step 3: "},
		{"STEP 2 — Read", "Read", "STEP 3 — "},
		{"Step 2", "", "Step 3: "},
		{"Step 9. Read", "Read", "Step 10. "},
		{"Step 2 of 5: Read", "Read", "Step 3 of 5: "},
		{"Step two: Read", "Read", "Step three: "},
		{"Step #2 Read", "Read", "Step #3 "},
		{"Phase 2", "", "Phase 3: "},
		{"Phase II: Read", "Read", "Phase II: "},
		{"Task 1.2: Read", "Read", "Task 1.3: "},
		{"2. Read", "Read", "3. "},
		{"2) Read", "Read", "3) "},
		{"09. Read", "Read", "10. "},
		{"(2) Read", "Read", "(3) "},
		{"2: Read", "Read", "3: "},
		{"2 – Read", "Read", "3 – "},
		{"2.1. Read", "Read", "2.2. "},
		{"2、阅读", "阅读", "3、"},
		{"第二步：阅读", "阅读", "第三步："},
		{"第2步 阅读", "阅读", "第3步 "},
		{"第 十九 阶段", "", "第 二十 阶段："},
		{"步骤 2", "", "步骤 3："},
		{"步骤二：阅读", "阅读", "步骤三："},
		{"阶段 2 阅读", "阅读", "阶段 3 "},
		{"二、阅读", "阅读", "三、"},
		{"（九）阅读", "阅读", "（十）"},
		{"✅ Step 2: Read", "Read", "✅ Step 3: "},
		{"2️⃣ Read", "Read", "3️⃣ "},
		{"② Read", "Read", "③ "},
	}
	for _, c := range cases {
		n, ok := numberOf(c.text)
		if !ok || n.title != c.title || n.next().prefix() != c.next {
			t.Errorf("%q: %v, title %q, next %q; want %q, %q", c.text, ok, n.title, n.next().prefix(), c.title, c.next)
		}
	}
	for _, text := range []string{
		"", "Context", "3 reasons", "2024 roadmap", "2.0 release", "1.5 million", "10:30 meeting", "Stepping 2",
		"Step by step", "Step", "Part of it", "Steps 2", "第一", "步骤一致性检查", "步骤 2024", "一起", "#2 x", "2.Read",
	} {
		if n, ok := numberOf(text); ok {
			t.Errorf("%q counts as number %q with title %q", text, n.numeral, n.title)
		}
	}
}

func TestReferences_ApplyToEveryBlock(t *testing.T) {
	d := Parse("# T\n\n1. See [spec] and [b]\n2. x\n\n   [B]: <a b> \"t \\\" i\"\n\n[spec]: https://example.com/s\n[spec]: second\n> [q]: /q 'it'\n")
	want := "[B]: <a b> 't \\\" i'\n[spec]: <https://example.com/s>\n[spec]: <second>\n[q]: </q> \"it\"\n"
	if diff := cmp.Diff(want, d.References()); diff != "" {
		t.Fatal(diff)
	}
	again := Parse(d.References())
	if diff := cmp.Diff(want, again.References()); diff != "" {
		t.Errorf("definitions do not read back as themselves:\n%s", diff)
	}
	if got := d.Blocks[1].Title; got != "See spec and b" {
		t.Errorf("title %q", got)
	}
	many := Parse(strings.Repeat("[a]: /"+strings.Repeat("x", 1000)+"\n\n", 100))
	if n := len(many.References()); n > maxReferences || n < maxReferences-2000 {
		t.Errorf("%d bytes of definitions", n)
	}
}
