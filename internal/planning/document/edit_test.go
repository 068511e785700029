package document

import (
	"strings"
	"testing"

	"countersign/internal/fault"

	"github.com/google/go-cmp/cmp"
)

const (
	listed = "# T\n\nWhy.\n\n1. Read\n2. Write\n   it\n3. Ship\n\nEnd.\n"
	headed = "# T\n\n## Context\n\nWhy.\n\n## Step 1: Read\n\nAll.\n\n## Step 2: Write\n\n- x\n\n## Risks\n\nNone.\n"
)

// check compares an edit's result, or the beginning of its fault's sentence.
func check(t *testing.T, got string, err error, want, refusal string) {
	t.Helper()
	if refusal != "" {
		if f, ok := fault.As(err); !ok || f.Code != fault.Invalid || !strings.Contains(f.Message, refusal) || got != "" {
			t.Errorf("got %q, %v; want a refusal with %q", got, err, refusal)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	checkTiling(t, Parse(got))
}

func TestReplace_R2_OnlyItsBytesChange(t *testing.T) {
	cases := []struct {
		name, source string
		i            int
		text         string
		want         string // new source
		refusal      string // or a part of the fault's sentence
	}{
		{"as it was", listed, 3, "2. Write\r\n   it\r\n", listed, ""},
		{"with its marker", listed, 3, "2. Write it *all*", strings.Replace(listed, "2. Write\n   it", "2. Write it *all*", 1), ""},
		{"without its marker", listed, 3, "Write it", strings.Replace(listed, "2. Write\n   it", "2. Write it", 1), ""},
		{
			"without its marker, several blocks", listed, 3, "\nWrite it:\n\n```\na()\n\n```\nand more\n\n",
			strings.Replace(listed, "2. Write\n   it", "2. Write it:\n\n   ```\n   a()\n\n   ```\n   and more", 1), "",
		},
		{"several steps", listed, 3, "2. Write\n3. Test", strings.Replace(listed, "2. Write\n   it", "2. Write\n3. Test", 1), ""},
		{"an empty text", listed, 3, " \n\t\n", "", "delete it"},
		{"a fence that is not closed", listed, 3, "2. Write\n\n```\nx", "", "step 3 (“Ship”) would no longer"},
		{"a heading that takes the steps over", listed, 3, "## Step 9: x", strings.Replace(listed, "2. Write\n   it", "2. ## Step 9: x", 1), ""},
		{"a NUL", listed, 3, "a\x00b", "", "NUL character"},
		{"no UTF-8", listed, 3, "a\xff", "", "UTF-8"},
		{"text between", listed, 1, "Because.\n\nReally.", strings.Replace(listed, "Why.", "Because.\n\nReally.", 1), ""},
		{"text that becomes a step", listed, 1, "1. First", strings.Replace(listed, "Why.", "1. First", 1), ""},
		{"the title", listed, 0, "# New title", strings.Replace(listed, "# T", "# New title", 1), ""},
		{"the title, underlined", listed, 0, "New\n===", strings.Replace(listed, "# T", "New\n===", 1), ""},
		{"no title", listed, 0, "New title", "", "would have no title"},
		{"a title further down", listed, 0, "x\n\n# T", "", "would have no title"},
		{"a numbered heading", headed, 2, "## Step 1: Look\n\nAt it.", strings.Replace(headed, "## Step 1: Read\n\nAll.", "## Step 1: Look\n\nAt it.", 1), ""},
		{"a numbered heading without its number", headed, 2, "## Look\n\nAt it.", strings.Replace(headed, "## Step 1: Read\n\nAll.", "## Step 1: Look\n\nAt it.", 1), ""},
		{"a numbered heading of another level", headed, 2, "# Look\n\nAt it.", strings.Replace(headed, "## Step 1: Read\n\nAll.", "## Step 1: Look\n\nAt it.", 1), ""},
		{"a numbered heading, only words", headed, 2, "Look\n\nAt it.", strings.Replace(headed, "## Step 1: Read\n\nAll.", "## Step 1: Look\n\nAt it.", 1), ""},
		{"a numbered heading, only a list", headed, 2, "- a\n- b", strings.Replace(headed, "All.", "- a\n- b", 1), ""},
		{"a section that loses its heading", headed, 4, "None at all.", "", "step 2 (“Write”)"},
		{"two sections of one", headed, 1, "## Context\n\nx\n\n## Goal\n\ny", strings.Replace(headed, "Why.", "x\n\n## Goal\n\ny", 1), ""},
		{"a task", "# T\n\n- [x] a\n- [ ] b\n", 1, "c", "# T\n\n- [x] c\n- [ ] b\n", ""},
		{"a task without its box", "# T\n\n* [x] a\n* [ ] b\n", 2, "* c\n  d", "# T\n\n* [x] a\n* [ ] c\n  d\n", ""},
		{"a bold number", "# T\n\n**Step 1:** a\n\nx\n\n**Step 2:** b\n", 1, "c", "# T\n\n**Step 1:** c\n\n**Step 2:** b\n", ""},
		{"a bold number in Chinese", "# T\n\n**第一步：**读\n\n**第二步：**写\n", 2, "改", "# T\n\n**第一步：**读\n\n**第二步：** 改\n", ""},
		{"a section", "# T\n\n## a\n\nx\n\n## b\n", 1, "c\n\ny", "# T\n\n## c\n\ny\n\n## b\n", ""},
		{"the whole body", "# T\n\nDo it.\n", 1, "Do *that*.\n\n\n", "# T\n\nDo *that*.\n", ""},
		{"no line end at the end", "# T\n\n1. a", 1, "b", "# T\n\n1. b", ""},
		{"line ends of Windows", "# T\r\n\r\n1. a\r\n2. b\r\n", 2, "c\n\nd", "# T\r\n\r\n1. a\r\n2. c\r\n\r\n   d\r\n", ""},
		{"a blank line where it is needed", "# T\n\n## A\n3. x\n", 1, "## A\n\ntext", "# T\n\n## A\n\ntext\n\n3. x\n", ""},
		{"an indented item", "# T\n\n 10) a\n 11) b\n", 1, "c\n\nd", "# T\n\n 10) c\n\n     d\n 11) b\n", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, err := Parse(c.source).Replace(c.i, c.text)
			check(t, got, err, c.want, c.refusal)
		})
	}
}

func TestInsertAfter_R2_TakesTheFormOfTheSteps(t *testing.T) {
	cases := []struct {
		name, source string
		i            int
		text         string
		want         string
		refusal      string
	}{
		{"in a list", listed, 3, "Test\nit", strings.Replace(listed, "3. Ship", "3. Test\n   it\n3. Ship", 1), ""},
		{"with a marker", listed, 3, "7. Test", strings.Replace(listed, "3. Ship", "7. Test\n3. Ship", 1), ""},
		{"before the first", listed, -1, "Plan", strings.Replace(listed, "1. Read", "1. Plan\n1. Read", 1), ""},
		{"behind the last of a list", listed, 4, "Rest", strings.Replace(listed, "3. Ship\n\n", "3. Ship\n\n4. Rest\n\n", 1), ""},
		{"at the end", "# T\n\n1. a\n2. b\n", 2, "c", "# T\n\n1. a\n2. b\n3. c\n", ""},
		{"at the end without a line end", "# T\n\n1. a\n2. b", 2, "c", "# T\n\n1. a\n2. b\n3. c", ""},
		{"behind text", listed, 5, "Rest", listed + "\n4. Rest\n", ""},
		{"in a list with blank lines", "# T\n\n1. a\n\n2. b\n", 1, "c", "# T\n\n1. a\n\n2. c\n\n2. b\n", ""},
		{"in a list of ones", "# T\n\n1. a\n1. b\n", 2, "c", "# T\n\n1. a\n1. b\n1. c\n", ""},
		{"a wider number", "# T\n\n8. a\n9. b\n", 2, "c\n\nd", "# T\n\n8. a\n9. b\n10. c\n\n    d\n", ""},
		{"a heading", headed, 3, "Test\n\nAll.", strings.Replace(headed, "## Risks", "## Step 3: Test\n\nAll.\n\n## Risks", 1), ""},
		{"a heading before the first", headed, -1, "Plan", strings.Replace(headed, "## Step 1", "## Step 1: Plan\n\n## Step 1", 1), ""},
		{"a heading at the end", "# T\n\n## 第一步：读", 1, "写", "# T\n\n## 第一步：读\n\n## 第二步：写", ""},
		{"a task", "# T\n\n- [x] a\n", 1, "b", "# T\n\n- [x] a\n- [ ] b\n", ""},
		{"a bold number", "# T\n\n**1.** a\n", 1, "b", "# T\n\n**1.** a\n\n**2.** b\n", ""},
		{"a section", "# T\n\n## a\n", 1, "b", "# T\n\n## a\n\n## b\n", ""},
		{"line ends of Windows", "# T\r\n\r\n1. a\r\n", 1, "b\n\nc", "# T\r\n\r\n1. a\r\n2. b\r\n\r\n   c\r\n", ""},
		{"into one text", "# T\n\nDo it.\n", 1, "More", "", "without numbered steps"},
		{"into nothing", "# T\n", -1, "Do it.", "# T\n\nDo it.\n", ""},
		{"a fence that is not closed", listed, 3, "3. Test\n\n```", "", "step 3 (“Ship”) would no longer"},
		{"an empty text", listed, 3, "\n", "", "empty"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, err := Parse(c.source).InsertAfter(c.i, c.text)
			check(t, got, err, c.want, c.refusal)
		})
	}
}

