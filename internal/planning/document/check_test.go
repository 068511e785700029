package document

import (
	"strings"
	"testing"
)

func TestCheckPlan_P9_TitleFirst(t *testing.T) {
	for _, source := range []string{
		"# T", "# T\n\n1. a\n", "\n\n# T\n", "\uFEFF# T\n", "   # T\n", "#\tT\n", "T\n=====\n", "two\nlines\n==\n", "# **T** #\n",
		"# <b>\n", "[a]: /b\n\n# T\n", "# 计划\r\n\r\n1. a\r\n", "# T\n" + strings.Repeat("x", MaxPlan-4),
	} {
		if err := CheckPlan(source); err != nil {
			t.Errorf("%.40q: %v", source, err)
		}
	}
	cases := []struct{ source, says string }{
		{"", "empty"},
		{"\n \n", "empty"},
		{"[a]: /b\n", "empty"},
		{"do it", "not a heading"},
		{"## x", "level 2"},
		{"x\n---\n", "level 2"},
		{"#x", "not a heading"},
		{"# ", "no text"},
		{"#", "no text"},
		{"# #", "no text"},
		{"# &nbsp;\n", "no text"},
		{"# \u200b\u202e\n", "no text"},
		{"# ![](x)\n", "no text"},
		{"text\n\n# T\n", "not a heading"},
		{"> # T\n", "not a heading"},
		{"- # T\n", "not a heading"},
		{"    # T\n", "not a heading"},
		{"```\n# T\n```\n", "not a heading"},
		{"<!-- x -->\n# T\n", "not a heading"},
		{"---\ntitle: T\n---\n# T\n", "not a heading"},
		{"# T\n" + strings.Repeat("x", MaxPlan), "at most 1048576"},
		{"# T\xff", "UTF-8"},
		{"# T\x00", "NUL"},
	}
	for _, c := range cases {
		err := CheckPlan(c.source)
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%.40q: %v, want it to say %q", c.source, err, c.says)
		}
		if err != nil && !strings.Contains(c.says, "at most") && c.says != "UTF-8" && c.says != "NUL" && !strings.Contains(err.Error(), `"# `) {
			t.Errorf("%.40q: %v does not show how to do it right", c.source, err)
		}
	}
}
