package web

import (
	"context"
	"net/url"
	"strconv"
	"strings"

	"countersign/internal/planning"
	"countersign/internal/review"
)

const chinesePlan = "# 改名\n\n先说明。\n\n## 1. 查看\n\n看一遍。\n\n## 2. 修改\n\n改一处。\n\n## 3. 检查\n\n跑测试。\n"

func (z *chinese) submits(markdown string, files ...string) planning.Plan {
	z.t.Helper()
	v, err := planning.NewVersion(z.state(z.id), markdown, planning.Scope{Files: files, Commands: []string{"建"}})
	z.must(err)
	v.Call = newSecret()
	z.does(chineseAgent, planning.ModelMessage{Text: "看完了。", Reasoning: "想一想。", Calls: []planning.ToolCall{{ID: v.Call, Name: "submit_plan"}}, Seen: z.state(z.id).Seq},
		v, planning.RunParked{Wait: planning.WaitReview})
	p, _ := z.state(z.id).Plan()
	return p
}

// inReview is a plan, and all that people can do to it and undo.
func (z *chinese) inReview() {
	z.begin("改名")
	z.pages()
	p := z.submits(chinesePlan, "甲")
	z.pages()
	root := "/sessions/" + z.id + "/"
	step := func(n int) string { return p.Steps()[n-1].ID }
	z.look(root+"plan?comment="+step(1)).posts("#"+step(1)+" .composer", "body", " ").posts("#"+step(1)+" .composer", "body", "为什么？")
	thread := z.state(z.id).Threads[0]
	bo := review.Person{ID: "2", Name: "小博", Role: review.RoleApprover}.Actor()
	z.does(bo, planning.ThreadReplied{Thread: thread.ID, Body: "因为。"}, planning.ThreadOpened{Thread: "t2", Version: 1, Step: step(2), Quote: "改一处", Body: "请说明"})
	said := z.state(z.id).Threads[1].Comments[0].Seq
	z.does(bo, planning.CommentEdited{Thread: "t2", Comment: said, Body: "请解释"}, planning.ThreadResolved{Thread: "t2"}, planning.ThreadReopened{Thread: "t2"})
	z.does(z.person.Actor(), planning.CommentAgreed{Thread: "t2", Comment: said}, planning.AgreementWithdrawn{Thread: "t2", Comment: said}, planning.CommentAgreed{Thread: "t2", Comment: said})
	z.does(bo, planning.CommentDeleted{Thread: thread.ID, Comment: z.state(z.id).Threads[0].Comments[1].Seq})
	z.pages()
	for _, op := range []string{"", "inserted", "moved", "deleted"} {
		z.look(root + "edit?step=" + step(2) + "&op=" + op)
	}
	z.look(root+"edit?step="+step(2)).posts("#edit-form", "markdown", "## 2. 修改\n\n改两处。")
	z.look(root+"edit?step="+step(2)+"&op=inserted").posts("#edit-form", "markdown", "## 3. 新增\n\n多一步。")
	z.look(root+"edit?step="+step(1)+"&op=moved").posts("#edit-form", "after", step(2))
	z.look(root + "edit?step=" + step(3) + "&op=deleted").posts("#edit-form")
	z.look(root+"scope").posts("#scope-form", "files", "乙").look(root + "plan").posts(`form[action$="/undo"]`)
	z.pages()
	z.conflicts(root, step(2))
	z.look(root + "feedback").look(root + "feedback?verdict=approve").look(root + "feedback?verdict=abandon")
	z.look(root + "plan").posts("#approve").look(root + "plan")
	if z.doc.Find(`form[action$="approval/withdraw"]`).Length() > 0 {
		z.posts(`form[action$="approval/withdraw"]`)
	}
}

