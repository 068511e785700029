package builtin

import (
	"fmt"
	"slices"
	"strings"
)

// obey does what a comment asks for, as far as it can, and notes what became
// of it, in the language of the comment. page are the steps as the reviewers
// saw them.
func (r *revision) obey(c comment, page []*piece) {
	plan := r.say
	r.say = plan.replying(c.text)
	defer func() { r.say = plan }()
	var done []string
	understood, left := 0, 0
	for _, s := range sentences(c.text) {
		w := readWish(s, r.known)
		if w.empty() {
			left++
			continue
		}
		understood++
		done = append(done, r.grant(w, c, page)...)
	}
	switch {
	case understood == 0:
		done = append(done, r.say.cannot)
	case left > 0:
		done = append(done, r.say.partly)
	}
	r.answers = append(r.answers, r.say.about(c)+" "+strings.Join(done, " "))
}

// grant fulfils one wish and says what it did.
func (r *revision) grant(w wish, c comment, page []*piece) []string {
	if w.noted {
		return []string{r.say.noted}
	}
	unwanted, done := r.byPath(w)
	for _, n := range w.steps {
		if n < 1 || n > len(page) {
			done = append(done, fmt.Sprintf(r.say.noStep, n))
			continue
		}
		unwanted = append(unwanted, page[n-1])
	}
	if len(w.in) > 0 {
		said, whole := r.linesByPath(w)
		done, unwanted = append(done, said...), append(unwanted, whole...)
	} else if w.this || len(w.lines) > 0 {
		said, whole := r.grantHere(w, c)
		done = append(done, said...)
		if whole != nil {
			unwanted = append(unwanted, whole)
		}
	}
	return append(done, r.drop(unwanted)...)
}

// byPath finds the steps that a wish about files leaves out, and says which
// pattern means none.
func (r *revision) byPath(w wish) (unwanted []*piece, done []string) {
	for _, pattern := range w.skip {
		hits := r.matching(func(file string) bool { return matchesPath(pattern, file) })
		if len(hits) == 0 {
			done = append(done, fmt.Sprintf(r.say.skippedNothing, code(pattern)))
		}
		unwanted = append(unwanted, hits...)
	}
	if len(w.only) > 0 {
		unwanted = append(unwanted, r.matching(func(file string) bool { return !matchesAny(w.only, file) })...)
	}
	return unwanted, done
}

// grantHere fulfils a wish about the block that the comment is on: some lines
// of it, or the whole block, which it returns.
func (r *revision) grantHere(w wish, c comment) (done []string, whole *piece) {
	p := r.target(c)
	switch {
	case p == nil:
		return []string{r.say.cannot}, nil
	case !p.step:
		return nil, p
	case p.fresh:
		return []string{fmt.Sprintf(r.say.pinnedStays, plain(p.title), plain(p.pinned))}, nil
	}
	var some []hunk
	for _, h := range p.parsed.hunks {
		if h.covers(w.lines) || w.this && h.quotedBy(c.quote) {
			some = append(some, h)
		}
	}
	switch {
	case len(w.lines) > 0 && len(some) == 0:
		return []string{r.say.noSuchLines}, nil
	case len(some) == 0 || len(some) == len(p.parsed.hunks):
		return nil, p
	}
	return []string{r.takeOut(p, some)}, nil
}

// linesByPath leaves lines out of the steps for some files, and returns the
// steps of which nothing would be left.
func (r *revision) linesByPath(w wish) (done []string, whole []*piece) {
	hits := r.matching(func(file string) bool { return matchesAny(w.in, file) })
	if len(hits) == 0 {
		var names []string
		for _, pattern := range w.in {
			names = append(names, code(pattern))
		}
		return []string{fmt.Sprintf(r.say.skippedNothing, r.say.list(names))}, nil
	}
	for _, p := range hits {
		some := covering(p.parsed.hunks, w.lines)
		switch {
		case p.fresh:
			done = append(done, fmt.Sprintf(r.say.pinnedStays, plain(p.title), plain(p.pinned)))
		case len(some) == 0:
			done = append(done, r.say.noSuchLines)
		case len(some) == len(p.parsed.hunks):
			whole = append(whole, p)
		default:
			done = append(done, r.takeOut(p, some))
		}
	}
	return done, whole
}

