package builtin

import (
	"fmt"
	"slices"
	"strings"

	"countersign/internal/planning/document"
)

// piece is a block of a plan on its way to the next version.
type piece struct {
	text    string
	step    bool
	number  int // in the version before; 0 for one that a reviewer inserted
	title   string
	pinned  string // who said that it is to stay as it is
	fresh   bool   // pinned in this round
	parsed  step
	dropped bool
}

// revision is the next version of a plan in the making.
type revision struct {
	say     *words
	pieces  []*piece // leading texts, then each step with the texts behind it
	lead    int      // so many of them stand before the first step
	answers []string // what became of each comment, as Markdown
}

// newRevision takes a plan apart. pinned are texts that reviewers wrote in
// earlier rounds.
func newRevision(markdown string, pinned map[string]string, say *words) *revision {
	r := &revision{say: say, lead: -1}
	doc := document.Parse(markdown)
	for i, b := range doc.Blocks {
		p := &piece{text: doc.Text(i), step: b.Kind == document.Step, number: b.Number, title: b.Title}
		p.pinned = pinned[strings.TrimSpace(p.text)]
		if !p.step && p.pinned == "" && isAnswers(p.text) {
			continue // about the comments of the round before
		}
		if p.step {
			p.parsed = readStep(b.Title, p.text, say)
			if r.lead < 0 {
				r.lead = len(r.pieces)
			}
		}
		r.pieces = append(r.pieces, p)
	}
	if r.lead < 0 {
		r.lead = len(r.pieces)
	}
	return r
}

func isAnswers(text string) bool {
	for _, w := range []*words{&english, &chinese} {
		if strings.HasPrefix(text, "## "+w.comments+"\n") {
			return true
		}
	}
	return false
}

// edit makes the reviewers' own changes.
func (r *revision) edit(edits []edit) {
	for _, e := range edits {
		switch p := r.find(e); {
		case e.op == inserted:
			n := &piece{text: e.text, pinned: e.by, fresh: true}
			n.setText(e.text, r.say)
			n.step = true
			r.pieces = append(r.pieces, n)
		case p == nil:
		case e.op == deleted:
			p.dropped = true
		default:
			p.pinned, p.fresh = e.by, true
			p.setText(e.text, r.say)
		}
	}
}

// setText gives a piece a text that somebody wrote.
func (p *piece) setText(text string, say *words) {
	p.text = text
	if doc := document.Parse("# T\n\n" + text); len(doc.Blocks) > 1 {
		p.title = doc.Blocks[len(doc.Blocks)-1].Title
	}
	if p.step || p.number == 0 {
		p.parsed = readStep(p.title, text, say)
	}
}

// find finds the block that an edit is about.
func (r *revision) find(e edit) *piece {
	if e.op == inserted {
		return nil
	}
	for _, p := range r.pieces {
		if e.step > 0 && p.step && p.number == e.step || e.step == 0 && !p.step && strings.Join(strings.Fields(p.title), " ") == e.title {
			return p
		}
	}
	return nil
}

// arrange puts the steps into the order that the reviewers gave them. Texts
// between steps stay behind the step that they follow. Steps that the order
// doesn't name keep their place at the end.
func (r *revision) arrange(order []int) {
	var groups [][]*piece
	var tail []*piece
	for i, p := range r.pieces[r.lead:] {
		switch {
		case p.step:
			groups = append(groups, []*piece{p})
		case len(groups) == 0 || r.lastText(r.lead+i):
			tail = append(tail, p)
		default:
			groups[len(groups)-1] = append(groups[len(groups)-1], p)
		}
	}
	var sorted [][]*piece
	take := func(number int) {
		i := slices.IndexFunc(groups, func(g []*piece) bool { return g[0].number == number })
		if i >= 0 {
			sorted = append(sorted, groups[i])
			groups = slices.Delete(groups, i, i+1)
		}
	}
	for _, n := range order {
		take(n)
	}
	sorted = append(sorted, groups...)
	r.pieces = append(r.pieces[:r.lead:r.lead], append(slices.Concat(sorted...), tail...)...)
}

// lastText tells whether no step of the plan comes behind this piece, steps
// that were just inserted aside.
func (r *revision) lastText(i int) bool {
	return !slices.ContainsFunc(r.pieces[i:], func(p *piece) bool { return p.step && p.number > 0 })
}

// steps are those that are left.
func (r *revision) steps() []*piece {
	var out []*piece
	for _, p := range r.pieces {
		if p.step && !p.dropped {
			out = append(out, p)
		}
	}
	return out
}

// files are those that the steps change. A step that can't be carried out
// needs none.
func (r *revision) files() []string {
	var files []string
	for _, p := range r.steps() {
		if p.parsed.why == "" && len(p.parsed.hunks) > 0 && !slices.Contains(files, p.parsed.path) {
			files = append(files, p.parsed.path)
		}
	}
	return files
}

var ownNumber = lazily(`^(## )(Step |步骤 )(\d+)(: |：)`)

// markdown puts the plan together. Texts that nobody asked to change keep
// their bytes, but for the number of a step whose place has changed; what a
// reviewer wrote keeps also that.
func (r *revision) markdown() string {
	var b strings.Builder
	number := 0
	for _, p := range r.pieces {
		if p.dropped {
			continue
		}
		text := p.text
		if p.step {
			number++
		}
		if p.step && p.pinned == "" {
			text = ownNumber().ReplaceAllString(text, fmt.Sprintf("${1}${2}%d${4}", number))
		}
		b.WriteString(text)
		for !strings.HasSuffix(b.String(), "\n\n") {
			b.WriteString("\n")
		}
	}
	if len(r.answers) > 0 {
		fmt.Fprintf(&b, "## %s\n\n", r.say.comments)
		for _, a := range r.answers {
			b.WriteString("- " + a + "\n")
		}
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}
