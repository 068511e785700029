package builtin

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/internal/planning"
	"countersign/internal/review"
)

const task1 = "rename OldName to NewName"

func TestRevise_Comments(t *testing.T) {
	all := []string{"README.md", "a.go", "b/b.go", "vendor/v/v.go"}
	tests := map[string]struct {
		step  int
		quote string
		body  string
		files []string
		says  string
	}{
		"a folder":              {0, "", "skip vendor/", []string{"README.md", "a.go", "b/b.go"}, "- Ana, on the plan: “skip vendor/” — Left out: `vendor/v/v.go`."},
		"a file":                {2, "", "Please leave b/b.go alone.", []string{"README.md", "a.go", "vendor/v/v.go"}, "Left out: `b/b.go`."},
		"a glob":                {0, "", "exclude *.md and vendor", []string{"a.go", "b/b.go"}, "Left out: `README.md` and `vendor/v/v.go`."},
		"only some":             {0, "", "only *.go", []string{"a.go", "b/b.go", "vendor/v/v.go"}, "Left out: `README.md`."},
		"this step":             {3, "", "skip this", []string{"README.md", "a.go", "vendor/v/v.go"}, "- Ana, on step 3: “skip this” — Left out: `b/b.go`."},
		"a step by number":      {0, "", "drop steps 1 and 4", []string{"a.go", "b/b.go"}, "Left out: `README.md` and `vendor/v/v.go`."},
		"Chinese":               {0, "", "跳过 vendor/", []string{"README.md", "a.go", "b/b.go"}, "已去掉：`vendor/v/v.go`。"},
		"nothing there":         {0, "", "skip docs/", all, "No step is about `docs/`."},
		"no such step":          {0, "", "skip step 9", all, "There is no step 9."},
		"in part":               {0, "", "Skip README.md. And make it faster!", []string{"a.go", "b/b.go", "vendor/v/v.go"}, "Left out: `README.md`. The rest of it the built-in planner can't do."},
		"a question":            {1, "", "why?\n\nreally, why?", all, "- Ana, on step 1: “why? really, why?” — The built-in planner can't do this; it changed nothing."},
		"not to skip":           {0, "", "don't skip vendor/", all, "can't do this"},
		"agreement":             {0, "", "Looks good!", all, "“Looks good\\!” — Noted."},
		"markup is quoted":      {0, "", "# no *heading* `x` <b>", all, "“\\# no \\*heading\\* \\`x\\` \\<b\\>”"},
		"this, on the plan":     {0, "", "skip this", all, "can't do this"},
		"a line that is not":    {2, "", "skip line 77", all, "The step has no such line."},
		"every line":            {2, "", "skip lines 3 and 5", []string{"README.md", "b/b.go", "vendor/v/v.go"}, "Left out: `a.go`."},
		"like a line of ours":   {1, "", "ok\n\nStep 2 “x” was deleted", all, "can't do"},
		"like the end of ours":  {1, "", "x\n````\n\nNote from Bo:\nskip a.go", []string{"README.md", "b/b.go", "vendor/v/v.go"}, "- Ana, on step 1: “x "},
		"a quote of no line":    {2, "no such text", "skip this", []string{"README.md", "b/b.go", "vendor/v/v.go"}, "Left out: `a.go`."},
		"colon in a later line": {1, "", "hm\nLater: skip a.go", all, "can't do"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s, d := reviewing(t, small, task1)
			before := steps(s.plan().Plan)
			d.comment("Ana", test.step, test.quote, test.body)
			p := d.next(t)
			if diff := cmp.Diff(test.files, p.Scope.Files); diff != "" {
				t.Error(diff)
			}
			if !strings.Contains(p.Markdown, "\n## About the comments\n\n- ") || !strings.Contains(p.Markdown, test.says) {
				t.Errorf("%q is not in\n%s", test.says, p.Markdown)
			}
			number := func(s string) string { return ownNumber().ReplaceAllString(s, "") }
			for _, after := range steps(p.Markdown) {
				if !slices.ContainsFunc(before, func(b string) bool { return number(b) == number(after) }) {
					t.Errorf("a step has changed:\n%s", after)
				}
			}
		})
	}
}

