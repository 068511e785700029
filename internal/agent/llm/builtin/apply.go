package builtin

import (
	"slices"
	"strings"
)

const (
	joinGap  = 40      // unchanged lines between two changes that one edit may span
	joinSize = 8 << 10 // bytes of one edit, unless a single change is larger
	mostWide = 2000    // lines of context that an edit takes at most to be unique
)

// placed is a hunk and where in the file it is to be made.
type placed struct {
	hunk
	at    int // index of its first line
	state placement
}

type placement int

const (
	gone    placement = iota // its old lines are not there any more
	ready                    // to be made
	already                  // the new lines are there
	clash                    // it overlaps another one
)

// place finds each hunk in a file as it is now: where its number says, moved by
// what the hunks before it have grown, else at the only place where its old
// lines stand. again says that some may have been made a moment ago: then new
// lines that are there count as made, even if they hold the old ones.
func place(content []string, hunks []hunk, again bool) []placed {
	out := make([]placed, len(hunks))
	shift := 0
	for i, h := range hunks {
		p := placed{hunk: h, at: h.line - 1}
		if !p.standsAt(content, h.line-1+shift, again) && !p.standsAt(content, h.line-1, again) {
			if at, n := search(content, h.old); n == 1 {
				p.state, p.at = ready, at
			}
		}
		if p.state == already {
			shift += len(h.new) - len(h.old)
		}
		out[i] = p
	}
	markClashes(out)
	return out
}

// standsAt tells whether the old or the new lines stand at this place, and
// notes it.
func (p *placed) standsAt(content []string, at int, again bool) bool {
	old := standsAt(content, at, p.old)
	now := len(p.new) > 0 && standsAt(content, at, p.new)
	switch {
	case now && (again || !old):
		p.state, p.at = already, at
	case old:
		p.state, p.at = ready, at
	}
	return old || now
}

// markClashes keeps, of hunks that overlap, the first.
func markClashes(list []placed) {
	for i := range list {
		for j := range i {
			a, b := list[j], list[i]
			if a.state == ready && b.state == ready && a.at < b.at+len(b.old) && b.at < a.at+len(a.old) {
				list[i].state = clash
			}
		}
	}
}

// standsAt compares without the blanks at the ends of lines, which editors and
// people drop.
func standsAt(content []string, at int, want []string) bool {
	if at < 0 || at+len(want) > len(content) {
		return false
	}
	for i, w := range want {
		if strings.TrimRight(content[at+i], " \t\r") != strings.TrimRight(w, " \t\r") {
			return false
		}
	}
	return true
}

func search(content, want []string) (at, n int) {
	for i := range content {
		if standsAt(content, i, want) {
			if n++; n == 1 {
				at = i
			}
		}
	}
	return at, n
}

// replacement is one call of edit_file and the hunks that it makes.
type replacement struct {
	old, new string
	hunks    []int // indexes
}

// replacements puts the hunks that are ready together into edits, from the
// end of the file to its beginning, so that the numbers of the lines before an
// edit hold. Each edit takes enough of the lines around it to be unique.
func replacements(content []string, list []placed) []replacement {
	var order []int
	for i, p := range list {
		if p.state == ready {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return list[b].at - list[a].at })
	now := slices.Clone(content)
	var out []replacement
	for len(order) > 0 {
		n := cluster(content, list, order)
		r := replacement{hunks: order[:n]}
		from, to := list[order[n-1]].at, list[order[0]].at+len(list[order[0]].old)
		changed := slices.Clone(now[from:to])
		for _, i := range order[:n] {
			at := list[i].at - from
			changed = slices.Replace(changed, at, at+len(list[i].old), list[i].new...)
		}
		r.old, r.new = widen(now, from, to, changed)
		now = slices.Replace(now, from, to, changed...)
		out = append(out, r)
		order = order[n:]
	}
	return out
}

// cluster is how many of the hunks, from the last in the file on, go into one
// edit.
func cluster(content []string, list []placed, order []int) int {
	end := list[order[0]].at + len(list[order[0]].old)
	for n := 1; n < len(order); n++ {
		at, next := list[order[n]].at, list[order[n-1]].at
		size := 0
		for _, l := range content[at:end] {
			size += len(l) + 1
		}
		if next-at-len(list[order[n]].old) > joinGap || size > joinSize {
			return n
		}
	}
	return len(order)
}

// widen takes lines around an edit until its old text is unique in the file.
func widen(now []string, from, to int, changed []string) (old, new string) {
	whole := strings.Join(now, "\n") + "\n"
	before, after := from, to
	for {
		old = strings.Join(now[before:after], "\n")
		enough := old != "" && (len(changed) > 0 || after-before > to-from)
		if enough && unique(whole, old) || before == 0 && after == len(now) || after-before > mostWide+to-from {
			break
		}
		before, after = max(before-1, 0), min(after+1, len(now))
	}
	next := slices.Concat(now[before:from], changed, now[to:after])
	return old, strings.Join(next, "\n")
}

// unique tells whether a text stands in another once, overlaps counted.
func unique(text, part string) bool {
	i := strings.Index(text, part)
	return i >= 0 && !strings.Contains(text[i+1:], part)
}