func TestRemove_R2_LeavesTheOthers(t *testing.T) {
	cases := []struct {
		name, source string
		i            int
		want         string
		refusal      string
	}{
		{"an item", listed, 3, strings.Replace(listed, "2. Write\n   it\n", "", 1), ""},
		{"the last item", listed, 4, strings.Replace(listed, "3. Ship\n\n", "\n", 1), ""},
		{"a heading with its section", headed, 2, strings.Replace(headed, "## Step 1: Read\n\nAll.\n\n", "", 1), ""},
		{"text", listed, 1, strings.Replace(listed, "Why.\n\n", "", 1), ""},
		{"text between two lists", "# T\n\n1. a\n\nx\n\n7. b\n", 2, "# T\n\n1. a\n\n7. b\n", ""},
		{"the first of a list below a paragraph", "# T\n\nx:\n1. a\n2. b\n", 2, "# T\n\nx:\n\n2. b\n", ""},
		{"a step between two texts", "# T\n\nx\n1. a\n\ny\n\n1. b\n", 2, "# T\n\nx\n\ny\n\n1. b\n", ""},
		{"the title", listed, 0, "", "needs its title"},
		{"the only step", "# T\n\nx\n\n1. a\n", 2, "", "only step"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, err := Parse(c.source).Remove(c.i)
			check(t, got, err, c.want, c.refusal)
		})
	}
}

