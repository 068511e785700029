package document

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// transition is two versions of a plan and what came of which step, as the
// plans in ../testdata say.
type transition struct {
	name     string // "attachments 1-2"
	old, new []Piece
	descent  map[[2]int]bool // old index, new index
}

func transitions(t *testing.T) []transition {
	t.Helper()
	var list []transition
	for _, plan := range []string{"attachments", "scheduler", "login", "report", "limiter", "invoice", "search"} {
		byVersion := map[int]*transition{}
		for line := range strings.Lines(planFile(t, plan, "descent.tsv")) {
			var version, new int
			var parents string
			if _, err := fmt.Sscan(line, &version, &new, &parents); err != nil {
				t.Fatalf("%s: %q: %v", plan, line, err)
			}
			tr := byVersion[version]
			if tr == nil {
				tr = &transition{name: fmt.Sprintf("%s %d-%d", plan, version-1, version), descent: map[[2]int]bool{}}
				tr.old = stepsOf(planFile(t, plan, fmt.Sprintf("v%d.md", version-1)))
				tr.new = stepsOf(planFile(t, plan, fmt.Sprintf("v%d.md", version)))
				byVersion[version] = tr
			}
			for parent := range strings.SplitSeq(parents, "+") {
				var old int
				if _, err := fmt.Sscan(parent, &old); err == nil { // "-" for a step that is new
					tr.descent[[2]int{old - 1, new - 1}] = true
				}
			}
		}
		for _, version := range slices.Sorted(maps.Keys(byVersion)) {
			list = append(list, *byVersion[version])
		}
	}
	return list
}

