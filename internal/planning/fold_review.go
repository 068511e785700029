package planning

import "slices"

// applyReview follows plan versions, threads and decisions.
func (s State) applyReview(r Record, payload Payload) State {
	switch p := payload.(type) {
	case PlanSubmitted:
		return s.planSubmitted(r, p)
	case StepEdited, ScopeEdited, ChangeReleased, EditUndone:
		return s.applyEdit(r, p)
	case CommentEdited, CommentDeleted, CommentAgreed, AgreementWithdrawn:
		return s.applyComment(r, p)
	case ThreadOpened:
		return s.threadOpened(r, p)
	case ThreadReplied:
		return s.thread(p.Thread, func(t *Thread) {
			t.Comments = append(slices.Clip(t.Comments), Comment{Seq: r.Seq, By: r.Actor, At: r.At, Body: p.Body})
		})
	case ThreadResolved:
		return s.thread(p.Thread, func(t *Thread) { t.Resolved, t.ResolvedBy = true, r.Actor })
	case ThreadReopened:
		return s.thread(p.Thread, func(t *Thread) {
			t.Resolved, t.ResolvedBy, t.Answered, t.Revised = false, Actor{}, 0, 0
		})
	case ReviewApproved:
		return s.plan(p.Version, func(v *Plan) {
			mine := func(a Approval) bool { return a.By.ID == r.Actor.ID }
			v.Approvals = append(slices.DeleteFunc(slices.Clone(v.Approvals), mine),
				Approval{By: r.Actor, At: r.At, SHA256: p.SHA256, Note: p.Note})
		})
	case ApprovalWithdrawn:
		return s.plan(p.Version, func(v *Plan) {
			mine := func(a Approval) bool { return a.By.ID == r.Actor.ID }
			v.Approvals = slices.DeleteFunc(slices.Clone(v.Approvals), mine)
		})
	case ReviewDecided:
		return s.decided(r, p)
	}
	return s
}

func (s State) planSubmitted(r Record, p PlanSubmitted) State {
	old, had := s.Plan()
	if had && old.Status == PlanInReview {
		s = s.plan(old.Version, func(v *Plan) { v.Status = PlanSuperseded })
	}
	next := Plan{
		Version: p.Version, Status: PlanInReview, Call: p.Call, Title: p.Title, Markdown: p.Markdown,
		Scope: p.Scope, SHA256: p.SHA256, Blocks: p.Blocks, Seq: r.Seq, SubmittedAt: r.At, SubmittedBy: r.Actor,
	}
	if had {
		next.Unkept = s.notKept(old, next)
	}
	s.Plans = append(slices.Clip(s.Plans), next)
	s.NextBlock = nextBlock(s.NextBlock, p.Blocks)
	s.Queued = "" // what was asked for before the plan came is settled by the decision on it
	if !had {
		return s
	}
	s = s.keepScope(old, p)
	revised := old.Markdown != p.Markdown || !slices.Equal(old.Scope.Files, p.Scope.Files) || !slices.Equal(old.Scope.Commands, p.Scope.Commands)
	s = s.moveThreads(p)
	return s.followThreads(old, func(t *Thread, b Block, found bool) {
		if t.Sent == 0 {
			return
		}
		edited := slices.ContainsFunc(old.Standing(), func(e Edit) bool { return e.Step == t.Step && e.Op != EditRelease })
		switch {
		case t.Step == "":
			if revised && t.Revised == 0 {
				t.Revised = p.Version
			}
		case found && b.Change != ChangeText && !edited && !p.moves(t.ID): // as it was: still open
		case t.Answered == 0: // changed, or left out: the old text is beside it, under "Detached"
			t.Answered = p.Version
		}
	})
}

// keepScope holds the scope of a new version against the one that a reviewer
// set in a version before.
func (s State) keepScope(old Plan, p PlanSubmitted) State {
	if old.keepsScope() == nil {
		return s
	}
	keep := *old.ScopeKeep
	keep.Broken = !keep.Scope.Same(p.Scope)
	return s.plan(p.Version, func(v *Plan) { v.ScopeKeep = &keep })
}

// followThreads looks up every thread's block in the newest version: a thread
// whose block is gone is detached and keeps the old text (R4).
func (s State) followThreads(old Plan, each func(t *Thread, b Block, found bool)) State {
	plan, _ := s.Plan()
	s.Threads = slices.Clone(s.Threads)
	for i := range s.Threads {
		t := &s.Threads[i]
		b, found := plan.Block(t.Step)
		switch {
		case found: // also again, where the deletion of its step was undone
			t.Detached, t.OldText = false, ""
		case t.Step != "" && !t.Detached:
			t.Detached = true
			if was, ok := old.Block(t.Step); ok {
				t.OldText = old.Text(was)
			}
		}
		t.followQuote(old, plan, b, found)
		each(t, b, found)
	}
	return s
}

func (s State) threadOpened(r Record, p ThreadOpened) State {
	t := Thread{
		ID: p.Thread, Version: p.Version, Step: p.Step, Quote: p.Quote,
		Comments: []Comment{{Seq: r.Seq, By: r.Actor, At: r.At, Body: p.Body}},
	}
	if v, ok := s.PlanVersion(p.Version); ok {
		b, _ := v.Block(p.Step)
		t.StepTitle = b.Title
	}
	s.Threads = append(slices.Clip(s.Threads), t)
	return s
}

// decided ends a review. With any verdict but "abandon" the agent has now got
// the open threads.
func (s State) decided(r Record, p ReviewDecided) State {
	status := map[Verdict]PlanStatus{
		VerdictApprove: PlanApproved, VerdictRequestChanges: PlanChangesRequested, VerdictAbandon: PlanAbandoned,
	}[p.Verdict]
	s = s.plan(p.Version, func(v *Plan) {
		v.Status = status
		v.Decision = &Decision{Seq: r.Seq, Verdict: p.Verdict, SHA256: p.SHA256, Note: p.Note, By: r.Actor, At: r.At, Result: p.Result}
	})
	if p.Verdict == VerdictAbandon {
		return s
	}
	s.Threads = slices.Clone(s.Threads)
	for i := range s.Threads {
		if t := &s.Threads[i]; !t.Resolved {
			t.told()
		}
	}
	if p.Verdict == VerdictApprove {
		s = s.queue(ModeExecuting)
	}
	return s
}

// plan changes one version in a copy of the list.
func (s State) plan(version int, change func(*Plan)) State {
	if version < 1 || version > len(s.Plans) {
		return s
	}
	s.Plans = slices.Clone(s.Plans)
	change(&s.Plans[version-1])
	return s
}

// thread changes one thread in a copy of the list.
func (s State) thread(id string, change func(*Thread)) State {
	i := slices.IndexFunc(s.Threads, func(t Thread) bool { return t.ID == id })
	if i < 0 {
		return s
	}
	s.Threads = slices.Clone(s.Threads)
	change(&s.Threads[i])
	return s
}
