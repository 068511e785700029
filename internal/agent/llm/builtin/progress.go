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
	changed int  // lines that were changed
	before  int  // lines that were as wanted already when the work on it began
	why     []string

	read  *readArgs
	edits []replacement
}

func settled(whole bool, why ...string) progress {
	return progress{settled: true, whole: whole, why: why}
}

func needs(r readArgs) progress { return progress{read: &r} }

// progress finds out how far step i has come from the calls made for it.
func (w *work) progress(i int) progress {
	s, say := w.steps[i], w.talk.say()
	rounds := w.rounds(i)
	switch {
	case s.why != "":
		return settled(false, fmt.Sprintf(say.asRewritten, i+1, s.why))
	case w.left[i]:
		return settled(false, say.leftAlone)
	case len(s.hunks) == 0:
		return settled(true)
	case len(rounds) == 0 && w.todo(i) == planning.TodoCompleted:
		p := settled(true, say.doneEarlier)
		p.before = s.lines()
		return p
	case len(rounds) == 0:
		return needs(readArgs{Path: s.path})
	}
	p := w.round(s, rounds)
	if !p.settled && p.read != nil && p.read.Start == 0 && len(rounds) >= maxRounds {
		p = settled(false, say.unknown)
	}
	if kept := w.kept[i]; p.settled && len(kept) > 0 {
		p.why = append(p.why, fmt.Sprintf(say.linesLeft, say.list(kept)))
	}
	return p
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

// round goes through the last round: the pages of the file, then the edits.
func (w *work) round(s step, rounds [][]call) progress {
	last := len(rounds) - 1
	content, calls, p := w.pages(s, rounds[last])
	if p.settled || p.read != nil {
		return p
	}
	list := place(content, s.hunks, last > 0)
	edits := replacements(content, list)
	if len(calls) == 0 && len(edits) > 0 {
		return progress{edits: edits}
	}
	return w.settle(s, list, edits, calls, w.tried(s, rounds[:last]))
}

// pages reads the file from the calls of a round and returns those behind. It
// says what is needed, or why the file can't be read.
func (w *work) pages(s step, calls []call) (content []string, rest []call, p progress) {
	say := w.talk.say()
	pages, next := 0, 1
	for len(calls) > 0 && calls[0].kind == "read" {
		c := calls[0]
		calls = calls[1:]
		p, ok := readPage(c.result)
		switch {
		case !c.done || interrupted(c):
			return nil, nil, needs(readArgs{Path: s.path})
		case c.failed || !ok || p.first != max(next, 1) || next == 0:
			return nil, nil, settled(false, fmt.Sprintf(say.unreadable, plain(short(c.result, 120))))
		}
		content, next = append(content, p.lines...), p.next
		pages++
	}
	switch {
	case next > 0 && pages >= maxPages:
		return nil, nil, settled(false, say.tooLarge)
	case next > 0:
		return nil, nil, needs(readArgs{Path: s.path, Start: next})
	}
	return content, calls, progress{}
}

// tried are the hunks that edits of these rounds have made, or may have.
func (w *work) tried(s step, rounds [][]call) map[int]bool {
	tried := map[int]bool{}
	for n, calls := range rounds {
		content, calls, p := w.pages(s, calls)
		if p.settled || p.read != nil {
			continue
		}
		edits := replacements(content, place(content, s.hunks, n > 0))
		for k, c := range calls[:min(len(calls), len(edits))] {
			if c.failed && !interrupted(c) {
				continue
			}
			for _, h := range edits[k].hunks {
				tried[h] = true
			}
		}
	}
	return tried
}

// settle adds up what the edits of a step came to. tried are the hunks that
// rounds before this one may have made.
func (w *work) settle(s step, list []placed, edits []replacement, calls []call, tried map[int]bool) progress {
	say := w.talk.say()
	out := settled(true)
	fail := func(why string) {
		out.whole = false
		if !slices.Contains(out.why, why) {
			out.why = append(out.why, why)
		}
	}
	made := map[int]bool{}
	for k, c := range calls {
		if !c.done || interrupted(c) {
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
		lines := max(len(p.old), len(p.new))
		switch {
		case made[i] || p.state == already && tried[i]:
			out.changed += lines
		case p.state == already:
			out.before += lines
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
