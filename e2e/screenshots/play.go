package main

import "countersign/internal/agent/llm/fakeopenai"

// play plays the whole story: five sessions, each in a state of its own.
func (s *stage) play() {
	s.invite(s.story.bo, "approver")
	s.invite(s.story.chen, "approver")
	s.playFinished()
	s.playAsking()
	s.playReview()
	s.playRunning()
	s.start("nightly", "ci-tools", s.story.nightlyTask, 1,
		calls(s.story.nightly, call("grep", "grep", object{"pattern": "timeout"})), fakeopenai.Turn{Stall: true})
	s.goOn("nightly", "planning")
	s.model.Otherwise(fakeopenai.Turn{Stall: true}) // where it takes so long that it is asked again
}

// playReview ends with a second version, an open discussion on it and one of
// two approvals.
func (s *stage) playReview() {
	ana, bo, chen := s.story.owner, s.story.bo, s.story.chen
	v1 := []string{"scheduler/job.go", "scheduler/due.go", "scheduler/migrate.go", "bot/commands.go", "scheduler/pause_test.go"}
	v2 := []string{"scheduler/job.go", "scheduler/due.go", "bot/commands.go", "scheduler/pause_test.go"}
	s.start("pause", "scheduler", s.story.pauseTask, 2,
		calls(s.story.lookAround, call("list", "list_dir", object{"path": "."}), call("job", "read_file", object{"path": "scheduler/job.go"}),
			call("due", "read_file", object{"path": "scheduler/due.go"})),
		calls("", call("grep", "grep", object{"pattern": "handle"})),
		calls("", s.plan("pause-1", v1, "go test ./...")))
	s.goOn("pause", "in_review")

	hash, steps := s.read("pause", 1)
	quoted := s.comment(ana, "pause", 1, steps[1], s.story.quote, s.story.onQuote)
	s.comment(chen, "pause", 1, steps[4], "", s.story.onMigration)
	s.comment(ana, "pause", 1, steps[5], "", s.story.tests)
	s.as(bo, "PUT", s.planPath("pause", 1)+"/steps/"+steps[2], object{"markdown": s.story.rewritten, "base": hash})
	s.model.Add(calls("", s.plan("pause-2", v2, "go test ./...", "go vet ./...")))
	s.decide(ana, "pause", 1, "request_changes")
	s.goOn("pause", "in_review")

	_, steps = s.read("pause", 2)
	s.as(ana, "POST", quoted+"/resolve", nil)
	thread := s.comment(bo, "pause", 2, steps[1], "", s.story.whatIfRunning)
	s.as(chen, "POST", thread+"/replies", object{"body": s.story.letItFinish})
	s.comment(chen, "pause", 2, steps[4], "", s.story.mind)
	s.decide(chen, "pause", 2, "approve")
	s.looksAt(bo, "pause", steps[3], true)
	s.looksAt(chen, "pause", steps[1], false)
}

// playAsking ends in the middle of an execution, with a question whether a file
// outside the plan may be written.
func (s *stage) playAsking() {
	s.start("billing", "billing", s.story.billingTask, 1, calls("", s.plan("billing",
		[]string{"billing/client.go", "billing/retry.go", "billing/invoice.go", "billing/*_test.go"}, "grep -rn v2 billing")))
	s.goOn("billing", "in_review")
	s.model.Add(
		calls("", call("t0", "update_plan", s.todo("billing", 1, 0)), edit("e0", "billing/client.go", `const base = "https://billing.example/v2"`, `const base = "https://billing.example/v3"`)),
		calls("", edit("e1", "billing/client.go", "func (c *Client) Charge(amount int) error {\n\treturn c.post(\"/charges\", amount)", "func (c *Client) Charge(amount int, key string) error {\n\treturn c.post(\"/charges\", key, amount)"), call("t1", "update_plan", s.todo("billing", 1, 1))),
		calls("", edit("e2", "billing/retry.go", "for range 3 {", "for range attempts {"), edit("e3", "billing/retry.go", "package billing\n", "package billing\n\n// attempts is how often a request is made before it counts as failed.\nconst attempts = 5\n"), call("t2", "update_plan", s.todo("billing", 1, 2))),
		calls("", call("sh", "shell", object{"command": "grep -rn v2 billing"})),
		calls("", call("prod", "write_file", object{"path": "config/production.yaml", "content": "billing: v3\n"})))
	s.decide(s.story.owner, "billing", 1, "approve")
	s.goOn("billing", "waiting")
	s.model.Add(calls(s.story.alsoTheGuide, call("guide", "write_file", object{"path": "billing.md", "content": s.story.guide})))
	s.answer(s.story.chen, "billing", "refuse", s.story.keepProduction)
	s.goOn("billing", "waiting")
}

// playFinished is done as planned.
func (s *stage) playFinished() {
	s.start("cookie", "auth", s.story.cookieTask, 2, calls("", s.plan("cookie", []string{"session.go", "token.go"}, "gofmt -l .")))
	s.goOn("cookie", "in_review")
	s.decide(s.story.bo, "cookie", 1, "approve")
	s.model.Add(
		calls("", call("token", "write_file", object{"path": "token.go", "content": "package auth\n\n// sign returns a token for a session.\nfunc sign(id string) string { return id + \".\" + mac(id) }\n"}), call("t0", "update_plan", s.todo("cookie", 1, 2))),
		calls("", edit("use", "session.go", "return randomID()", "return sign(randomID())"), call("t1", "update_plan", s.todo("cookie", 1, 5))),
		fakeopenai.Text(s.story.cookieDone))
	s.decide(s.story.owner, "cookie", 1, "approve")
	s.goOn("cookie", "done")
}

// playRunning ends while the model is thinking.
func (s *stage) playRunning() {
	s.start("sort", "agent-kit", s.story.sortTask, 1, calls("", s.plan("sort", []string{"tools/*.go"})))
	s.goOn("sort", "in_review")
	s.model.Add(calls("", call("t", "update_plan", s.todo("sort", 1, 2))), fakeopenai.Turn{Text: s.story.sorting, Stall: true})
	s.decide(s.story.owner, "sort", 1, "approve")
	s.goOn("sort", "executing")
}