// conflicts are texts that others changed meanwhile.
func (z *chinese) conflicts(root, step string) {
	z.t.Helper()
	for path, values := range map[string]url.Values{
		"edits":             {"op": {"rewritten"}, "version": {"1"}, "step": {step}, "base": {"x"}, "seen": {"y"}, "markdown": {"## 2. 别的"}},
		"scope":             {"version": {"1"}, "base": {"x"}, "seen": {"{}"}, "files": {"丙"}},
		"decision":          {"version": {"1"}, "sha256": {"x"}, "verdict": {"approve"}},
		"threads":           {"version": {"9"}, "body": {"说"}},
		"messages":          {"text": {"/飞"}},
		"pause":             {},
		"resume":            {},
		"approval/withdraw": {"version": {"1"}},
	} {
		z.take(root+path, z.form(root+path, values, z.cookie))
		z.check()
	}
	for path, values := range map[string]url.Values{
		"edits": {"merge": {"both"}, "op": {"rewritten"}, "version": {"1"}, "step": {step}, "markdown": {"## 2. 别的"}},
		"scope": {"merge": {"both"}, "version": {"1"}, "files": {"丙"}},
	} {
		z.take(root+path, z.form(root+path, values, z.cookie))
		z.check()
	}
}

// secondVersion answers, and leaves something out.
func (z *chinese) secondVersion() {
	z.begin("第二")
	p := z.submits(chinesePlan, "甲")
	bo := review.Person{ID: "2", Name: "小博", Role: review.RoleApprover}.Actor()
	z.does(bo, planning.ThreadOpened{Thread: "u1", Version: 1, Step: p.Steps()[0].ID, Body: "一"},
		planning.ThreadOpened{Thread: "u2", Version: 1, Step: p.Steps()[2].ID, Body: "二"}, planning.ThreadOpened{Thread: "u3", Version: 1, Body: "三"},
		planning.ReviewApproved{Version: 1, SHA256: p.SHA256, Note: "好"})
	root := "/sessions/" + z.id + "/"
	z.look(root+"edit?step="+p.Steps()[1].ID).posts("#edit-form", "markdown", "## 2. 修改\n\n改三处。")
	z.look(root+"feedback").posts("#verdict", "note", "请改")
	z.submits("# 改名\n\n## 1. 先修改\n\n改别的。\n\n## 2. 查看\n\n看两遍。\n", "乙")
	z.pages()
	z.look(root + "feedback?verdict=approve").look(root + "plan").posts(`form[action$="/release"]`)
	z.pages()
	z.look(root + "plan?version=1").look(root + "plan?version=9").look(root + "compare?from=1&to=2&layout=side")
}

