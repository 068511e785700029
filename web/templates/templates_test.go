package templates

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"countersign/internal/planning"
	"countersign/web/templates/markdown"

	"github.com/PuerkitoBio/goquery"
)

func TestWordDiff_R5_MarksWordsAndKeepsTheTags(t *testing.T) {
	for name, c := range map[string]struct{ was, now, want string }{
		"nothing":          {"<p>a b</p>", "<p>a b</p>", "<p>a b</p>"},
		"a word":           {"<p>read the old file now</p>", "<p>read the new file now</p>", `<p>read the <del class="was">old</del><ins class="now">new</ins> file now</p>`},
		"words in a row":   {"<p>one two three four five</p>", "<p>one TWO THREE four five</p>", `<p>one <del class="was">two three</del><ins class="now">TWO THREE</ins> four five</p>`},
		"added":            {"<p>one two three</p>", "<p>one two more three</p>", `<p>one two <ins class="now">more</ins> three</p>`},
		"inside code":      {"<p>call <code>due()</code> first of all</p>", "<p>call <code>late()</code> first of all</p>", `<p>call <code><del class="was">due</del><ins class="now">late</ins>()</code> first of all</p>`},
		"without blanks":   {"<p>暂停的任务不会运行</p>", "<p>暂停的作业不会运行</p>", `<p>暂停的<del class="was">任务</del><ins class="now">作业</ins>不会运行</p>`},
		"an item is gone":  {"<ul><li>one of them</li><li>two</li></ul>", "<ul><li>one of them</li></ul>", `<ul><li>one of them</li><li class="gone"><del class="was"> two</del></li></ul>`},
		"a block is gone":  {"<p>this stays here</p><p>gone</p>", "<p>this stays here</p>", `<p>this stays here</p><p class="gone"><del class="was"> gone</del></p>`},
		"an entity":        {"<p>a &lt; b and so on</p>", "<p>a &gt; b and so on</p>", `<p>a <del class="was">&lt;</del><ins class="now">&gt;</ins> b and so on</p>`},
		"another text":     {"<p>alpha beta gamma</p>", "<p>one two three</p>", `<p class="gone"><del class="was"> alpha beta gamma</del></p><p><ins class="now">one two three</ins></p>`},
		"emphasis is lost": {"<p>this <strong>word</strong> stays there</p>", "<p>this word stays there</p>", "<p>this word stays there</p>"},
	} {
		if got := wordDiff(c.was, c.now); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, c.want)
		}
	}
}

// goneOf is what a comparison adds for words that are gone.
var goneOf = regexp.MustCompile(`(?s)<(p|li) class="gone"><del class="was">.*?</del></(p|li)>|<del class="was">.*?</del>`)

// FuzzWordDiff: whatever is compared, the new text is there, and its tags are.
func FuzzWordDiff(f *testing.F) {
	f.Add("<p>a <b>b</b></p>", "<p>a</p><ul><li>c</li></ul>")
	f.Add("<table><tr><td>x</td></tr></table><p>z</p>", "<table><tr><td>y</td></tr></table><p>z</p>")
	f.Fuzz(func(t *testing.T, was, now string) {
		if strings.ContainsAny(now+was, "<>&") && !strings.Contains(now, "</p>") {
			t.Skip("not what a renderer makes")
		}
		marked := wordDiff(was, now)
		if was == now && marked != now {
			t.Fatalf("marks where nothing changed: %q", marked)
		}
		kept := goneOf.ReplaceAllString(marked, "")
		kept = strings.NewReplacer(`<ins class="now">`, "", "</ins>", "").Replace(kept)
		if plain := strings.NewReplacer(`<ins class="now">`, "", "</ins>", "").Replace(now); kept != plain && !goneOf.MatchString(now) {
			t.Fatalf("without its marks it is\n%q, not\n%q", kept, plain)
		}
	})
}

func TestBlockHTML_R2_TitleWithoutItsNumber(t *testing.T) {
	for name, c := range map[string]struct {
		source string
		title  string // inner HTML of the title, "" if it stays as Markdown makes it
		rest   string
	}{
		"headed":       {"## Step 2: Skip `due()`\n\nText.\n", "Skip <code>due()</code>", "Text."},
		"numbered":     {"## 2. Skip\n\n1. a\n2. b\n", "Skip", "b"},
		"tight item":   {"1. Build\n   ```sh\n   make\n   ```\n", "Build", "make"},
		"loose item":   {"1. Store\n\n   Add **it**.\n\n   - one\n   - two\n", "Store", "two"},
		"bold number":  {"**1. Foo** and bar\n", "<strong>Foo</strong> and bar", ""},
		"chinese":      {"## 第二步：读代码\n\n好。\n", "读代码", "好。"},
		"html as text": {"1. Return Promise<void> from save()\n", "Return Promise&lt;void&gt; from save()", ""},
		"task":         {"- [ ] Do it\n", "", "Do it"},
	} {
		source := "# T\n\n" + c.source
		v, err := planning.NewVersion(planning.State{NextBlock: 1}, source, planning.Scope{})
		if err != nil {
			t.Fatal(err)
		}
		p := planning.Plan{Markdown: source, Blocks: v.Blocks}
		steps := p.Steps()
		if len(steps) == 0 {
			t.Fatalf("%s: no step", name)
		}
		doc, err := goquery.NewDocumentFromReader(strings.NewReader(blockHTML(p, steps[0], "")))
		if err != nil {
			t.Fatal(err)
		}
		title, _ := doc.Find("h2.title").Html()
		if c.title != "" && strings.TrimSpace(title) != c.title {
			t.Errorf("%s: the title is %q, want %q", name, title, c.title)
		}
		if !strings.Contains(doc.Text(), c.rest) {
			t.Errorf("%s: %q is lost in %q", name, c.rest, doc.Text())
		}
	}
}

