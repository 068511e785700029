package lang

import (
	"context"
	"errors"
	"testing"

	"countersign/internal/fault"
)

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		wanted []string
		want   *Language
	}{
		{nil, English},
		{[]string{""}, English},
		{[]string{"", "zh-CN,zh;q=0.9,en;q=0.8"}, Chinese},
		{[]string{"", "en-GB,zh;q=0.9"}, English},
		{[]string{"en", "zh-CN"}, English},
		{[]string{"zh-Hans", "en"}, Chinese},
		{[]string{"", "fr, de;q=0.9"}, English},
		{[]string{"", "fr, zh;q=0.5"}, Chinese},
		{[]string{"", "zh-SG"}, Chinese},
		{[]string{"no such, ;;=", "zh"}, Chinese},
	} {
		if got := Match(c.wanted...); got != c.want {
			t.Errorf("%q: %s, want %s", c.wanted, got.Code, c.want.Code)
		}
	}
}

func TestSay_NumbersAndPlurals(t *testing.T) {
	for _, c := range []struct {
		l    *Language
		n    int
		want string
	}{
		{English, 0, "0 lines"}, {English, 1, "1 line"}, {English, 2, "2 lines"}, {English, 12345, "12,345 lines"},
		{Chinese, 0, "0 行"}, {Chinese, 1, "1 行"}, {Chinese, 12345, "12,345 行"},
	} {
		if got := c.l.Say("%d lines", c.n); got != c.want {
			t.Errorf("%s, %d: %q, want %q", c.l.Code, c.n, got, c.want)
		}
	}
	if got := Chinese.Say("not in any catalogue: %s", "x"); got != "not in any catalogue: x" {
		t.Errorf("got %q", got)
	}
}

func TestFault_InTheReadersLanguage(t *testing.T) {
	type role string
	zh := With(context.Background(), Chinese)
	f := fault.New(fault.NotFound, "There is no such session.")
	if got := Fault(zh, f.Under(fault.Invalid, errors.New("x"))); got != "没有这个会话。" {
		t.Errorf("in Chinese %q", got)
	}
	if got := Fault(context.Background(), f); got != f.Message {
		t.Errorf("in English %q", got)
	}
	if got := Fault(zh, fault.New(fault.Invalid, "%s has deleted this step.", "李雷")); got != "李雷 删除了这个步骤。" {
		t.Errorf("with a name %q", got)
	}
	if got := Fault(zh, fault.New(fault.Invalid, "There is no role %q.", role("owner"))); got != "没有“所有者”这个角色。" {
		t.Errorf("with a word of ours %q", got)
	}
	if got := Fault(zh, &fault.Fault{Message: "Made by hand."}); got != "Made by hand." {
		t.Errorf("made by hand %q", got)
	}
}

// TestLogged_KnowsWhatIsOurs: sentences of ours are translated from the log,
// and what people or programs wrote is left alone.
func TestLogged_KnowsWhatIsOurs(t *testing.T) {
	zh := With(context.Background(), Chinese)
	for text, want := range map[string]string{
		"":                                 "",
		"Paused by Ana.":                   "由 Ana 暂停。",
		"Refused by Ana.":                  "Ana 拒绝了。",
		"Refused by Ana. By hand, please.": "Ana 拒绝了：By hand, please.",
		"Refused by Ana. The session goes back to plan mode: submit a new plan. Too much.": "Ana 拒绝了，会话回到计划模式，请提交新的计划。Too much.",
		"exit 0": "退出码 0",
		"exit 2, changed 1 file, 3 changes not kept": "退出码 2，改动了 1 个文件，3 处改动未保留",
		"1 line":              "1 行",
		"12 lines":            "12 行",
		"2 matches in 1 file": "在 1 个文件中有 2 处匹配",
		"copy is not one of the 1 file in the approved plan.":             "copy 不在已批准计划的 1 个文件之列。",
		"empty is not one of the 3 files in the approved plan.":           "empty 不在已批准计划的 3 个文件之列。",
		"api.example did not accept the request. It says: no\nsuch thing": "api.example 没有接受请求。它的说明：no\nsuch thing",
		"This command is not one of the 2 commands in the approved plan.": "这条命令不在已批准计划的 2 条命令之列。",
		"copy":                   "copy",
		"It broke, exit 0":       "It broke, exit 0",
		"Please leave it alone.": "Please leave it alone.",
	} {
		if got := Logged(zh, text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		if got := Logged(context.Background(), text); got != text {
			t.Errorf("in English %q became %q", text, got)
		}
	}
}
