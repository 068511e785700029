package planning

import (
	"strings"
	"testing"

	"countersign/internal/fault"
)

func TestPlan_P1_WhatIsACommand(t *testing.T) {
	s := session(t, append(created(ModeNormal), ModelMessage{Text: "done"}, RunFinished{})...)
	for text, want := range map[string]UserMessage{
		"/plan rename it":     {Text: "rename it", Command: CommandPlan},
		"/Plan\nrename it\n ": {Text: "rename it", Command: CommandPlan},
		"/plan offer more":    {Text: "offer more", Command: CommandPlan},
		"/etc/hosts is wrong": {Text: "/etc/hosts is wrong"},
		"/usr-local x":        {Text: "/usr-local x"},
		"/ plan":              {Text: "/ plan"},
		" /plan rename it":    {Text: "/plan rename it"},
		"//plan rename it":    {Text: "/plan rename it"},
		"//etc":               {Text: "/etc"},
		"// a comment":        {Text: "// a comment"},
		"///x":                {Text: "///x"},
		"Say /plan":           {Text: "Say /plan"},
	} {
		events, err := Say(s, ana, text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got := events[0].Payload; got != want {
			t.Errorf("%q is %+v, want %+v", text, got, want)
		}
	}
	for _, text := range []string{"/etc", "/plam x", "/planoff"} {
		_, err := Say(s, ana, text)
		if f, ok := fault.As(err); !ok || f.Code != fault.Invalid || f.Field != "text" || !strings.Contains(f.Message, "/help") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestSay_HelpIsNoEvent(t *testing.T) {
	s := session(t, created(ModeNormal)...)
	for _, text := range []string{"/help", "/HELP plan"} {
		if events, err := Say(s, ana, text); err != nil || events != nil || !AsksForHelp(text) {
			t.Errorf("%q: %v, %v", text, events, err)
		}
	}
	for _, text := range []string{"help", " /help", "//help", "/helpme", "/plan help"} {
		if AsksForHelp(text) {
			t.Errorf("%q asks for help", text)
		}
	}
	for _, c := range MessageCommands() {
		if c.Help == "" || !strings.HasPrefix(c.Usage(), "/"+c.Name) || c.events == nil && c.Name != commandHelp {
			t.Errorf("%+v", c)
		}
	}
}
