package planning

import "encoding/json"

// The kinds of record that this code knows.
const (
	KindSessionCreated     Kind = "session.created"
	KindUserMessage        Kind = "user.message"
	KindModelMessage       Kind = "model.message"
	KindToolStarted        Kind = "tool.started"
	KindToolFinished       Kind = "tool.finished"
	KindFileChanged        Kind = "file.changed"
	KindModeChanged        Kind = "mode.changed"
	KindPlanSubmitted      Kind = "plan.submitted"
	KindStepRewritten      Kind = "step.rewritten"
	KindStepInserted       Kind = "step.inserted"
	KindStepDeleted        Kind = "step.deleted"
	KindStepMoved          Kind = "step.moved"
	KindThreadOpened       Kind = "thread.opened"
	KindThreadReplied      Kind = "thread.replied"
	KindThreadResolved     Kind = "thread.resolved"
	KindThreadReopened     Kind = "thread.reopened"
	KindCommentEdited      Kind = "comment.edited"
	KindCommentDeleted     Kind = "comment.deleted"
	KindCommentAgreed      Kind = "comment.agreed"
	KindAgreementWithdrawn Kind = "agreement.withdrawn"
	KindScopeEdited        Kind = "scope.edited"
	KindChangeReleased     Kind = "change.released"
	KindEditUndone         Kind = "edit.undone"
	KindReviewApproved     Kind = "review.approved"
	KindApprovalWithdrawn  Kind = "approval.withdrawn"
	KindReviewDecided      Kind = "review.decided"
	KindTodoWritten        Kind = "todo.written"
	KindTodoReminded       Kind = "todo.reminded"
	KindContextCompacted   Kind = "context.compacted"
	KindInstructionsRead   Kind = "instructions.read"
	KindAgentStarted       Kind = "agent.started"
	KindAgentMessage       Kind = "agent.message"
	KindAgentToolStarted   Kind = "agent.tool_started"
	KindAgentToolFinished  Kind = "agent.tool_finished"
	KindAgentFinished      Kind = "agent.finished"
	KindGoalChanged        Kind = "goal.changed"
	KindGoalRoundStarted   Kind = "goal.round_started"
	KindPermissionAsked    Kind = "permission.asked"
	KindPermissionAnswered Kind = "permission.answered"
	KindRunParked          Kind = "run.parked"
	KindRunPaused          Kind = "run.paused"
	KindRunResumed         Kind = "run.resumed"
	KindRunFailed          Kind = "run.failed"
	KindRunFinished        Kind = "run.finished"
)

// Kind implements Payload, here and below.
func (SessionCreated) Kind() Kind     { return KindSessionCreated }
func (UserMessage) Kind() Kind        { return KindUserMessage }
func (ModelMessage) Kind() Kind       { return KindModelMessage }
func (ToolStarted) Kind() Kind        { return KindToolStarted }
func (ToolFinished) Kind() Kind       { return KindToolFinished }
func (FileChanged) Kind() Kind        { return KindFileChanged }
func (ModeChanged) Kind() Kind        { return KindModeChanged }
func (PlanSubmitted) Kind() Kind      { return KindPlanSubmitted }
func (e StepEdited) Kind() Kind       { return Kind("step." + e.Op) }
func (ThreadOpened) Kind() Kind       { return KindThreadOpened }
func (ThreadReplied) Kind() Kind      { return KindThreadReplied }
func (ThreadResolved) Kind() Kind     { return KindThreadResolved }
func (ThreadReopened) Kind() Kind     { return KindThreadReopened }
func (CommentEdited) Kind() Kind      { return KindCommentEdited }
func (CommentDeleted) Kind() Kind     { return KindCommentDeleted }
func (CommentAgreed) Kind() Kind      { return KindCommentAgreed }
func (AgreementWithdrawn) Kind() Kind { return KindAgreementWithdrawn }
func (ScopeEdited) Kind() Kind        { return KindScopeEdited }
func (ChangeReleased) Kind() Kind     { return KindChangeReleased }
func (EditUndone) Kind() Kind         { return KindEditUndone }
func (ReviewApproved) Kind() Kind     { return KindReviewApproved }
func (ApprovalWithdrawn) Kind() Kind  { return KindApprovalWithdrawn }
func (ReviewDecided) Kind() Kind      { return KindReviewDecided }
func (TodoWritten) Kind() Kind        { return KindTodoWritten }
func (TodoReminded) Kind() Kind       { return KindTodoReminded }
func (ContextCompacted) Kind() Kind   { return KindContextCompacted }
func (GoalChanged) Kind() Kind        { return KindGoalChanged }
func (GoalRoundStarted) Kind() Kind   { return KindGoalRoundStarted }
func (PermissionAsked) Kind() Kind    { return KindPermissionAsked }
func (PermissionAnswered) Kind() Kind { return KindPermissionAnswered }
func (RunParked) Kind() Kind          { return KindRunParked }
func (RunPaused) Kind() Kind          { return KindRunPaused }
func (RunResumed) Kind() Kind         { return KindRunResumed }
func (RunFailed) Kind() Kind          { return KindRunFailed }
func (RunFinished) Kind() Kind        { return KindRunFinished }

