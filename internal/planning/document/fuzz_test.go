package document

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"countersign/internal/fault"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
)

var seeds = []string{
	"", "\n", "# T\n", listed, headed, "\uFEFF\r\n# T\r\n1. a\r\n", "# T\n\n- [ ] a\n- b\n", "**Step 1:** a\n\n**2.** b\n",
	"[a]: <b> 'c'\n[a]\n> [d]: e\n", "0\n-:\n-", "|a|\n|-|\n|`\\|`|\n", "1.\n\n2.\n- 3)\n", "```\n1. a", "<!--\n# x\n-->\n# y",
	"\t- a\n\t1. b", "x\x00\xff*y*\n===", "a\r1. b\r\n\r\n# c", "# T\n## 1. a\n### 2. b\n# U\n## 3. c\n", "1. a\n1) b\n- c\n\n\n    d\n",
}

// checkDocument checks what holds for any source.
func checkDocument(t *testing.T, source string) Document {
	t.Helper()
	d := Parse(source)
	checkTiling(t, d)
	titles(t, d)
	for i, b := range d.Blocks {
		if b.Start > 0 && source[b.Start-1] != '\n' {
			t.Fatalf("block %d begins within a line", i)
		}
		if !utf8.ValidString(b.Title) || strings.ContainsAny(b.Title, "\n\x00") {
			t.Fatalf("title %q", b.Title)
		}
		if b.Kind == Step && (visible(d.Body(i)) && b.Title == "" || d.Body(i) == "") {
			t.Fatalf("step %d %q of %q has nothing to show", i, d.Text(i), source)
		}
		lead, body, trail := cut(d.Text(i))
		if lead+body+trail != d.Text(i) {
			t.Fatalf("%q is cut into %q, %q, %q", d.Text(i), lead, body, trail)
		}
	}
	src := []byte(d.References())
	for n := parse(src).FirstChild(); n != nil; n = n.NextSibling() {
		if n.Kind() != ast.KindLinkReferenceDefinition {
			t.Fatalf("the definitions %q of %q hold a %s", src, source, n.Kind())
		}
	}
	return d
}

func FuzzParse(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	for _, s := range hostile(300) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, source string) {
		d := checkDocument(t, source)
		_ = CheckPlan(source)
		for i := range d.Blocks {
			same, err := d.Replace(i, d.Body(i))
			if d.Body(i) != "" && (err != nil || same != source) {
				t.Fatalf("putting block %d of %q in its own place: %q, %v", i, source, same, err)
			}
		}
	})
}

func FuzzReplace(f *testing.F) {
	for i, s := range seeds {
		for _, text := range []string{"new", "1. a\n2. b", "```\nx", "## Step 2: x\n\ny", "[a]: b", "> x\n\n    y"} {
			f.Add(s, text, i%4, i%3-1)
		}
	}
	f.Fuzz(func(t *testing.T, source, text string, i, j int) {
		d := Parse(source)
		if len(d.Blocks) == 0 {
			return
		}
		i, j = abs(i)%len(d.Blocks), max(-1, j%len(d.Blocks))
		tryEdits(t, d, text, i, j)
	})
}

func abs(i int) int { return max(i, -(i + 1)) }

// tryEdits makes each kind of edit and checks what holds for all of them.
func tryEdits(t *testing.T, d Document, text string, i, j int) {
	t.Helper()
	edits := map[string]struct {
		source string
		err    error
		gone   int // block that may be different or gone
	}{}
	for name, edit := range map[string]func() (string, error){
		"replace": func() (string, error) { return d.Replace(i, text) },
		"remove":  func() (string, error) { return d.Remove(i) },
		"move":    func() (string, error) { return d.Move(i, j) },
		"insert":  func() (string, error) { return d.InsertAfter(j, text) },
	} {
		e := edits[name]
		e.source, e.err = edit()
		e.gone = map[string]int{"replace": i, "remove": i, "move": -1, "insert": -1}[name]
		if e.err != nil {
			f, ok := fault.As(e.err)
			if !ok || e.source != "" || f.Message == "" || f.Code != fault.Invalid && f.Code != fault.NotFound {
				t.Fatalf("%s: %q, %v", name, e.source, e.err)
			}
			continue
		}
		n := checkDocument(t, e.source)
		if CheckPlan(d.Source) == nil && CheckPlan(e.source) != nil {
			t.Fatalf("%s (%d, %d, %q) makes %q no plan: %q", name, i, j, text, d.Source, e.source)
		}
		if lost := missing(d, n, e.gone); lost != "" {
			t.Fatalf("%s (%d, %d, %q) of %q loses %q: %q", name, i, j, text, d.Source, lost, e.source)
		}
	}
}

// missing finds a step of d, other than block gone, that is no step of n, or
// a line of its text that is not in n.
func missing(d, n Document, gone int) string {
	have := map[string]int{}
	for i, b := range n.Blocks {
		have[fmt.Sprint(b.Kind)+n.Body(i)]++
	}
	for i, b := range d.Blocks {
		if i == gone {
			continue
		}
		key := fmt.Sprint(b.Kind) + d.Body(i)
		if have[key] > 0 {
			have[key]--
		} else if b.Kind == Step || !strings.Contains(written(n.Source), written(d.Body(i))) {
			return d.Body(i)
		}
	}
	return ""
}

// Random edits one after another keep all that holds for any document.
func TestEdits_RandomSequences(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	texts := []string{"one", "two\nlines", "a\n\nb", "1. x", "## Step 7: y\n\nz", "- [ ] t", "```\ncode\n```", "```\nopen", "**Step 3:** q", "# H", "| a |\n|---|", "[l]: /m"}
	for range 150 {
		d := Parse(seeds[r.IntN(len(seeds))])
		for range 8 {
			if len(d.Blocks) == 0 || len(d.Source) > 2000 {
				break
			}
			i, j, text := r.IntN(len(d.Blocks)), r.IntN(len(d.Blocks)+1)-1, texts[r.IntN(len(texts))]
			tryEdits(t, d, text, i, j)
			var next string
			var err error
			switch r.IntN(4) {
			case 0:
				next, err = d.Replace(i, text)
			case 1:
				next, err = d.InsertAfter(j, text)
			case 2:
				next, err = d.Remove(i)
			case 3:
				next, err = d.Move(i, j)
			}
			if err == nil {
				d = Parse(next)
			}
		}
	}
}

// BenchmarkParse finds the blocks of a plan of 200 steps and 100 KB, beside
// goldmark as it comes, which only makes the tree.
func BenchmarkParse(b *testing.B) {
	source := plan200(200, 500)
	b.Run("blocks", func(b *testing.B) {
		b.SetBytes(int64(len(source)))
		for b.Loop() {
			if d := Parse(source); len(d.Blocks) < 200 {
				b.Fatal(len(d.Blocks))
			}
		}
	})
	b.Run("goldmark", func(b *testing.B) {
		p := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser()
		b.SetBytes(int64(len(source)))
		for b.Loop() {
			p.Parse(text.NewReader([]byte(source)))
		}
	})
}

func BenchmarkReplace(b *testing.B) {
	d := Parse(plan200(200, 500))
	for b.Loop() {
		if _, err := d.Replace(100, "Something else\n\nand more"); err != nil {
			b.Fatal(err)
		}
	}
}
