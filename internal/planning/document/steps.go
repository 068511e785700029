package document

import (
	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
)

// unit is the smallest thing that blocks are made of: a block of the top
// level, or one item of a list that stands there.
type unit struct {
	node  ast.Node
	start int // of its first line
}

// span is a run of units, from the first to before the second, that is a step.
type span struct{ from, to int }

// rule is which of the ways to write steps a document uses.
type rule int

const (
	noSteps rule = iota
	numberedHeadings
	orderedItems
	taskItems
	boldNumbers
	sections
	wholeBody
)

// rules are tried in this order; the first that finds steps wins.
var rules = []struct {
	rule rule
	find func(units []unit, src []byte) []span
}{
	{numberedHeadings, findNumberedHeadings},
	{orderedItems, findOrderedItems},
	{taskItems, findTaskItems},
	{boldNumbers, findBoldNumbers},
	{sections, findSections},
	{wholeBody, findWholeBody},
}

func findSteps(units []unit, src []byte) (rule, []span) {
	for _, r := range rules {
		if steps := r.find(units, src); len(steps) > 0 {
			return r.rule, steps
		}
	}
	return noSteps, nil
}

// findNumberedHeadings finds the numbered headings of the shallowest level
// below the title's, each with its section.
func findNumberedHeadings(units []unit, src []byte) []span {
	level := 7
	numbered := make([]bool, len(units))
	for i, u := range units {
		if l := u.level(); l >= 2 && l <= level {
			if _, numbered[i] = numberOf(plain(u.node, src)); numbered[i] {
				level = l
			}
		}
	}
	return find(units, func(i int) bool { return numbered[i] && units[i].level() == level }, upTo(units, level))
}

func findOrderedItems(units []unit, _ []byte) []span {
	return find(units, func(i int) bool { return units[i].ordered() }, oneUnit)
}

func findTaskItems(units []unit, _ []byte) []span {
	return find(units, func(i int) bool { return units[i].task() != nil }, oneUnit)
}

// findBoldNumbers finds paragraphs that begin with a bold number, each with
// what follows up to the next of them, a heading or a rule.
func findBoldNumbers(units []unit, src []byte) []span {
	starts := make([]bool, len(units))
	for i, u := range units {
		starts[i] = u.boldNumber(src)
	}
	return find(units, func(i int) bool { return starts[i] }, func(i int) bool {
		_, rule := units[i].node.(*ast.ThematicBreak)
		return starts[i] || rule || units[i].level() > 0
	})
}

func findSections(units []unit, _ []byte) []span {
	return find(units, func(i int) bool { return units[i].level() == 2 }, upTo(units, 2))
}

// findWholeBody takes what follows the title as the only step, or, where
// nothing does, what comes before it.
func findWholeBody(units []unit, _ []byte) []span {
	title := titleUnit(units)
	for _, s := range []span{{title + 1, len(units)}, {0, max(title, 0)}} {
		for _, u := range units[s.from:s.to] {
			switch u.node.(type) {
			case *ast.LinkReferenceDefinition, *ast.ThematicBreak:
			default:
				return []span{s}
			}
		}
	}
	return nil
}

// find collects spans: each begins at a unit that starts one and reaches up to
// the next unit that ends it.
func find(units []unit, starts, ends func(i int) bool) []span {
	var found []span
	for i := 0; i < len(units); i++ {
		if !starts(i) {
			continue
		}
		to := i + 1
		for to < len(units) && !ends(to) {
			to++
		}
		found = append(found, span{i, to})
		i = to - 1
	}
	return found
}

func oneUnit(int) bool { return true }

// upTo ends a section of this level.
func upTo(units []unit, level int) func(int) bool {
	return func(i int) bool {
		l := units[i].level()
		return l > 0 && l <= level
	}
}

// titleUnit is the index of the first level-one heading, or -1.
func titleUnit(units []unit) int {
	for i, u := range units {
		if u.level() == 1 {
			return i
		}
	}
	return -1
}

// level is the level of a heading, or 0.
func (u unit) level() int {
	if h, ok := u.node.(*ast.Heading); ok {
		return h.Level
	}
	return 0
}

// ordered tells whether this is an item of an ordered list.
func (u unit) ordered() bool {
	item, ok := u.node.(*ast.ListItem)
	return ok && item.Parent().(*ast.List).IsOrdered()
}

// task returns the check box of an item of a task list.
func (u unit) task() *extast.TaskCheckBox {
	item, ok := u.node.(*ast.ListItem)
	if !ok || u.ordered() || item.FirstChild() == nil {
		return nil
	}
	box, _ := item.FirstChild().FirstChild().(*extast.TaskCheckBox)
	return box
}

// boldNumber tells whether this is a paragraph whose bold beginning holds the
// number of a step.
func (u unit) boldNumber(src []byte) bool {
	p, ok := u.node.(*ast.Paragraph)
	if !ok {
		return false
	}
	e, ok := p.FirstChild().(*ast.Emphasis)
	if ok && e.Level == 1 {
		e, ok = e.FirstChild().(*ast.Emphasis)
	}
	if !ok {
		return false
	}
	n, ok := numberOf(plain(p, src))
	return ok && len(n.before+n.numeral) <= len(plain(e, src))
}
