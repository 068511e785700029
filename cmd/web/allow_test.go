package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

func TestConfig_P24_WhatIsAllowedInEverySession(t *testing.T) {
	text := docsServer + "[allow]\ncommands = [\"go test ./...\", \"make, all\"]\nfiles = [\"docs/**/*.md\", \"gen/\"]\ntools = [\"docs__write\"]\n"
	c, err := settings(t, text, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	a := c.policy("").Allowed
	if !slices.Equal(a.Commands, []string{"go test ./...", "make, all"}) || !slices.Equal(a.Patterns, []string{"docs/**/*.md", "gen/"}) || !slices.Equal(a.Tools, []string{"docs__write"}) {
		t.Errorf("%+v", a)
	}
	if a.HasFile("gen/.git/config") || !a.HasFile("gen/x") {
		t.Error("a folder holds its files, and never a .git")
	}
	var out bytes.Buffer
	e := examination{out: &out}
	if e.allowed(&c); !strings.Contains(out.String(), "commands: 2, patterns of files: 2, tools: 1") {
		t.Errorf("doctor says %q", out.String())
	}
	if none, err := settings(t, "approvals = 1\n", "", nil); err != nil || !none.allowed.Empty() {
		t.Errorf("without it: %+v, %v", none.allowed, err)
	}
}

func TestConfig_P24_NothingIsAllowedByAMistake(t *testing.T) {
	for text, want := range map[string]string{
		"allow = [\"make\"]":                  "it is to be [allow] with commands, files and tools",
		"[allow]\ncommands = \"make\"":        "it is to be [allow]",
		"[allow]\ncommand = [\"make\"]":       `allow has no setting "command"`,
		"[allow]\ncommands = [\" \"]":         "is not a command",
		"[allow]\nfiles = [\".git/config\"]":  "allow: files, entry 1",
		"[allow]\nfiles = [\"../x\"]":         "allow: files, entry 1",
		"[allow]\nfiles = [\".\"]":            "is the whole workspace",
		"[allow]\ntools = [\"write_file\"]":   "belongs to no MCP server",
		"[allow]\ntools = [\"other__write\"]": "belongs to no MCP server",
	} {
		if _, err := settings(t, text+"\n", "", nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := settings(t, "", "[allow]\ncommands = [\"make\"]\n", nil); err == nil || !strings.Contains(err.Error(), "allow can't be set by a file inside the workspace") {
		t.Error(err)
	}
}