// One line of a step is left out, by its number or by a quote of it.
func TestRevise_LinesOfAStep(t *testing.T) {
	want := "## Step 2: Rename in `a.go`\n\n```diff\n@@ line 3 @@\n-func OldName() {}\n+func NewName() {}\n```\n\n"
	for name, c := range map[string][2]string{
		"by number": {"", "please skip line 5"},
		"by quote":  {"-var x = OldName", "leave this alone"},
	} {
		t.Run(name, func(t *testing.T) {
			s, d := reviewing(t, small, task1)
			d.comment("Bo", 2, c[0], c[1])
			p := d.next(t)
			if diff := cmp.Diff(want, steps(p.Markdown)[1]); diff != "" {
				t.Error(diff)
			}
			if !strings.Contains(p.Markdown, "Left out: line 5 of `a.go`.") {
				t.Error(p.Markdown)
			}
			d.decide("Ana", planning.VerdictApprove, "")
			s.run()
			if s.file("a.go") != "package p\n\nfunc NewName() {}\n\nvar x = OldName\n" {
				t.Errorf("%q", s.file("a.go"))
			}
		})
	}
}

// A version differs from the one before only in what was asked for.
func TestRevise_ChangesNothingElse(t *testing.T) {
	s, d := reviewing(t, small, task1)
	first := s.plan().Plan
	d.comment("Ana", 0, "", "skip README.md")
	p := d.next(t)
	want := strings.Replace(first, steps(first)[0], "", 1)
	for i, n := range []string{"1", "2", "3"} {
		want = strings.Replace(want, "## Step "+string(rune('2'+i)), "## Step "+n, 1)
	}
	want += "\n## About the comments\n\n- Ana, on the plan: “skip README.md” — Left out: `README.md`.\n"
	if diff := cmp.Diff(want, p.Markdown); diff != "" {
		t.Error(diff)
	}
	// And once more: the section about the comments is the new round's.
	d.comment("Bo", 1, "", "fine")
	p = d.next(t)
	want = strings.Replace(want, "— Left out: `README.md`.", "— Answered in an earlier version.\n- Bo, on step 1: “fine” — Noted.", 1)
	if diff := cmp.Diff(want, p.Markdown); diff != "" {
		t.Error(diff)
	}
}

func TestRevise_P27_RewriteIsKeptWordForWord(t *testing.T) {
	s, d := reviewing(t, small, task1)
	text := "## Step 2: Only the function, in `a.go`\n\nThe variable stays.\n\n```diff\n@@ line 3 @@\n-func OldName() {}\n+func NewName() {} // was OldName\n```"
	d.edit("Bo", planning.EditRewrite, 2, text)
	d.comment("Ana", 1, "", "skip this")
	p := d.next(t)
	if have := strings.TrimSpace(steps(p.Markdown)[0]); have != text {
		t.Errorf("the rewrite came back as\n%s", have)
	}
	if b := p.Steps()[0]; b.Broken || b.Pinned != "Bo" {
		t.Errorf("%+v", b)
	}
	if want := "- “Only the function, in a.go” is as Bo wrote it; it changes 1 line."; !strings.Contains(p.Markdown, want) {
		t.Errorf("%q is not in\n%s", want, p.Markdown)
	}
	// It stays through another round, too.
	d.comment("Ana", 0, "", "skip vendor/")
	p = d.next(t)
	if have := strings.TrimSpace(steps(p.Markdown)[0]); have != text {
		t.Errorf("in the round after it came back as\n%s", have)
	}
	d.decide("Ana", planning.VerdictApprove, "")
	report := s.run()
	if have := s.file("a.go"); have != "package p\n\nfunc NewName() {} // was OldName\n\nvar x = OldName\n" {
		t.Errorf("%q", have)
	}
	if done, all := s.done(); done != 2 || all != 2 || !strings.Contains(report, "Steps done: 2 of 2. Changed: 3 lines.") {
		t.Errorf("%d of %d: %s", done, all, report)
	}
}

// A step that was rewritten into something else is kept, is said to be out of
// reach before anybody approves, and is left undone and pending at the end.
func TestRevise_RewriteThatCannotBeCarriedOut(t *testing.T) {
	s, d := reviewing(t, small, task1)
	text := "## Step 2: Make `a.go` faster\n\nUse a map."
	d.edit("Bo", planning.EditRewrite, 2, text)
	p := d.next(t)
	if have := strings.TrimSpace(steps(p.Markdown)[1]); have != text {
		t.Errorf("the rewrite came back as\n%s", have)
	}
	if want := "“Make a.go faster” is as Bo wrote it, but the built-in planner can't carry it out: it has no list of lines"; !strings.Contains(p.Markdown, want) {
		t.Errorf("%q is not in\n%s", want, p.Markdown)
	}
	d.decide("Ana", planning.VerdictApprove, "")
	report := s.run()
	if s.file("a.go") != small["a.go"] {
		t.Errorf("%q", s.file("a.go"))
	}
	if !strings.Contains(report, "Step 2, Make a.go faster: I could not carry out step 2 as rewritten: it has no list of lines") {
		t.Error(report)
	}
	for _, item := range s.todos {
		if want := planning.TodoCompleted; (item.Status == want) == (item.Text == "Make a.go faster") {
			t.Errorf("%s is %s", item.Text, item.Status)
		}
	}
}

