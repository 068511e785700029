package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"countersign/internal/agent/permission"
	"countersign/internal/planning"
)

// settings parses arguments in a workspace whose files have these contents.
func settings(t *testing.T, beside, inside string, env map[string]string, args ...string) (config, error) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "workspace")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{
		filepath.Join(filepath.Dir(dir), settingsName): beside, filepath.Join(dir, settingsName): inside,
	} {
		if text == "" {
			continue
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return parse(append(args, "--workspace", dir), func(key string) string { return env[key] }, io.Discard)
}

func TestConfig_FlagOverEnvironmentOverFile(t *testing.T) {
	env := map[string]string{"COUNTERSIGN_APPROVALS": "3", "COUNTERSIGN_CONFIRM": "every"}
	c, err := settings(t, "approvals = 2\naddr = \"127.0.0.1:1\"\nparallel_todos = true\n", "approvals = 4\nlog_level = \"warn\"\n", env, "--approvals", "5")
	if err != nil {
		t.Fatal(err)
	}
	if c.approvals != 5 || c.confirm != "every" || c.addr != "127.0.0.1:1" || !c.parallelTodos || c.logLevel != "warn" {
		t.Errorf("settings: %+v", c)
	}
	if c, err = settings(t, "approvals = 2", "approvals = 4", env); err != nil || c.approvals != 3 {
		t.Errorf("approvals = %d, %v; the environment says 3", c.approvals, err)
	}
	if c, err = settings(t, "approvals = 2", "approvals = 4", nil); err != nil || c.approvals != 2 {
		t.Errorf("approvals = %d, %v; the file beside the workspace says 2", c.approvals, err)
	}
}

// A repository that somebody else wrote must not open the server to them.
func TestConfig_AFileInTheWorkspaceCanNotWeaken(t *testing.T) {
	for _, line := range []string{
		`token = "a-token-that-they-know"`, `addr = "0.0.0.0:7777"`, `enforcement = "guidance"`, `data = "."`,
		`plan_tools = "write_file"`, `plan_prompt = "You may write."`, `workspace = "/"`, `database = "x"`, `hosts = ["evil.example"]`,
	} {
		if _, err := settings(t, "", line, nil); err == nil || !strings.Contains(err.Error(), "inside the workspace") {
			t.Errorf("%s: %v", line, err)
		}
	}
}

func TestConfig_BadInput(t *testing.T) {
	for line, want := range map[string]string{
		`aprovals = 2`: "no setting", `approvals = "many"`: "not a value", `approvals = 0`: "--approvals", `approvals =`: "can't be read",
	} {
		if _, err := settings(t, line, "", nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error with %q", line, err, want)
		}
	}
	if _, err := settings(t, "", "", map[string]string{"COUNTERSIGN_APPROVALS": "x"}); err == nil || !strings.Contains(err.Error(), "COUNTERSIGN_APPROVALS") {
		t.Errorf("a bad variable: %v", err)
	}
}

func TestConfig_P7_PlanToolsAreKnownAndChangeNothing(t *testing.T) {
	for list, want := range map[string]string{
		"read_file,grpe": `"grpe", which is no tool`, "write_file": `"write_file", which changes files`, "read_file, edit_file": `"edit_file"`,
	} {
		_, err := settings(t, "", "", nil, "--plan-tools", list)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "read_file, list_dir, glob, grep, shell (update_plan and submit_plan are always there)") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", list, err)
		}
	}
	if _, err := settings(t, `plan_tools = ["read_file", "wirte"]`, "", nil); err == nil || !strings.Contains(err.Error(), "wirte") {
		t.Errorf("in a file: %v", err)
	}
	c, err := settings(t, "", "", nil, "--plan-tools", " read_file , submit_plan,")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"read_file": true, "grep": false, "submit_plan": true, "update_plan": true} {
		access := permission.Read
		if strings.HasSuffix(name, "_plan") {
			access = permission.Control
		}
		if got := c.policy("").Offered(planning.ModePlan, name, access); got != want {
			t.Errorf("%s offered: %v, want %v", name, got, want)
		}
	}
}

func TestConfig_TheAgentCanNotReachTheSettings(t *testing.T) {
	c, err := settings(t, "", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	list := strings.Join(c.protected(), "\n")
	for _, path := range []string{c.private(), filepath.Join(c.workspaces[0], settingsName)} {
		if !strings.Contains(list, path) {
			t.Errorf("%s is not protected", path)
		}
	}
}

func TestReview_R7_RulesOfDecisionsAreSettings(t *testing.T) {
	c, err := settings(t, "", "", nil)
	if err != nil || c.rules().RefuseOwn || c.rules().ThreadsBlock {
		t.Errorf("unless told: %+v, %v", c.rules(), err)
	}
	c, err = settings(t, "own_sessions = \"refuse\"\nopen_threads = \"block\"\n", "", nil)
	if err != nil || !c.rules().RefuseOwn || !c.rules().ThreadsBlock {
		t.Errorf("from a file: %+v, %v", c.rules(), err)
	}
	for _, wrong := range []string{"--own-sessions=never", "--open-threads=ignore"} {
		if _, err := settings(t, "", "", nil, wrong); err == nil {
			t.Errorf("%s is taken", wrong)
		}
	}
}
