package planning

import (
	"cmp"
	"slices"
	"time"
)

// Edit is a reviewer's own change to the plan.
type Edit struct {
	Seq    int64     `json:"seq"` // of the record that made it; it names the edit
	Op     EditOp    `json:"op"`
	Of     EditOp    `json:"of,omitempty"`     // for a release: what the reviewer had done
	Step   string    `json:"step"`             // empty for the scope
	Number int       `json:"number,omitempty"` // when the model submitted it; 0 if it is new or no step
	Title  string    `json:"title"`
	Before string    `json:"before,omitempty"`
	After  string    `json:"after,omitempty"`
	Made   []string  `json:"made,omitempty"` // the blocks that the new text makes up
	By     Actor     `json:"by"`
	At     time.Time `json:"at"`
	Redo   *Redo     `json:"redo,omitempty"`
	Scopes *Scopes   `json:"scopes,omitempty"` // for an edit of the scope
	Undone *Undone   `json:"undone,omitempty"` // nil while it stands
}

// Redo is what a reviewer did, as far as its outcome does not tell.
type Redo struct {
	After string `json:"after,omitempty"` // the block that it was put behind; empty: before the first step
	Typed string `json:"typed,omitempty"` // the text as it was sent
	Next  int    `json:"next"`            // number of the first block that it made
}

// EditOp is what a reviewer did to the plan.
type EditOp string

// The edits.
const (
	EditRewrite EditOp = "rewritten"
	EditInsert  EditOp = "inserted"
	EditDelete  EditOp = "deleted"
	EditMove    EditOp = "moved"
	EditScope   EditOp = "scope"    // what the plan may write and run; its step is empty
	EditRelease EditOp = "released" // something that the model did not keep is not asked for any more; changes no text
)

// OfPlanText tells whether the edit changed what the plan says.
func (e Edit) OfPlanText() bool { return e.Op != EditScope && e.Op != EditRelease }

// Scopes is what an edit of the scope made of what.
type Scopes struct {
	Before Scope `json:"before"`
	After  Scope `json:"after"`
}

// Undone says who took an edit back.
type Undone struct {
	By Actor     `json:"by"`
	At time.Time `json:"at"`
}

// Standing returns the edits that nobody has undone, oldest first.
func (p Plan) Standing() []Edit {
	return slices.DeleteFunc(slices.Clone(p.Edits), func(e Edit) bool { return e.Undone != nil })
}

// Edit returns the edit with this seq.
func (p Plan) Edit(seq int64) (Edit, bool) {
	i := slices.IndexFunc(p.Edits, func(e Edit) bool { return e.Seq == seq })
	if i < 0 {
		return Edit{}, false
	}
	return p.Edits[i], true
}

// about tells whether the edit changed or made one of these blocks.
func (e Edit) about(blocks []string) bool {
	return slices.ContainsFunc(e.touched(), func(id string) bool { return slices.Contains(blocks, id) })
}

// behind tells whether the edit put something behind one of these blocks.
func (e Edit) behind(blocks []string) bool {
	return e.Redo != nil && e.Redo.After != "" && slices.Contains(blocks, e.Redo.After)
}

// touched are the blocks that the edit changed or made.
func (e Edit) touched() []string {
	if e.Step == "" {
		return e.Made
	}
	return append(slices.Clip(e.Made), e.Step)
}

// applyEdit follows the reviewers' own changes to the newest version.
func (s State) applyEdit(r Record, payload Payload) State {
	switch p := payload.(type) {
	case StepEdited:
		return s.edited(p.Version, Edit{
			Seq: r.Seq, Op: p.Op, Step: p.Step, Number: p.Number, Title: p.Title, Before: p.Before, After: p.After,
			Made: p.Made, By: r.Actor, At: r.At, Redo: p.Redo,
		}, p.outcome()).followCut(p)
	case ScopeEdited:
		v, _ := s.PlanVersion(p.Version)
		return s.edited(p.Version, Edit{
			Seq: r.Seq, Op: EditScope, By: r.Actor, At: r.At, Scopes: &Scopes{p.Before, p.Scope},
		}, p.outcome(v))
	case ChangeReleased:
		v, _ := s.PlanVersion(p.Version)
		return s.edited(p.Version, Edit{
			Seq: r.Seq, Op: EditRelease, Of: p.Of, Step: p.Step, Number: p.Number, Title: p.Title,
			Before: p.Before, After: p.After, By: r.Actor, At: r.At,
		}, p.outcome(v))
	case EditUndone:
		return s.followBack(p).undone(r, p)
	}
	return s
}

// outcome is a plan after an edit.
type outcome struct {
	markdown, title string
	scope           Scope
	sha256          string
	blocks          []Block
}

func (p StepEdited) outcome() outcome {
	return outcome{p.Markdown, p.PlanTitle, p.Scope, p.SHA256, p.Blocks}
}

func (p EditUndone) outcome() outcome {
	return outcome{p.Markdown, p.PlanTitle, p.Scope, p.SHA256, p.Blocks}
}

// outcome leaves the text of the version as it is.
func (p ScopeEdited) outcome(v Plan) outcome {
	return outcome{v.Markdown, v.Title, p.Scope, p.SHA256, v.Blocks}
}

// become takes over an outcome; one without a title leaves the title as it is.
func (p *Plan) become(o outcome) {
	p.Markdown, p.Scope, p.SHA256, p.Blocks = o.markdown, o.scope, o.sha256, o.blocks
	p.Title = cmp.Or(o.title, p.Title)
}

// edited adds an edit to a version and gives it the outcome.
func (s State) edited(version int, e Edit, o outcome) State {
	return s.changePlan(version, o, func(v *Plan) {
		if v.First == nil {
			v.First = &First{Title: v.Title, Scope: v.Scope, Blocks: v.Blocks, ScopeKeep: v.ScopeKeep}
			v.Submitted = v.Markdown
		}
		v.Edits = append(slices.Clip(v.Edits), e)
	})
}

func (s State) undone(r Record, p EditUndone) State {
	return s.changePlan(p.Version, p.outcome(), func(v *Plan) {
		v.Edits = slices.Clone(v.Edits)
		for i := range v.Edits {
			if v.Edits[i].Seq == p.Edit {
				v.Edits[i].Undone = &Undone{By: r.Actor, At: r.At}
			}
		}
	})
}

func (s State) changePlan(version int, o outcome, change func(*Plan)) State {
	old, ok := s.PlanVersion(version)
	if !ok {
		return s
	}
	s = s.plan(version, func(v *Plan) {
		change(v)
		v.become(o)
		v.ScopeKeep = v.scopeKept()
	})
	s.NextBlock = nextBlock(s.NextBlock, o.blocks)
	return s.followThreads(old, func(*Thread, Block, bool) {})
}

// scopeKept is the scope that the model will be asked to keep: what the last
// edit of it left, or what an earlier version was to keep.
func (p Plan) scopeKept() *ScopeKeep {
	for _, e := range slices.Backward(p.Standing()) {
		switch {
		case e.Op == EditScope:
			return &ScopeKeep{By: e.By.Name, Scope: e.Scopes.After}
		case e.Op == EditRelease && e.Of == EditScope:
			return nil
		}
	}
	return p.First.ScopeKeep
}
