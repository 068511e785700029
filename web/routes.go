package web

import (
	"net/http"
	"sync"

	"countersign/internal/review"
	"countersign/web/static"

	"github.com/labstack/echo/v4"
)

// routes is all that this server answers to.
func (s *server) routes(e *echo.Echo) {
	e.GET("/healthz", s.health)
	e.HEAD("/healthz", s.health)
	e.GET("/metrics", s.metrics)
	e.GET(staticRoute, echo.WrapHandler(static.Handler()))
	e.HEAD(staticRoute, echo.WrapHandler(static.Handler()))

	e.GET(signInRoute, s.signInPage)
	e.HEAD(signInRoute, s.signInPage)
	e.POST(signInRoute, s.signInForm)
	e.GET(joinRoute, s.joinPage)
	e.POST(joinRoute, s.joinForm)
	e.POST("/sign-out", s.signOut)
	e.POST(languageRoute, s.languageForm)
	e.GET(openIDRoute, s.openIDPage)
	e.GET(openIDBackRoute, s.openIDBack)

	e.GET(socketPath, s.socket)
	s.pages(e.Group(""))

	endpoints := append(s.endpoints(), s.peopleEndpoints()...)
	s.openapi = sync.OnceValues(func() ([]byte, error) { return describe(s.cfg.Version, endpoints) })
	s.mount(e.Group(apiPrefix, s.limited), endpoints)
}

// endpoints is the JSON API.
func (s *server) endpoints() []endpoint {
	const (
		get, post, put, del = http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete
		sess                = "/sessions/:id"
		plan                = sess + "/plans/:version"
		step                = plan + "/steps/:step"
		thread              = "/threads/:thread"
		said                = thread + "/comments/:comment"
		see, task           = review.ActionView, review.ActionTask
		comment, edit       = review.ActionComment, review.ActionEdit
		tell                = review.ActionAnswer
		decide              = review.ActionDecide
	)
	return []endpoint{
		on(get, "/openapi.json", "This description", see, s.apiDescription).gives(200, map[string]any{}),

		on(post, "/sessions", "Start a session", task, s.apiCreateSession).takes(createBody{}, textLimit).gives(201, sessionView{}),
		on(get, "/sessions", "All sessions, the last changed first", see, s.apiSessions).
			asks("status", "only those with this status", "string").gives(200, sessionsView{}),
		on(get, sess, "A session", see, s.apiSession).gives(200, sessionView{}),
		on(get, sess+"/events", "Its log", see, s.apiEvents).
			asks("after", "seq to begin behind", "integer").asks("limit", "1 to 1000; 200 if it is missing", "integer").gives(200, eventsView{}),
		on(post, sess+"/messages", "Say something to the agent", task, s.apiMessage).takes(messageBody{}, textLimit).gives(200, sessionView{}),
		on(post, sess+"/pause", "Pause the agent", task, s.apiPause).gives(200, sessionView{}),
		on(post, sess+"/resume", "Let a paused or failed session go on", task, s.apiResume).gives(200, sessionView{}),
		on(post, sess+"/goal", "Set or change the goal; a conflict carries the goal as it is", task, s.apiGoal).takes(goalBody{}, textLimit).gives(200, sessionView{}),
		on(post, sess+"/permissions/:pid", "Answer a request for permission", decide, s.apiPermission).takes(permissionBody{}, planLimit).gives(200, sessionView{}),
		on(del, sess+"/permissions/:pid", "Withdraw what was allowed for the session", decide, s.apiWithdrawGrant).gives(200, sessionView{}),
		on(post, sess+"/questions/:qid/answer", "Answer what the agent asks, or end it without an answer", tell, s.apiAnswer).takes(answerBody{}, textLimit).gives(200, sessionView{}),
		on(get, sess+"/changes", "Files that the session changed, with diffs", see, s.apiChanges).gives(200, changesView{}),

		on(get, sess+"/plans", "All plan versions in short", see, s.apiPlans).gives(200, plansView{}),
		on(get, plan, "A plan version in full", see, s.apiPlan).gives(200, planView{}),
		on(get, plan+"/diff", "What changed between two versions, by step", see, s.apiDiff).
			asks("from", "version to compare with; the one before if it is missing", "integer").gives(200, diffView{}),
		on(put, step, "Rewrite a step", edit, s.apiRewrite).takes(rewriteBody{}, planLimit).gives(200, planView{}),
		on(post, plan+"/steps", "Insert a step", edit, s.apiInsert).takes(insertBody{}, planLimit).gives(201, planView{}),
		on(del, step, "Delete a step", edit, s.apiDelete).
			asks("base", "sha256 of the plan that was seen, if it isn't in the body", "string").takes(deleteBody{}, planLimit).gives(200, planView{}),
		on(post, step+"/move", "Move a step", edit, s.apiMove).takes(moveBody{}, bodyLimit).gives(200, planView{}),
		on(put, plan+"/scope", "Set what the plan may change and run", edit, s.apiScope).takes(scopeBody{}, planLimit).gives(200, planView{}),
		on(post, step+"/release", "Take what the agent made of a step that a reviewer had changed before, and ask for that no more", edit, s.apiRelease).
			takes(releaseBody{}, bodyLimit).gives(200, planView{}),
		on(post, plan+"/scope/release", "Take the agent's scope instead of the one that a reviewer had set before", edit, s.apiReleaseScope).gives(200, planView{}),
		on(post, plan+"/edits/:edit/undo", "Undo a reviewer's change to the plan; edit is its seq", edit, s.apiUndo).gives(200, planView{}),
		on(get, plan+"/feedback", "The text that the agent would get now", see, s.apiFeedback).
			asks("verdict", "request_changes if it is missing", "string").asks("note", "the note that goes with it", "string").gives(200, feedbackView{}),
		on(post, plan+"/decision", "Decide on a plan", decide, s.apiDecision).takes(decisionBody{}, textLimit).gives(200, planView{}),
		on(del, plan+"/approval", "Withdraw one's own approval while the plan is in review", decide, s.apiWithdrawApproval).gives(200, planView{}),

		on(post, plan+"/threads", "Comment on a step or on the plan", comment, s.apiComment).takes(threadBody{}, textLimit).gives(201, threadView{}),
		on(post, thread+"/replies", "Reply in a thread", comment, s.apiReply).takes(replyBody{}, textLimit).gives(201, threadView{}),
		on(post, thread+"/resolve", "Close a thread", comment, s.apiResolve).gives(200, threadView{}),
		on(post, thread+"/reopen", "Open a thread again", comment, s.apiReopen).gives(200, threadView{}),
		on(put, said, "Change one's own comment; comment is its seq", comment, s.apiEditComment).takes(editCommentBody{}, textLimit).gives(200, threadView{}),
		on(del, said, "Delete one's own comment", comment, s.apiDeleteComment).gives(200, threadView{}),
		on(put, said+"/agreement", "Agree with a comment", comment, s.apiAgree).gives(200, threadView{}),
		on(del, said+"/agreement", "No longer agree with it", comment, s.apiDisagree).gives(200, threadView{}),
	}
}
