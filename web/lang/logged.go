package lang

import (
	"context"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// Logged returns a sentence of the log in the language of a context. The log is
// English and has no formats, so a sentence of ours is known by its shape; what
// is no sentence of ours comes back as it is.
func Logged(ctx context.Context, text string) string {
	l := Of(ctx)
	if l == English || text == "" {
		return text
	}
	if said, ok := l.words[Key(text)]; ok {
		return said
	}
	for _, s := range shapes() {
		if m := s.shape.FindStringSubmatch(text); m != nil {
			return l.Say(s.key, s.args(ctx, m[1:])...)
		}
	}
	return text
}

// shape is what a message looks like once its arguments are in it.
type shape struct {
	key   Key
	shape *regexp.Regexp
	verbs []byte // of the arguments, in order
}

var verbs = regexp.MustCompile(`%[dsqv]`)

var shapes = sync.OnceValue(func() []shape {
	var list []shape
	for _, key := range logs {
		list = append(list, shapeOf(key, string(key)))
		if one, ok := singular[key]; ok {
			list = append(list, shapeOf(key, strings.Replace(one, "1", "%d", 1)))
		}
	}
	return list
})

func shapeOf(key Key, text string) shape {
	s := shape{key: key}
	pattern := regexp.QuoteMeta(text)
	pattern = verbs.ReplaceAllStringFunc(pattern, func(verb string) string {
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

// args are what was put in: numbers, and texts that may be sentences of ours
// themselves.
func (s shape) args(ctx context.Context, found []string) []any {
	list := make([]any, len(found))
	for i, text := range found {
		if n, err := strconv.Atoi(text); err == nil && s.verbs[i] == 'd' {
			list[i] = n
			continue
		}
		list[i] = Logged(ctx, text)
	}
	return list
}
