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
