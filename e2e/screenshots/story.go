package main

import (
	"embed"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"countersign/internal/agent/llm/fakeopenai"
)

type object = map[string]any

// modelName is what pages call the model.
const modelName = "atlas-2"

// story is who says what, in one language. What happens is the same in all.
type story struct {
	language        string // code, as the pages know it
	owner, bo, chen string

	// The plan in review.
	pauseTask, lookAround              string
	quote, onQuote, onMigration, tests string
	rewritten                          string
	whatIfRunning, letItFinish, mind   string

	// The plan that runs, and asks.
	billingTask, keepProduction, alsoTheGuide, oldGuide, guide string

	// The finished one, one that runs, one that looks around.
	cookieTask, cookieDone, sortTask, sorting, nightlyTask, nightly string
}

var workspaces = []string{"scheduler", "billing", "auth", "agent-kit", "ci-tools"}

// projects are the files of the workspaces, each name ending in .txt so that
// none is taken for code of ours; plans are what the model submits.
var (
	//go:embed projects
	projects embed.FS
	//go:embed plans
	plans embed.FS
)

// furnish copies a project into a folder.
func furnish(name, to string) error {
	from, err := fs.Sub(projects, "projects/"+name)
	if err != nil {
		return err
	}
	return fs.WalkDir(from, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		target := filepath.Join(to, filepath.FromSlash(strings.TrimSuffix(path, ".txt")))
		if d.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		text, err := fs.ReadFile(from, path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, text, 0o644)
	})
}

func call(id, tool string, arguments object) fakeopenai.Call {
	return fakeopenai.Call{ID: id, Name: tool, Arguments: arguments}
}

func calls(text string, all ...fakeopenai.Call) fakeopenai.Turn {
	return fakeopenai.Turn{Text: text, Calls: all, Usage: &fakeopenai.Usage{Prompt: 3200, Completion: 240}}
}

// plan is a call that submits one of the plans.
func (s *stage) plan(name string, files []string, commands ...string) fakeopenai.Call {
	text, err := plans.ReadFile("plans/" + s.story.language + "/" + name + ".md")
	s.try(err)
	return call("plan-"+name, "submit_plan", object{"plan": string(text), "files": files, "commands": commands})
}

func edit(id, path, old, new string) fakeopenai.Call {
	return call(id, "edit_file", object{"path": path, "old": old, "new": new})
}

// start starts a session whose model plays these turns.
func (s *stage) start(name, workspace, task string, approvals int, turns ...fakeopenai.Turn) {
	s.model.Add(turns...)
	answer := s.as(s.story.owner, "POST", "/sessions", object{"workspace": s.workspace(workspace), "task": task, "approvals": approvals})
	s.sessions[name] = answer["id"].(string)
}

// goOn waits until the model has played its turns and the session waits.
func (s *stage) goOn(name, status string) object {
	s.until("the model of "+name, func() bool { return s.model.Left() == 0 })
	return s.becomes(name, status)
}
