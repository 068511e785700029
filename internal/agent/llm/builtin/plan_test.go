package builtin

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPlan_Chinese(t *testing.T) {
	s := newSession(t, map[string]string{"a.md": "旧名字 here\n", "b.go": "// 旧名字\n"})
	s.say("在 *.md 中，把“旧名字”替换为“新名字”。")
	text := s.run()
	p := s.plan()
	if !strings.HasPrefix(p.Plan, "# 把 `旧名字` 替换为 `新名字`\n") || !strings.Contains(text, "找到 1 行要修改") {
		t.Errorf("%s\n%s", text, p.Plan)
	}
	if d := cmp.Diff([]string{"在 a.md 中替换"}, titles(p.Plan)); d != "" {
		t.Error(d)
	}
	s.requestChanges("On step 1 `在 a.md 中替换`:\nAna wrote:\n```\n为什么？\n```")
	s.run()
	if !strings.Contains(s.plan().Plan, "## 关于评论\n\n- Ana，对步骤 1：“为什么？” — 内置规划器做不到这一点") {
		t.Error(s.plan().Plan)
	}
	s.approve("")
	text = s.run()
	if s.file("a.md") != "新名字 here\n" || s.file("b.go") != "// 旧名字\n" {
		t.Errorf("%q %q", s.file("a.md"), s.file("b.go"))
	}
	if !strings.Contains(text, "共 1 个步骤，完成了 1 个，修改了 1 行。") {
		t.Error(text)
	}
}

func TestPlan_NothingFound(t *testing.T) {
	s := newSession(t, small)
	s.say("rename Absent to Present in *.go")
	if text := s.run(); !strings.Contains(text, "I searched for `Absent` in `*.go`") {
		t.Error(text)
	}
	s.say("rename OldName to NewName in *.md")
	s.run()
	if files := s.plan().Files; !slices.Equal(files, []string{"README.md"}) {
		t.Errorf("files %q", files)
	}
}

func TestReply_NotUnderstood(t *testing.T) {
	for text, want := range map[string]string{"make it faster": "rename OldName to NewName", "让它更快": "把 OldName 改名为 NewName"} {
		s := newSession(t, small)
		s.say(text)
		have := s.run()
		for _, w := range []string{want, "OPENAI_API_KEY", "OPENAI_BASE_URL", "--model openai:NAME"} {
			if !strings.Contains(have, w) {
				t.Errorf("%q is not in %q", w, have)
			}
		}
		if len(s.used) > 0 {
			t.Errorf("it called %v", s.used)
		}
	}
}

// What was not understood beside a task is said in the plan.
func TestPlan_SaysWhatItDidNotUnderstand(t *testing.T) {
	s := newSession(t, small)
	s.say("rename OldName to NewName\nand update the changelog\nskip vendor/")
	s.run()
	p := s.plan()
	if !strings.Contains(p.Plan, "- I did not understand “and update the changelog”") || slices.Contains(p.Files, "vendor/v/v.go") {
		t.Errorf("%q\n%s", p.Files, p.Plan)
	}
}

func TestPlan_SaysThatTheNameIsInUse(t *testing.T) {
	s := newSession(t, map[string]string{"a.go": "Old\nNew\n"})
	s.say("rename Old to New")
	s.run()
	if want := "- The name `New` is in use already, for example at `a.go:2`."; !strings.Contains(s.plan().Plan, want) {
		t.Errorf("%q is not in\n%s", want, s.plan().Plan)
	}
}

func TestPlan_LeavesOutWhatItCannotChange(t *testing.T) {
	s := newSession(t, map[string]string{
		"long.js":  "var Old = 1\n" + strings.Repeat("x", 5000) + " Old\n",
		"latin.go": "// caf\xe9 Old\n",
		"ok.go":    "Old\n",
	})
	s.say("rename Old to New")
	s.run()
	p := s.plan()
	if !slices.Equal(p.Files, []string{"long.js", "ok.go"}) {
		t.Errorf("files %q", p.Files)
	}
	for _, want := range []string{"- Left out: `long.js:2`: the line is too long", "- Left out: `latin.go`: the file holds bytes that are no text"} {
		if !strings.Contains(p.Plan, want) {
			t.Errorf("%q is not in\n%s", want, p.Plan)
		}
	}
}