func TestMove_R2_KeepsEveryBlock(t *testing.T) {
	cases := []struct {
		name, source string
		i, after     int
		want         string
		refusal      string
	}{
		{"up", listed, 4, 2, "# T\n\nWhy.\n\n1. Read\n3. Ship\n2. Write\n   it\n\nEnd.\n", ""},
		{"to the front", listed, 4, -1, "# T\n\nWhy.\n\n3. Ship\n1. Read\n2. Write\n   it\n\nEnd.\n", ""},
		{"down to the end of the list", listed, 2, 4, "# T\n\nWhy.\n\n2. Write\n   it\n3. Ship\n1. Read\n\nEnd.\n", ""},
		{"where it is", listed, 3, 2, listed, ""},
		{"behind itself", listed, 3, 3, listed, ""},
		{"the last without a line end", "# T\n\n1. a\n2. b", 2, -1, "# T\n\n2. b\n1. a", ""},
		{"headings, the last one up", "# T\n\n## Step 1: a\n\nx\n\n## Step 2: b\n\ny\n", 2, 0, "# T\n\n## Step 2: b\n\ny\n\n## Step 1: a\n\nx\n", ""},
		{"line ends of Windows", "# T\r\n\r\n1. a\r\n2. b", 1, 2, "# T\r\n\r\n2. b\r\n1. a", ""},
		{"behind text", listed, 2, 5, "# T\n\nWhy.\n\n2. Write\n   it\n3. Ship\n\nEnd.\n\n1. Read\n", ""},
		{"the title", listed, 0, 2, "", "begins with its title"},
		{"a section in front of the title", "x\n\n# T\n\n1. a\n", 2, 0, "x\n\n1. a\n\n# T\n", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, err := Parse(c.source).Move(c.i, c.after)
			check(t, got, err, c.want, c.refusal)
		})
	}
}

func TestEdits_NoSuchBlock(t *testing.T) {
	d := Parse(listed)
	for _, i := range []int{-2, 6, 100} {
		for name, edit := range map[string]func() (string, error){
			"replace": func() (string, error) { return d.Replace(i, "x") },
			"insert":  func() (string, error) { return d.InsertAfter(i, "x") },
			"remove":  func() (string, error) { return d.Remove(i) },
			"move":    func() (string, error) { return d.Move(i, 2) },
			"after":   func() (string, error) { return d.Move(2, i) },
		} {
			if got, err := edit(); !fault.Is(err, fault.NotFound) || got != "" {
				t.Errorf("%s %d: %q, %v", name, i, got, err)
			}
		}
	}
	if _, err := d.Replace(3, strings.Repeat("x", MaxPlan+1)); !fault.Is(err, fault.TooLarge) {
		t.Errorf("a text over the limit: %v", err)
	}
	if _, err := d.Replace(3, "2. "+strings.Repeat("x", MaxPlan-20)); !fault.Is(err, fault.TooLarge) {
		t.Errorf("a plan over the limit: %v", err)
	}
}