var decoders = map[Kind]func(json.RawMessage) (Payload, error){
	KindSessionCreated: decode[SessionCreated], KindUserMessage: decode[UserMessage],
	KindModelMessage: decode[ModelMessage], KindToolStarted: decode[ToolStarted],
	KindToolFinished: decode[ToolFinished], KindFileChanged: decode[FileChanged],
	KindModeChanged: decode[ModeChanged], KindPlanSubmitted: decode[PlanSubmitted],
	KindStepRewritten: decode[StepEdited], KindStepInserted: decode[StepEdited],
	KindStepDeleted: decode[StepEdited], KindStepMoved: decode[StepEdited],
	KindThreadOpened: decode[ThreadOpened], KindThreadReplied: decode[ThreadReplied],
	KindThreadResolved: decode[ThreadResolved], KindThreadReopened: decode[ThreadReopened],
	KindCommentEdited: decode[CommentEdited], KindCommentDeleted: decode[CommentDeleted],
	KindCommentAgreed: decode[CommentAgreed], KindAgreementWithdrawn: decode[AgreementWithdrawn],
	KindScopeEdited: decode[ScopeEdited], KindEditUndone: decode[EditUndone],
	KindChangeReleased:    decode[ChangeReleased],
	KindApprovalWithdrawn: decode[ApprovalWithdrawn],
	KindReviewApproved:    decode[ReviewApproved], KindReviewDecided: decode[ReviewDecided],
	KindTodoWritten: decode[TodoWritten], KindToolsListed: decode[ToolsListed], KindPermissionAsked: decode[PermissionAsked],
	KindPermissionAnswered: decode[PermissionAnswered], KindPermissionWithdrawn: decode[PermissionWithdrawn],
	KindRunParked: decode[RunParked], KindRunPaused: decode[RunPaused],
	KindRunResumed: decode[RunResumed], KindRunFailed: decode[RunFailed],
	KindRunFinished:   decode[RunFinished],
	KindQuestionAsked: decode[QuestionAsked], KindQuestionAnswered: decode[QuestionAnswered],
	KindQuestionDismissed: decode[QuestionDismissed],
	KindGoalChanged:       decode[GoalChanged], KindGoalRoundStarted: decode[GoalRoundStarted],
	KindContextCompacted: decode[ContextCompacted],
	KindTodoReminded:     decode[TodoReminded],
	KindInstructionsRead: decode[InstructionsRead],
	KindAgentStarted:     decode[AgentStarted], KindAgentMessage: decode[AgentMessage],
	KindAgentToolStarted: decode[AgentToolStarted], KindAgentToolFinished: decode[AgentToolFinished],
	KindAgentFinished: decode[AgentFinished],
}

func decode[P Payload](data json.RawMessage) (Payload, error) {
	var p P
	err := json.Unmarshal(data, &p)
	return p, err
}
