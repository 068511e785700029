package builtin

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const taskZh = "把 OldName 改名为 NewName"

// The steps of a Chinese plan are found by the parser, as those of any other.
func TestPlan_R2_ChineseStepsAreNumbered(t *testing.T) {
	_, d := reviewing(t, map[string]string{"a.go": "OldName\n", "b.go": "OldName\n"}, taskZh)
	p := d.plan()
	contains(t, p.Markdown, "# 把 `OldName` 改名为 `NewName`\n", "## 步骤 1：在 `a.go` 中改名\n", "## 步骤 2：在 `b.go` 中改名\n", "## 验证\n")
	var titles []string
	for _, b := range p.Steps() {
		titles = append(titles, b.Title)
	}
	if diff := cmp.Diff([]string{"在 a.go 中改名", "在 b.go 中改名"}, titles); diff != "" {
		t.Error(diff)
	}
}

// Each comment is answered in its own language; the plan stays in that of the task.
func TestRevise_R4_AnswersInTheLanguageOfTheComment(t *testing.T) {
	files := map[string]string{"README.md": "OldName\n", "a.go": "OldName\n", "vendor/v.go": "OldName\n"}
	for task, head := range map[string]string{task1: "## About the comments", taskZh: "## 关于评论"} {
		_, d := reviewing(t, files, task)
		d.comment("安娜", 0, "", "跳过 README.md")
		d.comment("Bo", 0, "", "please skip vendor/ for now")
		d.comment("安娜", 0, "", "请加上测试")
		p := d.next(t)
		if diff := cmp.Diff([]string{"a.go"}, p.Scope.Files); diff != "" {
			t.Errorf("%s: %s", task, diff)
		}
		contains(t, p.Markdown, head, "已去掉：`README.md`。", "Left out: `vendor/v.go`.", "内置规划器做不到这一点，没有因此改动计划。")
	}
}

func TestReply_WhatItCantDoIsSaidInTheLanguageOfTheMessage(t *testing.T) {
	for text, want := range map[string]string{"请修复登录的错误": "其他任务请连接一个模型", "fix the login": "For anything else connect a model"} {
		s := newSession(t, map[string]string{"a.go": "OldName\n"})
		s.say(text)
		if got := s.run(); !strings.Contains(got, want) {
			t.Errorf("%q is answered with %q", text, got)
		}
	}
}