func TestBlockHTML_R2_ALongFirstParagraphIsText(t *testing.T) {
	source := "# T\n\n1. " + strings.Repeat("word ", 60) + "\n"
	v, err := planning.NewVersion(planning.State{NextBlock: 1}, source, planning.Scope{})
	if err != nil {
		t.Fatal(err)
	}
	p := planning.Plan{Markdown: source, Blocks: v.Blocks}
	got := blockHTML(p, p.Steps()[0], "")
	if !strings.HasPrefix(got, `<h2 class="title long">word word`) || strings.Count(got, "word") != 60 {
		t.Errorf("got %.120s", got)
	}
}

func TestVisible_NothingActsOrHides(t *testing.T) {
	for in, want := range map[string]string{
		"plain 文字 ok\n\tx":                    "plain 文字 ok\n\tx",
		"\x1b[31mred\x1b[0m":                  "red",
		"a\x1b]8;;http://x\x07b":              "ab",
		"a\x1b]52;c;AAAA":                     "a",
		"first\x1b]0;title\nsecond":           "first\nsecond",
		"cod\u202egnp.exe":                    "cod⟨U+202E⟩gnp.exe",
		"a\u200bb":                            "a⟨U+200B⟩b",
		"bell\x07":                            "bell⟨U+0007⟩",
		"tag \U000E0041":                      "tag ⟨U+E0041⟩",
		"emoji \U0001F469\u200d\U0001F4BB ok": "emoji \U0001F469\u200d\U0001F4BB ok",
	} {
		if got := visible(in); got != want {
			t.Errorf("%q is shown as %q, want %q", in, got, want)
		}
	}
}

// TestVisible_IsTheListOfMarkdown: plain text and Markdown name the same
// characters.
func TestVisible_IsTheListOfMarkdown(t *testing.T) {
	for r := rune(1); r <= unicode.MaxRune; r++ {
		text := "a" + string(r) + "b"
		if !utf8.ValidRune(r) || r == 0x1b || r == '\r' || r == 0xFEFF {
			continue // escapes are taken out, and Markdown has its own line ends
		}
		plain, marked := visible(text), strings.Contains(markdown.Text(text), `class="ctl"`)
		if (plain != text) != marked {
			t.Fatalf("%U: as plain text %q, named in Markdown: %v", r, plain, marked)
		}
	}
}

func TestAgo(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for d, want := range map[time.Duration]string{
		0: "now", -time.Hour: "now", 44 * time.Second: "now", 46 * time.Second: "1 min", 4 * time.Minute: "4 min",
		3 * time.Hour: "3 h", 25 * time.Hour: "yesterday", 72 * time.Hour: "3 days", 400 * 24 * time.Hour: "25 Jan 2025",
	} {
		if got := ago(context.Background(), now, now.Add(-d)); got != want {
			t.Errorf("%s ago is %q, want %q", d, got, want)
		}
	}
	if ago(context.Background(), now, time.Time{}) != "" {
		t.Error("no time is some time")
	}
}

func TestInitials(t *testing.T) {
	for name, want := range map[string]string{"Ana": "AN", "ana maria lopez": "AM", "李雷": "李", "": "?", "x": "X"} {
		if got := initials(name); got != want {
			t.Errorf("%q has the initials %q, want %q", name, got, want)
		}
	}
}

func TestOutputOf_FoldsAfterAFewLines(t *testing.T) {
	if o := outputOf("1\n2\n3\n4\n5\n6\n"); o.more != 0 || o.head != "1\n2\n3\n4\n5\n6" {
		t.Errorf("six lines: %+v", o)
	}
	if o := outputOf("1\n2\n3\n4\n5\n6\n7"); o.more != 3 || o.head != "1\n2\n3\n4" || o.rest != "5\n6\n7" || o.whole() != "1\n2\n3\n4\n5\n6\n7" {
		t.Errorf("seven lines: %+v", o)
	}
	if o := outputOf(strings.Repeat("é", outputMost)); !o.cut || len(o.head) > outputMost {
		t.Errorf("endless: cut %v, %d bytes", o.cut, len(o.head))
	}
}

func TestFinished_SaysWhetherItWentAsPlanned(t *testing.T) {
	for want, s := range map[string]planning.Summary{
		"✓ Done as planned":             {PlanVersion: 1, Mode: planning.ModeExecuting},
		"✓ Done":                        {},
		"Unfinished: 2 items":           {PlanVersion: 1, Unfinished: 2},
		"Done, 1 file outside the plan": {PlanVersion: 1, Outside: 1},
		"Stopped by a person":           {PlanVersion: 1, Abandoned: true, Unfinished: 3},
	} {
		if _, got := finished(context.Background(), s); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestUnified(t *testing.T) {
	lines := unified("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n same\n-old\n+--- new\n")
	var got []string
	for _, l := range lines {
		got = append(got, l.class+"|"+l.text)
	}
	if s := strings.Join(got, "\n"); s != "h|@@ -1,2 +1,2 @@\n|same\nr|old\na|--- new" {
		t.Error(s)
	}
}

func TestSplitTitle_OnlyWhatItKnows(t *testing.T) {
	for _, odd := range []string{"<ol><li>a</li><li>b</li></ol>", "<h2>open", "<ul>\n<li>x", "<table><tr><td>x</td></tr></table>"} {
		if title, _, ok := splitTitle(odd); ok && title != odd {
			t.Errorf("%s: took %q for a title", odd, title)
		}
	}
}
