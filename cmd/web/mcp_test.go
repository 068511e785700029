package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const docsServer = "[mcp.docs]\ncommand = \"docs-server\"\n"

func TestConfig_P28_Servers(t *testing.T) {
	c, err := settings(t, "[mcp.web]\nurl = \"https://tools.example/mcp\"\nheaders = {Authorization = \"Bearer x\"}\n\n"+
		docsServer+"args = [\"--all\"]\nenv = {TOKEN = \"t\"}\nreadable = [\"/srv/docs\"]\nread_only = [\"search\"]\ntimeout = \"90s\"\n", "", nil)
	if err != nil || len(c.servers) != 2 {
		t.Fatalf("%+v, %v", c.servers, err)
	}
	if s := c.servers[0]; s.Name != "docs" || s.Command != "docs-server" || !slices.Equal(s.Args, []string{"--all"}) || s.Env["TOKEN"] != "t" ||
		!slices.Equal(s.Readable, []string{"/srv/docs"}) || !slices.Equal(s.ReadOnly, []string{"search"}) || s.Timeout != 90*time.Second {
		t.Errorf("the first one: %+v", s)
	}
	if s := c.servers[1]; s.Name != "web" || s.URL != "https://tools.example/mcp" || s.Headers["Authorization"] != "Bearer x" || s.Timeout != 0 {
		t.Errorf("the second one: %+v", s)
	}
	if none, err := settings(t, "", "", nil); err != nil || none.toolbox() != nil {
		t.Errorf("without servers: %v, %v", none.toolbox(), err)
	}
}

// A repository that somebody else wrote must not start programs.
func TestConfig_P28_NoServerInsideTheWorkspace(t *testing.T) {
	if _, err := settings(t, "", docsServer, nil); err == nil || !strings.Contains(err.Error(), "mcp can't be set by a file inside the workspace") {
		t.Error(err)
	}
}

func TestConfig_P28_EachMistakeInAServerHasItsSentence(t *testing.T) {
	for text, want := range map[string]string{
		"mcp = \"docs\"":                                             "each is to be a [mcp.NAME]",
		"[mcp]\ncommand = \"x\"":                                     "each is to be a [mcp.NAME]",
		"[[mcp]]\ncommand = \"x\"":                                   "each is to be a [mcp.NAME]",
		docsServer + "comand = \"x\"":                                `the MCP server "docs" has a setting that there is not, "comand"`,
		docsServer + "args = \"x\"":                                  "mcp.docs.args",
		docsServer + "url = \"http://x\"":                            "has both a command and a url",
		docsServer + "headers = {A = \"b\"}":                         "headers mean nothing",
		docsServer + "timeout = \"soon\"":                            `has the timeout "soon"; it is to be a time such as 90s`,
		docsServer + "timeout = \"-1s\"":                             "it is to be a time such as 90s",
		docsServer + "timeout = \"100h\"":                            "has a timeout that can't be used",
		docsServer + "readable = [\"docs\"]":                         "which is no absolute path",
		docsServer + "env = {\"A=B\" = \"c\"}":                       "has a variable",
		docsServer + "read_only = [\"\"]":                            "lists a tool without a name",
		"[mcp.docs]":                                                 "has neither a command nor a url",
		"[mcp.docs]\ncommand = \"bin/x\"":                            "neither a name nor an absolute path",
		"[mcp.docs]\nurl = \"tools.example\"":                        "has a url that can't be used",
		"[mcp.docs]\nurl = \"http://a:b@x\"":                         "without a password in it",
		"[mcp.docs]\nurl = \"http://x\"\nargs = [\"x\"]":             "args, env and readable mean nothing",
		"[mcp.docs]\nurl = \"http://x\"\nheaders = {\"A B\" = \"\"}": "has a header",
		"[mcp.a__b]\ncommand = \"x\"":                                "has a name that can't be used",
		"[mcp.\"über\"]\ncommand = \"x\"":                            "has a name that can't be used",
		"[mcp." + strings.Repeat("x", 33) + "]\ncommand = \"x\"":     "has a name that can't be used",
	} {
		_, err := settings(t, text, "", nil)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), settingsName) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

func TestDoctor_P28_TriesTheServers(t *testing.T) {
	server := sdk.NewServer(&sdk.Implementation{Name: "docs", Version: "1"}, nil)
	for _, name := range []string{"search", "write"} {
		sdk.AddTool(server, &sdk.Tool{Name: name}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
			return nil, nil, nil
		})
	}
	up := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil))
	defer up.Close()
	down := httptest.NewServer(http.NotFoundHandler())
	down.Close()
	file := filepath.Join(t.TempDir(), settingsName)
	text := "[mcp.docs]\nurl = \"" + up.URL + "\"\nread_only = [\"search\", \"find\"]\n[mcp.gone]\nurl = \"" + down.URL + "\"\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	screen, failed := examine(t, nil, "--config", file, "--data", t.TempDir(), "--workspace", t.TempDir(), "--model", "builtin")
	if failed {
		t.Errorf("a server that is not there is not fatal:\n%s", screen)
	}
	has(t, screen, fine, "mcp", "docs works; tools: 2, listed as read-only: 1")
	has(t, screen, worry, "mcp", "does not have: find.")
	has(t, screen, worry, "mcp", "gone offers nothing. It can't be reached")
}