func TestRevise_DeletedStep(t *testing.T) {
	s, d := reviewing(t, small, task1)
	d.edit("Bo", planning.EditDelete, 4, "")
	p := d.next(t)
	if diff := cmp.Diff([]string{"README.md", "a.go", "b/b.go"}, p.Scope.Files); diff != "" {
		t.Error(diff)
	}
	d.decide("Ana", planning.VerdictApprove, "")
	s.run()
	if s.file("vendor/v/v.go") != small["vendor/v/v.go"] {
		t.Error("a deleted step was carried out")
	}
}

// What reviewers set that the plan may change and run stays so, round after
// round, until somebody sets it otherwise.
func TestRevise_P27_AScopeThatAReviewerSetIsKept(t *testing.T) {
	_, d := reviewing(t, small, task1)
	d.must(review.EditScope(d.state, person("Bo"), review.NewScope{
		Version: 1, Files: []string{"a.go", "b/"}, Commands: []string{"go vet ./..."}, Base: d.plan().SHA256,
	}))
	for range 2 {
		p := d.next(t)
		if k := p.ScopeKeep; k == nil || k.Broken || !p.Scope.HasFile("b/b.go") || !p.Scope.HasCommand("go vet ./...") || p.Scope.HasFile("README.md") {
			t.Errorf("version %d: %+v, keep %+v", p.Version, p.Scope, k)
		}
	}
}

// Reviewers' own changes that are approved at once run as they stand (P26).
func TestCarryOut_P26_ApprovedAsRewritten(t *testing.T) {
	s, d := reviewing(t, small, task1)
	d.edit("Bo", planning.EditRewrite, 3, strings.Replace(d.text(3), "@@ line 3 @@\n-// OldName and OldNames\n+// NewName and OldNames\n", "", 1))
	d.edit("Ana", planning.EditDelete, 1, "")
	d.decide("Ana", planning.VerdictApprove, "")
	report := s.run()
	if have := s.file("b/b.go"); have != "package b\n\n// OldName and OldNames\nfunc f() { p.NewName() }\n" {
		t.Errorf("%q", have)
	}
	if s.file("README.md") != small["README.md"] {
		t.Error("a deleted step was carried out")
	}
	if done, all := s.done(); done != 3 || all != 3 {
		t.Errorf("%d of %d: %s", done, all, report)
	}
}

func TestCarryOut_R9_NotesWithTheApproval(t *testing.T) {
	s, d := reviewing(t, small, task1)
	d.comment("Bo", 2, "", "Be careful here.")
	d.decide("Ana", planning.VerdictApprove, "skip vendor/")
	report := s.run()
	if s.file("vendor/v/v.go") != small["vendor/v/v.go"] || s.file("a.go") == small["a.go"] {
		t.Error("the note was not obeyed")
	}
	for _, want := range []string{
		"Step 4, Rename in vendor/v/v.go: Left alone, as somebody asked meanwhile.",
		"- Ana: “skip vendor/” — done.", "- Bo: “Be careful here.” — the built-in planner can't do this.",
	} {
		if !strings.Contains(report, want) {
			t.Errorf("%q is not in\n%s", want, report)
		}
	}
	if done, all := s.done(); done != 3 || all != 4 {
		t.Errorf("%d of %d", done, all)
	}
}

func TestRevise_NothingLeft(t *testing.T) {
	s, d := reviewing(t, small, task1)
	d.comment("Bo", 0, "", "only docs/")
	d.decide("Ana", planning.VerdictRequestChanges, "")
	text := s.run()
	if !strings.Contains(text, "nothing is left to change") || !strings.Contains(text, "“only docs/”") {
		t.Error(text)
	}
	s.say("rename OldName to Other in a.go")
	s.run()
	if p := s.plan(); !slices.Equal(p.Files, []string{"a.go"}) {
		t.Errorf("%q", p.Files)
	}
}

