package agent_test

import (
	"strings"
	"testing"

	"countersign/internal/agent/llm/fakeopenai"
	"countersign/internal/agent/mask"
	"countersign/internal/agent/tool"
	"countersign/internal/planning"
)

// A made-up token, and a value of the server's own.
const (
	leaked = "ghp" + "_0123456789abcdefABCDEF0123456789abcd"
	own    = "the-token-of-this-server"
)

// What tools and sub-agents answer is recorded, shown live and sent to the
// model without the secrets in it, and the file can be changed all the same.
func TestMask_SecretsAreNotRecordedAndFilesStayWhole(t *testing.T) {
	edit := func(id, old, now string) fakeopenai.Call {
		return fakeopenai.Call{ID: id, Name: "edit_file", Arguments: map[string]any{"path": "a.txt", "old": old, "new": now}}
	}
	b := newBench(t)
	b.agent.Mask = mask.New(own)
	b.agent.Tools = tool.All(tool.Config{Mask: b.agent.Mask})
	b.agent.Instructions = tool.Config{}.Instructions(nil)
	b.file("AGENTS.md", "Use "+leaked+" for pushing.")
	b.file("a.txt", "# settings\nname = old\ntoken = "+leaked+"\nmine = "+own+"\n")
	e := b.errands([]fakeopenai.Turn{
		fakeopenai.Calls(submit("p")),
		fakeopenai.Calls(readFile("r", "a.txt"), shell("s", "cat a.txt"), spawn("a", "look into it"),
			edit("e", "name = old", "name = new"),
			edit("gone", "token = [masked: GitHub token]", "token = none"),
			writeFile("w", "a.txt", "token = [masked: GitHub token]\nmine = [masked: GitHub token]\n"),
			edit("into", "name = new", "name = [masked: GitHub token]"),
			shell("x", "echo '[masked: GitHub token]' > a.txt")),
		fakeopenai.Text("done"),
	}, map[string][]fakeopenai.Turn{"look into it": {fakeopenai.Calls(readFile("r2", "a.txt")), fakeopenai.Text("it has a token")}})
	b.begin(planning.ModePlan)
	b.rests(planning.StatusInReview)
	b.verdict(planning.VerdictApprove, "")
	b.rests(planning.StatusDone)
	results := b.results()
	for _, id := range []string{"gone", "w", "into", "x"} {
		if !strings.Contains(results[id], "stands for a secret") {
			t.Errorf("%s: %q", id, results[id])
		}
	}
	for _, id := range []string{"r", "s"} {
		if !strings.Contains(results[id], "token = [masked: GitHub token]\nmine = [masked: a secret of this server]") {
			t.Errorf("%s: %q", id, results[id])
		}
	}
	if got := b.text("a.txt"); got != "# settings\nname = new\ntoken = "+leaked+"\nmine = "+own+"\n" {
		t.Errorf("the file is %q", got)
	}
	b.nowhere(leaked, own)
	if len(e.asked["look into it"]) != 2 || !strings.Contains(e.asked["look into it"][1].Last().Content, "[masked: GitHub token]") {
		t.Errorf("the sub-agent was told %+v", e.asked["look into it"])
	}
}

// nowhere checks that none of these stands in a record, in a frame, or in what
// the model was sent.
func (b *bench) nowhere(secrets ...string) {
	b.t.Helper()
	records, err := b.db.Records(b.t.Context(), b.id, 0, 1000)
	if err != nil {
		b.t.Fatal(err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, secret := range secrets {
		for _, r := range records {
			if strings.Contains(string(r.Data), secret) {
				b.t.Errorf("recorded in %s: %s", r.Kind, r.Data)
			}
		}
		for _, f := range b.frames {
			if strings.Contains(f.Text, secret) {
				b.t.Errorf("shown live: %+v", f)
			}
		}
		for _, r := range b.model.Requests() {
			for _, m := range r.Messages() {
				if strings.Contains(m.Content, secret) {
					b.t.Errorf("sent to the model: %q", m.Content)
				}
			}
			if strings.Contains(r.System(), secret) {
				b.t.Errorf("sent to the model in the system prompt: %q", r.System())
			}
		}
	}
}

// What is recorded of a file's texts is enough to tell, after a crash, whether
// a change has happened, unless nothing but a secret differs.
func TestMask_AChangeIsStillFoundAfterACrash(t *testing.T) {
	b := newBench(t)
	tools := tool.Config{Mask: mask.New(own)}
	text := func(name string) string { return "name = " + name + "\ntoken = " + leaked + "\nmine = " + own + "\n" }
	b.file("a.txt", text("new"))
	change := planning.FileChanged{
		Path: "a.txt", Existed: true, Exists: true, Before: tools.Mask.Text(text("old")), After: tools.Mask.Text(text("new")),
	}
	if happened, known := tools.Reconcile(b.dir, change); !happened || !known {
		t.Errorf("happened: %v, known: %v", happened, known)
	}
	if happened, known := tools.Reconcile(b.dir, change.Reverse()); happened || !known {
		t.Errorf("taken back: happened: %v, known: %v", happened, known)
	}
	change.Before = change.After
	if _, known := tools.Reconcile(b.dir, change); known {
		t.Error("where nothing but a secret differs, it claims to know")
	}
}
