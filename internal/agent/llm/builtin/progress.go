package builtin

import (
	"fmt"
	"slices"

	"countersign/internal/planning"
)

// progress is how far a step has come, and what it needs next if it is not
// settled.
type progress struct {
	settled bool
	whole   bool // all of it is as the plan wants it
	changed int  // lines that were changed, or were as wanted already
	why     []string

	read  *readArgs
	edits []replacement
}

func settled(whole bool, changed int, why ...string) progress {
	return progress{settled: true, whole: whole, changed: changed, why: why}
}

func needs(r readArgs) progress { return progress{read: &r} }

// progress finds out how far step i has come from the calls made for it.
func (w *work) progress(i int) progress {
	s, say := w.steps[i], w.talk.say()
	rounds := w.rounds(i)
	switch {
	case s.why != "":
		return settled(false, 0, fmt.Sprintf(say.asRewritten, i+1, s.why))
	case matchesAny(w.skip, s.path):
		return settled(false, 0, say.leftAlone)
	case len(s.hunks) == 0:
		return settled(true, 0)
	case len(rounds) == 0 && w.todo(i) == planning.TodoCompleted:
		return settled(true, s.lines(), say.doneEarlier)
	case len(rounds) == 0:
		return needs(readArgs{Path: s.path})
	}
	p := w.round(s, rounds[len(rounds)-1], len(rounds) > 1)
	if p.settled || p.read == nil || p.read.Start > 0 || len(rounds) < maxRounds {
		return p
	}
	return settled(false, 0, say.unknown)
}

// rounds are the calls made for a step. A new round begins when the file is
// read anew from its beginning.
func (w *work) rounds(i int) [][]call {
	var rounds [][]call
	first := encode(readArgs{Path: w.steps[i].path})
	for _, c := range w.talk.calls {
		if c.at <= w.since || c.step != i+1 {
			continue
		}
		if c.kind == "read" && c.Arguments == first {
			rounds = append(rounds, nil)
		}
		if len(rounds) > 0 {
			rounds[len(rounds)-1] = append(rounds[len(rounds)-1], c)
		}
	}
	return rounds
}

// round goes through one round: the pages of the file, then the edits. again
// says that there was one before.
func (w *work) round(s step, calls []call, again bool) progress {
	say := w.talk.say()
	var content []string
	pages, next := 0, 1
	for len(calls) > 0 && calls[0].kind == "read" {
		c := calls[0]
		calls = calls[1:]
		p, ok := readPage(c.result)
		switch {
		case !c.done || interrupted(c.result):
			return needs(readArgs{Path: s.path})
		case c.failed || !ok || p.first != max(next, 1) || next == 0:
			return settled(false, 0, fmt.Sprintf(say.unreadable, plain(short(c.result, 120))))
		}
		content, next = append(content, p.lines...), p.next
		pages++
	}
	switch {
	case next > 0 && pages >= maxPages:
		return settled(false, 0, say.tooLarge)
	case next > 0:
		return needs(readArgs{Path: s.path, Start: next})
	}
	list := place(content, s.hunks, again)
	edits := replacements(content, list)
	if len(calls) == 0 && len(edits) > 0 {
		return progress{edits: edits}
	}
	return w.settle(s, list, edits, calls)
}

// settle adds up what the edits of a step came to.
func (w *work) settle(s step, list []placed, edits []replacement, calls []call) progress {
	say := w.talk.say()
	out := settled(true, 0)
	fail := func(why string) {
		out.whole = false
		if !slices.Contains(out.why, why) {
			out.why = append(out.why, why)
		}
	}
	made := map[int]bool{}
	for k, c := range calls {
		if !c.done || interrupted(c.result) {
			return needs(readArgs{Path: s.path})
		}
		if c.failed || k >= len(edits) {
			fail(fmt.Sprintf(say.refused, plain(short(c.result, 160))))
			continue
		}
		for _, h := range edits[k].hunks {
			made[h] = true
		}
	}
	for i, p := range list {
		switch {
		case p.state == already || made[i]:
			out.changed += max(len(p.old), len(p.new))
		case p.state == gone:
			fail(fmt.Sprintf(say.goneLine, p.line))
		case p.state == clash:
			fail(fmt.Sprintf(say.overlap, p.line))
		default:
			out.whole = false
		}
	}
	return out
}