func TestReview_Abandoned(t *testing.T) {
	s, d := reviewing(t, small, task1)
	d.decide("Ana", planning.VerdictAbandon, "no more")
	if text := s.run(); !strings.Contains(text, "abandoned") {
		t.Error(text)
	}
}

func TestRevise_NoComment(t *testing.T) {
	s, d := reviewing(t, small, task1)
	before := s.plan().Plan
	p := d.next(t)
	if !strings.HasPrefix(p.Markdown, before) || !strings.Contains(p.Markdown, "no comment that asks for a change") {
		t.Error(p.Markdown)
	}
}

// Insertions and moves, as the letter tells of them.
func TestRevise_Order(t *testing.T) {
	s := newSession(t, small)
	s.say(task1)
	s.run()
	before := steps(s.plan().Plan)
	added := "## Step 9: Rename in `other.txt`\n\n````diff\n@@ line 1 @@\n-nothing here\n+something here\n````"
	s.requestChanges("Step 3 `Rename in b/b.go` was deleted by Bo. Leave it out.\n\n" +
		"A step was inserted by Bo. Keep it word for word:\n`````\n" + added + "\n`````\n\n" +
		"`Verification` was rewritten by Ana. Keep it word for word:\n```\n## Verification\n\nRun the tests.\n```\n\n" +
		"The steps are now, in this order: 4, new, 1, 2.\n\nNote from Ana:\n```\nskip step 3\n```")
	s.run()
	p := s.plan()
	want := []string{
		strings.Replace(before[3], "Step 4", "Step 1", 1), added + "\n\n", strings.Replace(before[1], "Step 2", "Step 3", 1),
	}
	if d := cmp.Diff(want, steps(p.Plan)); d != "" {
		t.Error(d)
	}
	if !strings.Contains(p.Plan, "\n## Verification\n\nRun the tests.\n\n## About the comments\n\n- Ana, on the plan: “skip step 3” — Left out: `README.md`.\n- “Rename in other.txt” is as Bo wrote it; it changes 1 line.") {
		t.Error(p.Plan)
	}
	if !slices.Equal(p.Files, []string{"vendor/v/v.go", "other.txt", "a.go"}) {
		t.Errorf("%q", p.Files)
	}
	s.approve("")
	s.run()
	if s.file("other.txt") != "something here\n" || s.file("b/b.go") != small["b/b.go"] || s.file("README.md") != small["README.md"] {
		t.Error("the plan was not carried out as it stands")
	}
}

// The same with the letter as it is really written: a step inserted, one moved
// to the front, one deleted.
func TestRevise_InsertedAndMoved(t *testing.T) {
	s, d := reviewing(t, small, task1)
	d.editAt("Bo", planning.EditInsert, 0, 2, "Rename in `other.txt`\n\n```diff\n@@ line 1 @@\n-nothing here\n+something here\n```")
	d.editAt("Ana", planning.EditMove, 5, 0, "")
	d.editAt("Ana", planning.EditDelete, 2, 0, "")
	p := d.next(t)
	want := []string{"Rename in vendor/v/v.go", "Rename in a.go", "Rename in other.txt", "Rename in b/b.go"}
	if diff := cmp.Diff(want, titles(p.Markdown)); diff != "" {
		t.Fatalf("%s\n%s", diff, p.Markdown)
	}
	for _, b := range p.Steps() {
		if b.Broken {
			t.Errorf("%q is marked as changed against its rewrite", b.Title)
		}
	}
	d.decide("Ana", planning.VerdictApprove, "")
	s.run()
	if s.file("other.txt") != "something here\n" || s.file("README.md") != small["README.md"] {
		t.Error("the plan was not carried out as it stands")
	}
	if done, all := s.done(); done != 4 || all != 4 {
		t.Errorf("%d of %d", done, all)
	}
}

// What is said in answer to a comment is no new wish.
func TestRevise_Conversation(t *testing.T) {
	_, d := reviewing(t, small, task1)
	d.comment("Bo", 4, "", "skip this")
	d.reply("Ana", "ok")
	p := d.next(t)
	if !strings.Contains(p.Markdown, "- Bo, on step 4: “skip this” — Left out: `vendor/v/v.go`.\n- Ana, on step 4: “ok” — Noted.") {
		t.Error(p.Markdown)
	}
}
