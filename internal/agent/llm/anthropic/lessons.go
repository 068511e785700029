package anthropic

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// mostTokens is how much a turn may write, thinking included, unless the model
// says that it can't write so much.
const mostTokens = 32_000

// options are the parts of a request that models and servers disagree on.
type options struct {
	maxTokens  int
	noThinking bool // the model is not asked to think
	noDisplay  bool // it is not told how to show its thinking
	noCache    bool // no cache_control
	bound      bool // only thinking behind an unchanged conversation goes back
	forget     bool // no thinking goes back
}

// lessons are what a model has told about itself by refusing requests. They
// hold for every later request.
type lessons struct {
	mu    sync.Mutex
	known options
}

// attempt is what only one request has learned.
type attempt struct{ forget bool }

func (l *lessons) options(once attempt) options {
	l.mu.Lock()
	defer l.mu.Unlock()
	o := l.known
	if o.maxTokens == 0 {
		o.maxTokens = mostTokens
	}
	o.forget = once.forget
	return o
}

// tooMany is how the API says that a model can't write so much: "max_tokens:
// 32000 > 8192, which is the maximum allowed number of output tokens for …".
var tooMany = regexp.MustCompile(`max_tokens: \d+ (?:>|\\u003e) (\d+)`)

// from looks into a refusal for something that another request would do
// without, and tells whether there is any. Each thing is learned once, so that
// there are only so many tries.
func (l *lessons) from(sent options, once *attempt, text string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(text, w) {
				return true
			}
		}
		return false
	}
	if m := tooMany.FindStringSubmatch(text); m != nil {
		n, err := strconv.Atoi(m[1])
		l.known.maxTokens = n
		return err == nil && n > 0 && n < sent.maxTokens
	}
	switch {
	// https://platform.claude.com/docs/en/build-with-claude/preserved-thinking
	case has("bound to a different conversation", "Invalid `signature`", "blocks in the latest assistant message cannot be modified"):
		if sent.forget {
			return false
		}
		once.forget = sent.bound
		l.known.bound = true
	case has("display") && !sent.noDisplay && !sent.noThinking:
		l.known.noDisplay = true
	case has("thinking") && !sent.noThinking:
		l.known.noThinking = true
	case has("cache_control") && !sent.noCache:
		l.known.noCache = true
	default:
		return false
	}
	return true
}
