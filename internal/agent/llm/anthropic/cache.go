package anthropic

// markCache sets the breakpoints of the prompt cache, three of the four that
// there may be: behind tools and system prompt, where the request before had
// its last one, and at the end of what the next request will begin with. So
// each request reads from the cache all that the one before has written,
// however many calls lie between them: from a breakpoint the API looks back
// only some twenty blocks.
//
// https://platform.claude.com/docs/en/build-with-claude/prompt-caching
func markCache(w *wireRequest) {
	here := &cacheControl{Type: "ephemeral"}
	switch {
	case len(w.System) > 0:
		w.System[len(w.System)-1].CacheControl = here
	case len(w.Tools) > 0:
		w.Tools[len(w.Tools)-1].CacheControl = here
	}
	last := len(w.Messages)
	for i := len(w.Messages) - 1; i >= 0; i-- {
		if w.Messages[i].Role == "assistant" {
			last = i
			break
		}
	}
	mark(w.Messages, here)
	if last < len(w.Messages) {
		mark(w.Messages[:last], here)
	}
}

// mark sets a breakpoint on the last block that stays and can have one.
func mark(messages []message, here *cacheControl) {
	for i := len(messages) - 1; i >= 0; i-- {
		content := messages[i].Content
		for k := len(content) - 1; k >= 0; k-- {
			if !content[k].passing && !content[k].thinks() {
				content[k].CacheControl = here
				return
			}
		}
	}
}
