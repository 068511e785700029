package document

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// look is what is compared of a piece. The features are numbers from a
// vocabulary, sorted and each there once.
type look struct {
	words string // all words in order, in lower case, without markup and numbering
	title []int  // features of the title
	key   string // the same as a key for maps
	text  []int  // features of the whole text, title included
	names []int  // files and identifiers in the title
	code  []int  // words in code, and paths
	asian bool   // in an East Asian script
}

// maxLook is how many bytes of a piece are looked at.
const maxLook = 16 << 10

// vocabulary numbers features, and weighs them once all pieces were looked at.
type vocabulary struct {
	ids    map[string]int
	weight []float64
}

func (v *vocabulary) numbers(features []string) []int {
	list := make([]int, len(features))
	for i, f := range features {
		n, ok := v.ids[f]
		if !ok {
			n = len(v.ids)
			v.ids[f] = n
		}
		list[i] = n
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// look takes the words from the source: marks of Markdown are no letters, and
// what a link or an entity adds is there on both sides.
func (v *vocabulary) look(p Piece) look {
	text := p.Text[:min(len(p.Text), maxLook)]
	words := wordsOf(unnumbered(text))
	title := v.numbers(features(p.Title, wordsOf(p.Title)))
	return look{
		words: strings.Join(words, " "),
		title: title,
		key:   fmt.Sprint(title),
		text:  v.numbers(features(text, words)),
		names: v.numbers(names(p.Title)),
		code:  v.numbers(codeWords(text)),
		asian: inEastAsian(words),
	}
}

// weigh gives each feature its weight: ln(1 + n/k) for one that k of n pieces
// have, on the side where more have it. Words that every step has ("run",
// "add") say little about which step it is. (Inverse document frequency, as in
// Manning, Raghavan, Schütze: Introduction to Information Retrieval, 6.2.1.)
func (v *vocabulary) weigh(old, new []look) {
	most := make([]int, len(v.ids))
	for _, side := range [][]look{old, new} {
		count := make([]int, len(v.ids))
		for i := range side {
			for _, list := range [][]int{side[i].text, side[i].code} {
				for _, f := range list {
					count[f]++
				}
			}
		}
		for f, n := range count {
			most[f] = max(most[f], n)
		}
	}
	n := float64(max(len(old), len(new)))
	v.weight = make([]float64, len(most))
	for f, k := range most {
		v.weight[f] = math.Log(1 + n/float64(max(k, 1)))
	}
}

// rarest is the weight of a feature that only one piece has.
func (v *vocabulary) rarest(pieces int) float64 { return math.Log(1 + float64(pieces)) }

// shared weighs what two sorted sets have in common, and what each has alone.
func (v *vocabulary) shared(a, b []int) (both, onlyA, onlyB float64) {
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case j == len(b) || i < len(a) && a[i] < b[j]:
			onlyA += v.weight[a[i]]
			i++
		case i == len(a) || a[i] > b[j]:
			onlyB += v.weight[b[j]]
			j++
		default:
			both += v.weight[a[i]]
			i++
			j++
		}
	}
	return both, onlyA, onlyB
}

// overlap is how alike two sorted sets are, from 0 to 1. What each has for
// itself counts three times as much as what only one has in addition: words
// added to a text leave it the same step, words exchanged may not.
func (v *vocabulary) overlap(a, b []int) float64 {
	both, less, more := v.shared(a, b)
	if both == 0 {
		return 0
	}
	if less > more {
		less, more = more, less
	}
	return both / (both + 3*less + (more-less)/2)
}

// countTitles counts, by their features, how often titles occur on each side.
func countTitles(old, new []look) map[string][2]int {
	count := map[string][2]int{}
	for _, l := range old {
		c := count[l.key]
		count[l.key] = [2]int{c[0] + 1, c[1]}
	}
	for _, l := range new {
		c := count[l.key]
		count[l.key] = [2]int{c[0], c[1] + 1}
	}
	return count
}
