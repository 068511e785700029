package document

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// steps makes pieces of the steps of a Markdown text.
func steps(markdown string) []Piece {
	d := Parse("# T\n\n" + markdown)
	var list []Piece
	for i, b := range d.Blocks {
		if b.Kind == Step {
			list = append(list, Piece{b.Title, d.Text(i)})
		}
	}
	return list
}

func TestAlign_R4_ThreadsFollowTheirStep(t *testing.T) {
	cases := []struct {
		name, old, new string
		want           []int
	}{
		{"nothing", "", "", []int{}},
		{"all the same", "1. a\n2. b\n", "1. a\n2. b\n", []int{0, 1}},
		{"a new one in front, others renumbered", "1. Read\n2. Write\n", "1. Plan\n2. Read\n3. Write\n", []int{-1, 0, 1}},
		{"moved", "1. Read\n2. Write\n3. Test\n", "1. Test\n2. Read\n3. Write\n", []int{2, 0, 1}},
		{"one is gone", "1. Read\n2. Write\n3. Test\n", "1. Read\n2. Test\n", []int{0, 2}},
		{"the number alone is nothing", "1. Read the code\n2. Write tests\n", "1. Deploy everything\n2. Buy milk\n", []int{-1, -1}},
		{"markup, case and spacing", "1. **Read** the `Code`\n", "1. read the  code\n", []int{0}},
		{
			"another way to write steps", "1. Read the scheduler\n2. Write the test\n",
			"## Step 1: Read the scheduler\n\n## Step 2: Write the test\n", []int{0, 1},
		},
		{"words added to a title", "1. Return an error from save()\n", "1. Return an error from save() and from load()\n", []int{0}},
		{"a word exchanged may be another step", "1. Write the migration\n", "1. Write the handler\n", []int{-1}},
		{
			"the same done to another file", "1. In `a.go`, rename Foo to Bar (3 lines)\n2. In `b.go`, rename Foo to Bar (2 lines)\n",
			"1. In `b.go`, rename Foo to Bar (5 lines)\n2. In `c.go`, rename Foo to Bar (3 lines)\n", []int{1, -1},
		},
		{
			"the title stays, the text is rewritten",
			"## Step 1: Add retries\n\nCall it three times, then give up. Log every attempt with its number and the error.\n\n## Step 2: Ship\n",
			"## Step 1: Add retries\n\nUse exponential backoff with jitter; attempts end after one minute, and only the last error goes to the log.\n\n## Step 2: Ship\n",
			[]int{0, 1},
		},
		{
			"the text stays, the title is reworded",
			"## Step 1: Introduce a queue\n\nEvery write goes through one goroutine that commits waiting appends together and answers each caller when its own is on disk.\n",
			"## Step 1: A queue for appends\n\nEvery write goes through one goroutine that commits waiting appends together and answers each caller when its own is on disk.\n",
			[]int{0},
		},
		{
			"a sentence added in answer to a comment",
			"1. Add a retry to the client so that failed requests are repeated\n",
			"1. Add a retry with backoff to the client so that failed requests are repeated at most three times\n", []int{0},
		},
		{
			"Chinese, moved and reworded",
			"1. 阅读调度器的代码\n2. 为失败的请求加上重试\n3. 运行测试\n",
			"1. 运行测试\n2. 为失败的请求加上重试，最多三次\n3. 阅读调度器代码\n", []int{2, 1, 0},
		},
		{"Chinese, another step", "1. 阅读调度器的代码\n", "1. 删除数据库的备份\n", []int{-1}},
		{"twins keep their order", "1. Run the tests\n2. Fix\n3. Run the tests\n", "1. Run the tests\n2. Fix it\n3. Run the tests\n", []int{0, 1, 2}},
		{"one of the twins is gone", "1. Run the tests\n2. Fix the lexer\n3. Run the tests\n", "1. Fix the lexer\n2. Run the tests\n", []int{1, 2}},
		{
			"in doubt for none",
			"1. Update the parser for nested lists and tables\n2. Update the parser for nested lists and quotes\n",
			"1. Update the parser for nested lists\n", []int{-1},
		},
		{"the same title twice is no proof", "## Step 1: Tests\n\nFor the lexer, with a table of forty inputs and a fuzz target.\n\n## Step 2: Tests\n\nFor the server, over HTTP, with two clients at once.\n",
			"## Step 1: Tests\n\nIn the browser: sign in, comment, approve, look at the diff.\n", []int{-1}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, Trace(steps(c.old), steps(c.new)).Old); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// plan200 makes a plan of n steps of about size bytes each.
func plan200(n, size int) string {
	r := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields("add remove the parser cache writer queue test client server retry limit token page plan step file read write check error close open log state fold event mode 调度器 重试 测试")
	var b strings.Builder
	b.WriteString("# A long plan\n\nWhy it is needed.\n\n")
	for i := range n {
		start := b.Len()
		fmt.Fprintf(&b, "## Step %d: Change `internal/pkg%d/file.go`\n\n", i+1, i)
		for b.Len()-start < size {
			for range 12 {
				b.WriteString(words[r.IntN(len(words))] + " ")
			}
			b.WriteString("and **more** of it, see [docs].\n\n- [ ] `go test ./...`\n\n")
		}
	}
	return b.String() + "[docs]: https://example.com/docs\n"
}

// A permutation of distinct steps, each with one sentence added, is found.
func TestAlign_R4_FindsEveryMovedStep(t *testing.T) {
	old := steps(plan200(60, 500))
	r := rand.New(rand.NewPCG(3, 4))
	perm := r.Perm(len(old))
	new := make([]Piece, len(old))
	for j, i := range perm {
		new[j] = Piece{old[i].Title, strings.TrimSpace(old[i].Text) + "\n\nAnd say so in the changelog.\n\n"}
	}
	if diff := cmp.Diff(perm, Trace(old, new).Old); diff != "" {
		t.Error(diff)
	}
}

// Whatever the pieces are, the result is one-to-one.
func TestAlign_OneToOne(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	words := []string{"a", "read", "write", "`x.go`", "重试", "", "1."}
	random := func() []Piece {
		list := make([]Piece, r.IntN(12))
		for i := range list {
			for range r.IntN(4) {
				list[i].Text += words[r.IntN(len(words))] + " "
			}
		}
		return list
	}
	for range 500 {
		old, new := random(), random()
		used := map[int]bool{}
		got := Trace(old, new).Old
		if len(got) != len(new) {
			t.Fatalf("%d results for %d pieces", len(got), len(new))
		}
		for _, i := range got {
			if i >= len(old) || used[i] {
				t.Fatalf("%v for %q and %q", got, old, new)
			}
			used[i] = i >= 0
		}
	}
}

// longPlans are two versions of 400 steps each, in the ways that make most
// work: nothing is the same, and everything is like everything.
func longPlans() map[string][2][]Piece {
	old := steps(plan200(400, 500))
	changed, templates, again, twins := make([]Piece, len(old)), make([]Piece, len(old)), make([]Piece, len(old)), make([]Piece, len(old))
	for i, p := range old {
		changed[i] = Piece{p.Title, p.Text + "And more.\n"}
		templates[i] = Piece{fmt.Sprintf("Rename things, part %d", i), fmt.Sprintf("Rename things, part %d. %s", i, strings.Repeat("The same words in each. ", 20))}
		again[i] = Piece{templates[i].Title + " again", templates[i].Text + " Again."}
		twins[i] = Piece{"Run the tests", fmt.Sprintf("%d. Run the tests, all of them", i+1)}
	}
	return map[string][2][]Piece{
		"same": {old, old}, "changed": {old, changed}, "other": {old, templates}, "templates": {templates, again},
		"twins": {twins, twins[:399]}, "twins and others": {twins, append(twins[200:400:400], old[:200]...)},
	}
}

// It takes between a few milliseconds and a fifth of a second.
func BenchmarkTrace(b *testing.B) {
	for name, p := range longPlans() {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Trace(p[0], p[1])
			}
		})
	}
}
