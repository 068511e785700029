package lang

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Logged returns a sentence of the log in the language of a context. The log is
// English and has no formats, so a sentence of ours is known by its shape, and
// so are facts in a row with commas between them; what is none of ours comes
// back as it is.
func Logged(ctx context.Context, text string) string {
	l := Of(ctx)
	if l == English || text == "" {
		return text
	}
	if said, ok := l.shaped(text, shapes()); ok {
		return said
	}
	facts := strings.Split(text, ", ")
	for i, fact := range facts {
		said, ok := l.shaped(fact, shapes())
		if !ok {
			return text
		}
		facts[i] = said
	}
	return strings.Join(facts, l.Say(", "))
}

// shaped says a text that has one of these shapes.
func (l *Language) shaped(text string, shapes []shape) (string, bool) {
	for _, s := range shapes {
		if m := s.shape.FindStringSubmatch(text); m != nil {
			return l.Say(s.key, l.found(s, m[1:])...), true
		}
	}
	return "", false
}

// found are the arguments of a message: numbers, and texts, of which some have
// words of ours.
func (l *Language) found(s shape, texts []string) []any {
	list := make([]any, len(texts))
	for i, text := range texts {
		n, err := strconv.Atoi(text)
		switch said, ours := l.shaped(text, partShapes()); {
		case err == nil && s.verbs[i] == 'd':
			list[i] = n
		case ours:
			list[i] = said
		default:
			list[i] = text
		}
	}
	return list
}

// shape is what a message looks like once its arguments are in it.
type shape struct {
	key   Key
	shape *regexp.Regexp
	verbs []byte // of the arguments, in order
	begin int    // how long its text is before the first of them
}

var (
	shapes     = sync.OnceValue(func() []shape { return shapesOf(logs) })
	partShapes = sync.OnceValue(func() []shape { return shapesOf(logParts) })
)

func shapesOf(keys []Key) []shape {
	var list []shape
	for _, key := range keys {
		list = append(list, shapeOf(key, string(key)))
		if one, ok := singular[key]; ok {
			list = append(list, shapeOf(key, strings.Replace(one, "1", "%d", 1)))
		}
		for _, form := range otherForms[key] {
			list = append(list, shapeOf(key, form))
		}
	}
	// The one that says more goes first: "%s is …" would take everything.
	slices.SortStableFunc(list, func(a, b shape) int { return b.begin - a.begin })
	return list
}

var verbs = regexp.MustCompile(`%[dsqv]`)

func shapeOf(key Key, text string) shape {
	s := shape{key: key, begin: len(text)}
	if at := verbs.FindStringIndex(text); at != nil {
		s.begin = at[0]
	}
	pattern := verbs.ReplaceAllStringFunc(regexp.QuoteMeta(text), func(verb string) string {
		s.verbs = append(s.verbs, verb[1])
		switch verb {
		case "%d":
			return `(\d+)`
		case "%q":
			return `"((?s:.*?))"`
		default:
			return `((?s:.*?))`
		}
	})
	s.shape = regexp.MustCompile(`^` + pattern + `$`)
	return s
}
