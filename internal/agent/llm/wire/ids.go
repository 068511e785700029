package wire

import (
	"crypto/rand"
	"strings"

	"countersign/internal/agent"
)

// IDs are the ids of calls that a conversation has. Some servers count theirs
// from nought in every turn; ours must be unique in the conversation, or a
// result could not be told apart.
type IDs map[string]bool

// UsedIDs collects the ids of all calls so far.
func UsedIDs(messages []agent.Message) IDs {
	used := IDs{}
	for _, m := range messages {
		for _, c := range m.Calls {
			used[c.ID] = true
		}
	}
	return used
}

// Take returns the id that a server gave, or one of ours where it gave none or
// one that is taken.
func (ids IDs) Take(id string) string {
	if id == "" || ids[id] {
		id = "call_" + strings.ToLower(rand.Text())
	}
	ids[id] = true
	return id
}