func planFile(t testing.TB, plan, name string) string {
	t.Helper()
	text, err := os.ReadFile("../testdata/" + plan + "/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func stepsOf(source string) []Piece {
	d := Parse(source)
	var list []Piece
	for i, b := range d.Blocks {
		if b.Kind == Step {
			list = append(list, Piece{b.Title, d.Text(i)})
		}
	}
	return list
}

// nothingSays are the steps that a person who reads both languages would find
// and that nothing in the text gives away: they were translated and name no
// file, command or identifier in code.
var nothingSays = map[string]bool{
	"attachments 3-4: Tell the customers → 通知客户":      true,
	"login 1-2: Choose a library → 选择一个库":             true,
	"login 1-2: Think about lost devices → 考虑设备丢失的情况": true,
}

func (tr transition) pair(p [2]int) string {
	return fmt.Sprintf("%s: %s → %s", tr.name, tr.old[p[0]].Title, tr.new[p[1]].Title)
}

// What Trace says of whole plans is what happened to them: no more, and no
// less where anything tells it.
func TestTrace_R4_WholePlans(t *testing.T) {
	for _, tr := range transitions(t) {
		got := map[[2]int]bool{}
		for i, heirs := range Trace(tr.old, tr.new).Heirs {
			for _, j := range heirs {
				got[[2]int{i, j}] = true
			}
		}
		for p := range tr.descent {
			if !got[p] != nothingSays[tr.pair(p)] {
				t.Errorf("%s: found %v", tr.pair(p), got[p])
			}
			delete(got, p)
		}
		for p := range got {
			t.Errorf("%s: that is another step", tr.pair(p))
		}
	}
}

func TestTrace_R4_SplitMergedCopied(t *testing.T) {
	const lexer = "Read the grammar again and write down where a token may begin; the table goes into `docs/tokens.md` for everybody to see."
	const writer = "Collect all waiting records, put them on disk in one call, and tell each caller when its own record is safe."
	one := func(title, text string) string { return "## Step 1: " + title + "\n\n" + text + "\n\n" }
	cases := []struct {
		name, old, new string
		want           [][]int
	}{
		{"split under new titles", one("Groundwork", lexer+" "+writer), one("Tokens", lexer) + one("Disk", writer), [][]int{{0, 1}}},
		{"merged under a new title", one("Tokens", lexer) + one("Disk", writer), one("Groundwork", lexer+" "+writer), [][]int{{0}, {0}}},
		{"a copy further down", one("Tokens", lexer) + one("Disk", writer), one("Tokens", lexer) + one("Disk", writer) + one("Tokens", lexer), [][]int{{0}, {1}}},
		{"a copy further up", one("Tokens", lexer) + one("Disk", writer), one("Disk", writer) + one("Tokens", lexer) + one("Disk", writer), [][]int{{1}, {2}}},
		{"a copy that is worded a little otherwise is no part", one("Tokens", lexer), one("Tokens", lexer) + one("More tokens", lexer+" Twice."), [][]int{{0}}},
		{"both moved, one taken out", one("Tokens", lexer) + one("Disk", writer) + one("Tokens", lexer), one("Disk", writer), [][]int{nil, {0}, nil}},
		{"one of two is taken out, and nobody can tell which", one("Tokens", lexer) + one("Disk", writer) + one("Tokens", lexer), one("Tokens", lexer), [][]int{nil, nil, nil}},
		{"twice side by side, then once", one("Disk", writer) + one("Tokens", lexer) + one("Tokens", lexer), one("Disk", writer) + one("Tokens", lexer), [][]int{{0}, {1}, {1}}},
		{
			"a new one that is worded like one that stays", one("Limit uploads", "A counter per tenant and day, checked in `up.go` before the body is read.") + one("Limit downloads", "A counter per tenant and day, checked in `down.go` before the body is sent."),
			one("Limit uploads", "A counter per tenant and day, checked in `up.go` before the body is read.") + one("Limit thumbnails", "A counter per tenant and day, checked in `thumb.go` before the body is drawn."),
			[][]int{{0}, nil},
		},
		{
			"the same words, numbers exchanged", "1. Run the tests\n2. Read the lexer\n3. Run the tests\n",
			"1. Ask Ana\n2. Ask Bo\n3. Run the tests\n4. Read the lexer\n5. Run the tests\n", [][]int{{2}, {3}, {4}},
		},
		{
			"left out, and another one with half its words", one("Tell the owner", "Send a mail each morning at nine to the owner of a job that has been paused for more than seven days."),
			one("Watch the disk", "Send a mail each morning at nine to the administrator when less than a tenth of the disk is free."), [][]int{nil},
		},
		{
			"cut down to a sentence under another title", one("Groundwork", lexer+" "+writer), one("Tokens", lexer), [][]int{{0}},
		},
		{
			"new, and worded like one that stays no less than like one that is gone",
			"1. Test a report with errors in the header, written to disk and read again by the old viewer\n2. Test a report with errors in the footer, written to disk and read again by the old viewer\n",
			"1. Test a report with errors in the header, written to disk and read again by the old viewer\n2. Test a report with errors in the index, written to disk and read again by the old viewer\n",
			[][]int{{0}, nil},
		},
		{"a few words of either are in a longer one", "1. Fix the parser\n2. Update the docs\n", "1. Fix the parser, and update its tables from the docs of the grammar\n", [][]int{nil, nil}},
		{
			"one of two that say the same moved behind the other", one("Run", "it") + one("Tokens", lexer) + one("Disk", writer) + one("Run", "it"),
			one("Tokens", lexer) + one("Disk", writer) + one("Run", "it") + one("Run", "it"), [][]int{nil, {0}, {1}, {2}},
		},
		{
			"translated, with a path", one("Read the scheduler", "Begin in `internal/cron/scheduler.go` and note when a job is taken."),
			one("另一步", "在 `docs/cron.md` 中说明。") + one("阅读调度器", "从 `internal/cron/scheduler.go` 开始，记下任务何时被取出。"), [][]int{{1}},
		},
		{
			"translated, and two have the path", one("Read the scheduler", "Begin in `internal/cron/scheduler.go` and note when a job is taken."),
			one("修改调度器", "修改 `internal/cron/scheduler.go`，跳过已暂停的任务。") + one("阅读调度器", "从 `internal/cron/scheduler.go` 开始，记下任务何时被取出。"), [][]int{nil},
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := Trace(steps(c.old), steps(c.new)).Heirs
			for _, list := range got {
				slices.Sort(list)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