// takeOut leaves hunks out of a step and says which.
func (r *revision) takeOut(p *piece, some []hunk) string {
	p.text = without(p.text, some)
	p.parsed = readStep(p.title, p.text, r.say)
	return fmt.Sprintf(r.say.skippedLines, r.say.list(hunkNumbers(some)), code(p.parsed.path))
}

// covers tells whether the hunk changes one of these lines.
func (h hunk) covers(lines []int) bool {
	return slices.ContainsFunc(lines, func(n int) bool { return h.line <= n && n < h.line+max(len(h.old), 1) })
}

// covering are the hunks that change one of these lines.
func covering(hunks []hunk, lines []int) []hunk {
	var out []hunk
	for _, h := range hunks {
		if h.covers(lines) {
			out = append(out, h)
		}
	}
	return out
}

func hunkNumbers(hunks []hunk) []string {
	var numbers []string
	for _, h := range hunks {
		numbers = append(numbers, fmt.Sprint(h.line))
	}
	return numbers
}

// quotedBy tells whether somebody marked a line of this hunk, or a part of one
// that is longer than a word or two, for their comment.
func (h hunk) quotedBy(quote string) bool {
	for _, q := range lines(quote) {
		q = strings.TrimSpace(strings.TrimLeft(q, "+-"))
		if len(q) < 4 {
			continue
		}
		for _, l := range append(slices.Clone(h.old), h.new...) {
			if strings.Contains(l, q) {
				return true
			}
		}
	}
	return false
}

// target is the block that a comment is on.
func (r *revision) target(c comment) *piece {
	if c.gone || c.step == 0 && c.title == "" {
		return nil
	}
	p := r.find(edit{op: deleted, step: c.step, title: c.title})
	if p != nil && !p.step && slices.Index(r.pieces, p) == 0 {
		return nil // the title of the plan
	}
	return p
}

// matching are the steps that are left whose file is meant.
func (r *revision) matching(meant func(file string) bool) []*piece {
	var out []*piece
	for _, p := range r.steps() {
		if p.parsed.path != "" && meant(p.parsed.path) {
			out = append(out, p)
		}
	}
	return out
}

// drop leaves steps out and says which. What a reviewer wrote in this round
// stays.
func (r *revision) drop(unwanted []*piece) []string {
	var names, done []string
	for _, p := range unwanted {
		switch {
		case p.fresh:
			done = append(done, fmt.Sprintf(r.say.pinnedStays, plain(p.title), plain(p.pinned)))
		case !p.dropped:
			p.dropped = true
			names = append(names, p.name())
		}
	}
	if len(names) > 0 {
		done = append([]string{fmt.Sprintf(r.say.skipped, r.say.list(names))}, done...)
	}
	return done
}

// name is what a step is called in an answer: its file, else its title.
func (p *piece) name() string {
	if p.parsed.path != "" {
		return code(p.parsed.path)
	}
	return plain(p.title)
}

// known tells whether a bare word is the name of a file or folder in the plan.
func (r *revision) known(word string) bool {
	return slices.ContainsFunc(r.pieces, func(p *piece) bool {
		return p.parsed.path != "" && matchesPath(word, p.parsed.path)
	})
}

// reportEdits says what will come of the steps that reviewers wrote.
func (r *revision) reportEdits() {
	for _, p := range r.steps() {
		switch {
		case !p.fresh:
		case p.parsed.why != "":
			r.answers = append(r.answers, fmt.Sprintf(r.say.keptBad, plain(p.title), plain(p.pinned), p.parsed.why))
		default:
			r.answers = append(r.answers, fmt.Sprintf(r.say.keptOK, plain(p.title), plain(p.pinned), r.say.lines(p.parsed.lines())))
		}
	}
}