// work is the activity, with every kind of call and answer.
func (z *chinese) work() {
	z.begin("做事")
	p := z.submits(chinesePlan, "甲")
	z.look("/sessions/" + z.id + "/plan").posts("#approve")
	_ = p
	call := func(id, name string, outcome planning.Outcome, note, output string) {
		z.does(chineseAgent, planning.ModelMessage{Calls: []planning.ToolCall{{ID: id, Name: name}}, Stop: "length"}, planning.ToolStarted{Call: id, Name: name, Summary: "甲"},
			planning.ToolFinished{Call: id, Name: name, Outcome: outcome, Note: note, Output: output, DurationMS: 1500})
	}
	z.does(planning.System, planning.ModeChanged{From: planning.ModePlan, To: planning.ModeExecuting, Reason: "the plan was approved"})
	call("c1", "shell", planning.OutcomeOK, "exit 0, changed 2 files", strings.Repeat("行\n", 30))
	call("c2", "grep", planning.OutcomeOK, "3 matches in 1 file", "行")
	call("c3", "shell", planning.OutcomeError, "", "坏")
	call("c4", "write_file", planning.OutcomeDenied, "", "不")
	call("c5", "shell", planning.OutcomeCancelled, "", "")
	call("c6", "shell", planning.OutcomeUnknown, "", "")
	z.does(chineseAgent, planning.FileChanged{Call: "c1", Path: "甲", Existed: true, Exists: true, Before: "一\n二", After: "一\n三", Added: 1, Removed: 1},
		planning.FileChanged{Call: "c1", Path: "乙", Exists: true, Omitted: "binary"}, planning.FileChanged{Call: "c1", Path: "丙", Existed: true, Before: "x", InPlan: true},
		planning.TodoWritten{Items: []planning.Todo{{ID: "1", Text: "一", Status: planning.TodoCompleted}, {ID: "2", Text: "二", Status: planning.TodoInProgress}, {ID: "3", Text: "三", Status: planning.TodoPending}}})
	z.pages()
	first := strconv.FormatInt(z.state(z.id).Changes[0].First, 10)
	z.look("/sessions/"+z.id+"/changes?record="+first+"&line=2&side=new").posts("tr.note form", "body", " ")
	for i, answer := range []planning.PermissionAnswer{planning.AnswerOnce, planning.AnswerSession, planning.AnswerRefuse, planning.AnswerReplan} {
		id := "q" + string(rune('1'+i))
		asked := []planning.PermissionAsked{
			{Command: strings.Repeat("x\n", 30), Reason: "This command is not one of the 2 commands in the approved plan."},
			{Paths: []string{"甲"}, Reason: "甲 is not one of the 1 file in the approved plan."},
			{Paths: []string{"甲", "乙"}, Reason: "This session runs without a plan, so each change is asked about."}, {Reason: "Every write and every command is to be confirmed."},
		}[i]
		asked.ID, asked.Call, asked.Tool = id, "p"+id, "丁"
		z.does(chineseAgent, planning.ModelMessage{Calls: []planning.ToolCall{{ID: "p" + id, Name: "shell"}}}, asked, planning.RunParked{Wait: planning.WaitPermission})
		z.pages()
		z.does(z.person.Actor(), planning.PermissionAnswered{ID: id, Answer: answer, Reason: "好"})
	}
	z.does(chineseAgent, planning.RunParked{Wait: planning.WaitMessage})
	z.pages()
}

// ends are the ways in which a session can stop.
func (z *chinese) ends() {
	z.begin("停")
	z.does(z.person.Actor(), planning.RunPaused{Reason: "Paused by 奥莉."})
	z.pages()
	z.does(z.person.Actor(), planning.RunResumed{}, planning.ModeChanged{To: planning.ModeNormal, Reason: "asked for by 奥莉"}, planning.UserMessage{Text: "说", Command: planning.CommandPlanOff})
	z.does(planning.System, planning.RunFailed{Message: "The model answered with nothing.", Detail: "x"})
	z.pages()
	z.does(z.person.Actor(), planning.RunResumed{})
	z.does(chineseAgent, planning.RunFinished{Unfinished: 2})
	z.pages()
	z.begin("终")
	p := z.submits(chinesePlan)
	z.does(z.person.Actor(), planning.ReviewApproved{Version: 1, SHA256: p.SHA256},
		planning.ApprovalWithdrawn{Version: 1, SHA256: p.SHA256}, planning.ReviewDecided{Version: 1, SHA256: p.SHA256, Verdict: planning.VerdictAbandon, Note: "算了", Result: "停"})
	z.pages()
}

// others are people, and those who may do less.
func (z *chinese) others() {
	z.look("/people").posts("#invite", "lasts", "x").posts("#invite")
	z.look("/people/"+z.person.ID).posts("#role", "role", "viewer")
	z.look("/people/me").posts("#token", "name", " ").posts("#token", "name", "夜").look("/people/me").posts(`#sign-ins form[action$="/link"]`)
	viewer, err := z.db.AddPerson(context.Background(), "小看", review.RoleViewer)
	z.must(err)
	z.look("/people").look("/people/" + viewer.ID).look("/people/record").look("/webhooks")
	owner := z.browser
	z.browser = z.browse(viewer)
	z.browser.cookie += header("; countersign_language=zh-Hans")
	z.pages()
	z.look("/people").look("/new")
	z.browser = owner
}
