package planning

import (
	"slices"

	"countersign/internal/planning/document"
)

// notKept holds a new version against what reviewers have asked for so far.
func (s State) notKept(old, next Plan) []Unkept {
	list := slices.DeleteFunc(s.asked(old), func(u Unkept) bool { return u.kept(next) })
	for i, u := range list {
		b, _ := next.Block(u.Step)
		list[i].Number = b.Number
	}
	return list
}

// asked is what reviewers want of the version that follows p: what they have
// made of p itself, and what p did not keep of an earlier round.
func (s State) asked(p Plan) []Unkept {
	var list []Unkept
	for _, b := range p.Blocks {
		if b.Pinned != "" && (!b.Broken || p.Status != PlanApproved) {
			op, by := s.writer(b)
			list = append(list, Unkept{Op: op, Step: b.ID, Title: b.Title, By: by, Text: b.Keep})
		}
	}
	for _, e := range p.Standing() {
		u := Unkept{Op: e.Op, Step: e.Step, Title: e.Title, By: e.By}
		switch {
		case e.Op == EditDelete && p.submitted(e.Step):
			list = add(list, u)
		case e.Op == EditMove:
			u.Order = p.order()
			list = add(list, u)
		}
	}
	for _, u := range p.Outstanding() {
		if u.Op != EditScope {
			list = add(list, u)
		}
	}
	if k := p.keepsScope(); k != nil {
		list = append(list, Unkept{Op: EditScope, By: k.by(s), Scope: &k.Scope})
	}
	return list
}

// add keeps one wish for each side of a block.
func add(list []Unkept, u Unkept) []Unkept {
	same := func(o Unkept) bool { return o.Step == u.Step && kindOf(o.Op) == kindOf(u.Op) }
	if slices.ContainsFunc(list, same) {
		return list
	}
	return append(list, u)
}

// submitted tells whether the model sent this block with the version.
func (p Plan) submitted(block string) bool {
	return p.First != nil && slices.ContainsFunc(p.First.Blocks, func(b Block) bool { return b.ID == block })
}

// keepsScope is the scope that the next version is to have; an approval of
// another one ends that.
func (p Plan) keepsScope() *ScopeKeep {
	if k := p.ScopeKeep; k != nil && k.Broken && p.Status == PlanApproved {
		return nil
	}
	return p.ScopeKeep
}

// by is who set the scope.
func (k ScopeKeep) by(s State) Actor {
	for _, p := range slices.Backward(s.Plans) {
		for _, e := range slices.Backward(p.Standing()) {
			if e.Op == EditScope && e.By.Name == k.By {
				return e.By
			}
		}
	}
	return Actor{Kind: ActorPerson, Name: k.By}
}

// writer finds the edit that the text of a pinned block comes from.
func (s State) writer(b Block) (EditOp, Actor) {
	for _, p := range slices.Backward(s.Plans) {
		for _, e := range slices.Backward(p.Standing()) {
			if slices.Contains(e.Made, b.ID) {
				return e.Op, e.By
			}
		}
	}
	return EditRewrite, Actor{Kind: ActorPerson, Name: b.Pinned}
}

// recall gives blocks that reviewers deleted, or wrote and missed, their ids
// again where the model brings them back.
func (s State) recall(next Plan) {
	old, had := s.Plan()
	if !had {
		return
	}
	for _, kind := range []document.Kind{document.Step, document.Text} {
		was, from := s.missing(old, kind)
		var to []document.Piece
		var index []int
		for i, b := range next.Blocks {
			if b.Kind == kind && b.ID == "" {
				to, index = append(to, document.Piece{Title: b.Title, Text: next.Text(b)}), append(index, i)
			}
		}
		if len(from) == 0 || len(to) == 0 {
			continue
		}
		for n, m := range document.Trace(from, to).Old {
			if m >= 0 {
				b := &next.Blocks[index[n]]
				b.ID = was[m].ID
				b.pin(was[m], to[n].Text)
			}
		}
	}
}

// missing are the blocks that reviewers deleted from a version, and those of
// theirs that the model had left out.
func (s State) missing(p Plan, kind document.Kind) (blocks []Block, pieces []document.Piece) {
	put := func(id, title, text string, pin Block) {
		pin.ID = id
		blocks, pieces = append(blocks, pin), append(pieces, document.Piece{Title: title, Text: text})
	}
	if p.First != nil {
		for _, b := range p.First.Blocks {
			deleted := func(e Edit) bool { return e.Op == EditDelete && e.Step == b.ID }
			if i := slices.IndexFunc(p.Standing(), deleted); i >= 0 && b.Kind == kind {
				put(b.ID, b.Title, p.Standing()[i].Before, Block{})
			}
		}
	}
	for _, u := range p.LeftOut() {
		if kind == document.Step {
			put(u.Step, u.Title, u.Text, Block{Pinned: u.By.Name, Keep: u.Text})
		}
	}
	return blocks, pieces
}

// NewRelease takes back what was asked for and not kept.
func NewRelease(p Plan, u Unkept) ChangeReleased {
	r := ChangeReleased{Version: p.Version, Of: u.Op, Step: u.Step, Number: u.Number, Title: u.Title}
	if b, there := p.Block(u.Step); u.OfText() {
		r.Before = u.Text
		if there {
			r.After = p.Text(b)
		}
	}
	return r
}

func (p ChangeReleased) outcome(v Plan) outcome {
	return outcome{v.Markdown, v.Title, v.Scope, v.SHA256, v.unpinned(p.Of, p.Step)}
}

// unpinned are the blocks of the plan once a step need not say any more what a
// reviewer wrote.
func (p Plan) unpinned(of EditOp, step string) []Block {
	blocks := slices.Clone(p.Blocks)
	for i, b := range blocks {
		if b.ID == step && kindOf(of) == EditRewrite {
			blocks[i].Pinned, blocks[i].Keep, blocks[i].Broken = "", "", false
		}
	}
	return blocks
}
