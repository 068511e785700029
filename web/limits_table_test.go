package web

import (
	"fmt"
	"net/http"
	"strings"

	"countersign/internal/planning"
)

// fields are what a call or form sends beside the text that is tried.
type fields map[string]any

// bound is how long a text may be that comes in by one field of one route.
type bound struct {
	route  string
	field  string
	most   int
	status int    // of one that is longer
	says   string // what its sentence says: what is too long, and how much is allowed
	beside fields // "$base" and the like stand for what there is
	// make makes a text of a length; nil for as many letters.
	make func(n int) any
	// elsewhere: at its limit it is refused too, for what it says.
	elsewhere bool
}

// text is one of this length, of letters that take as much room as any on their
// way: nine bytes for three in a form, six for one in JSON.
func (b bound) text(n int) any {
	switch {
	case b.make != nil:
		return b.make(n)
	case b.status == a422:
		return strings.Repeat("x", n)
	case strings.Contains(b.route, apiPrefix):
		return strings.Repeat("&", n)
	}
	return strings.Repeat("文", n/3) + strings.Repeat("x", n%3)
}

func plain(n int) any { return strings.Repeat("x", n) }

// oneFile makes a list of one path, of folders with names that are possible.
func oneFile(n int) any {
	path := strings.Repeat(strings.Repeat("x", 99)+"/", n/100) + strings.Repeat("y", n%100)
	return []string{path}
}

func oneEntry(n int) any { return []string{strings.Repeat("x", n)} }

func manyEntries(n int) any {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("f%d", i)
	}
	return list
}

// allEntries makes commands of n bytes in all.
func allEntries(n int) any {
	list := []string{}
	for ; n > 0; n -= min(n, 30_000) {
		list = append(list, strings.Repeat("x", min(n, 30_000)))
	}
	return list
}

func anAddress(n int) any { return strings.Repeat("x", n-len("@b.example")) + "@b.example" }

func anAnswer(n int) any {
	return []planning.QuestionAnswer{
		{ID: "which", Selected: []string{"Both"}}, {ID: "parts", Selected: []string{"a"}}, {ID: "why", Custom: strings.Repeat("x", n)},
	}
}

// a413 and a422 are the statuses of what is too long: a text over its length in
// bytes, and a name, a list or an entry that can't be as it is.
const a413, a422 = http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity

const api = apiPrefix + "/sessions/:id"

// bounds is the one table of how long texts may be.
var bounds = []bound{
	{route: "POST /api/v1/sessions", field: "task", most: 64 << 10, status: a413, says: "The task is too long: it may have at most 64 KB."},
	{route: "POST /api/v1/sessions", field: "title", most: 200, status: a413, says: "The title may have at most 200 bytes.", beside: fields{"task": "x"}},
	{route: "POST /api/v1/sessions", field: "model", most: 200, status: a413, says: "The model's name may have at most 200 bytes.", beside: fields{"task": "x"}},
	{route: "POST /api/v1/sessions", field: "workspace", most: 4096, status: a422, says: "at most 4096 are possible", beside: fields{"task": "x"}, elsewhere: true},
	{route: "POST " + api + "/messages", field: "text", most: 64 << 10, status: a413, says: "The message is too long: it may have at most 64 KB."},
	{route: "POST " + api + "/goal", field: "objective", most: 4 << 10, status: a413, says: "A goal and a reason may have at most 4 KB.", beside: fields{"op": "create"}},
	{route: "POST " + api + "/goal", field: "reason", most: 4 << 10, status: a413, says: "A goal and a reason may have at most 4 KB.", beside: fields{"op": "create", "objective": "x"}},
	{route: "POST " + api + "/permissions/:pid", field: "reason", most: 8 << 10, status: a413, says: "The reason may have at most 8 KB.", beside: fields{"answer": "refuse"}},
	{route: "POST " + api + "/permissions/:pid", field: "patterns", most: 4096, status: a422, says: "at most 4096 are possible", beside: fields{"answer": "session"}, make: oneFile, elsewhere: true},
	{route: "POST " + api + "/questions/:qid/answer", field: "answers", most: 16 << 10, status: a413, says: "An answer may have at most 16 KB.", make: anAnswer},
	{route: "PUT " + api + "/plans/:version/steps/:step", field: "markdown", most: 256 << 10, status: a413, says: "A step may have at most 256 KB.", beside: fields{"base": "$base"}, make: plain},
	{route: "POST " + api + "/plans/:version/steps", field: "markdown", most: 256 << 10, status: a413, says: "A step may have at most 256 KB.", beside: fields{"base": "$base"}, make: plain},
	{route: "PUT " + api + "/plans/:version/scope", field: "files", most: 4096, status: a422, says: "at most 4096 are possible", beside: fields{"base": "$base"}, make: oneFile},
	{route: "PUT " + api + "/plans/:version/scope", field: "files", most: 500, status: a422, says: "files may have 500 entries.", beside: fields{"base": "$base"}, make: manyEntries},
	{route: "PUT " + api + "/plans/:version/scope", field: "commands", most: 32 << 10, status: a422, says: "commands, entry 1 is longer than 32 KB.", beside: fields{"base": "$base"}, make: oneEntry},
	{route: "PUT " + api + "/plans/:version/scope", field: "commands", most: 500, status: a422, says: "commands may have 500 entries.", beside: fields{"base": "$base"}, make: manyEntries},
	{route: "PUT " + api + "/plans/:version/scope", field: "commands", most: 256 << 10, status: a422, says: "files and commands may have 256 KB together.", beside: fields{"base": "$base"}, make: allEntries},
	{route: "POST " + api + "/plans/:version/decision", field: "note", most: 16 << 10, status: a413, says: "The note is too long: it may have at most 16 KB.", beside: fields{"verdict": "request_changes", "sha256": "$base"}},
	{route: "POST " + api + "/plans/:version/threads", field: "body", most: 16 << 10, status: a413, says: "The comment is too long: it may have at most 16 KB."},
	{route: "POST " + api + "/plans/:version/threads", field: "quote", most: 4 << 10, status: a413, says: "A quote may have at most 4 KB.", beside: fields{"body": "x"}},
	{route: "POST /api/v1/threads/:thread/replies", field: "body", most: 16 << 10, status: a413, says: "The reply is too long: it may have at most 16 KB."},
	{route: "PUT /api/v1/threads/:thread/comments/:comment", field: "body", most: 16 << 10, status: a413, says: "The comment is too long: it may have at most 16 KB."},
	{route: "POST /api/v1/people/me/tokens", field: "name", most: 60, status: a422, says: "Say in 1 to 60 characters what the token is for.", beside: fields{"role": "viewer"}},
	{route: "POST /api/v1/invitations", field: "email", most: 254, status: a422, says: "An e-mail address may have at most 254 characters.", beside: fields{"role": "viewer"}, make: anAddress},

	{route: "POST /sessions", field: "task", most: 64 << 10, status: a413, says: "The task is too long: it may have at most 64 KB."},
	{route: "POST /sessions", field: "model", most: 200, status: a413, says: "The model's name may have at most 200 bytes.", beside: fields{"task": "x", "from": "new", "mode": "plan"}},
	{route: "POST /sessions", field: "workspace", most: 4096, status: a422, says: "at most 4096 are possible", beside: fields{"task": "x"}, elsewhere: true},
	{route: "POST /sessions/:id/messages", field: "text", most: 64 << 10, status: a413, says: "The message is too long: it may have at most 64 KB."},
	{route: "POST /sessions/:id/changes/comments", field: "body", most: 16 << 10, status: a413, says: "The comment is too long: it may have at most 16 KB.", beside: fields{"record": "$changed", "line": "1"}},
	{route: "POST /sessions/:id/goal", field: "objective", most: 4 << 10, status: a413, says: "A goal and a reason may have at most 4 KB.", beside: fields{"op": "create"}},
	{route: "POST /sessions/:id/goal", field: "reason", most: 4 << 10, status: a413, says: "A goal and a reason may have at most 4 KB.", beside: fields{"op": "create", "objective": "x"}},
	{route: "POST /sessions/:id/permissions/:pid", field: "reason", most: 8 << 10, status: a413, says: "The reason may have at most 8 KB.", beside: fields{"answer": "refuse"}},
	{route: "POST /sessions/:id/permissions/:pid", field: "pattern", most: 4096, status: a422, says: "at most 4096 are possible", beside: fields{"answer": "session"}, make: oneFile, elsewhere: true},
	{route: "POST /sessions/:id/questions/:qid", field: "t2", most: 16 << 10, status: a413, says: "An answer may have at most 16 KB.", beside: fields{"c0": "0", "c1": "0"}},
	{route: "POST /sessions/:id/threads", field: "body", most: 16 << 10, status: a413, says: "The comment is too long: it may have at most 16 KB.", beside: fields{"version": "1"}},
	{route: "POST /sessions/:id/threads", field: "quote", most: 4 << 10, status: a413, says: "A quote may have at most 4 KB.", beside: fields{"version": "1", "body": "x"}},
	{route: "POST /sessions/:id/threads/:thread/replies", field: "body", most: 16 << 10, status: a413, says: "The reply is too long: it may have at most 16 KB."},
	{route: "POST /sessions/:id/threads/:thread/comments/:comment", field: "body", most: 16 << 10, status: a413, says: "The comment is too long: it may have at most 16 KB."},
	{route: "POST /sessions/:id/edits", field: "markdown", most: 256 << 10, status: a413, says: "A step may have at most 256 KB.", beside: fields{"op": "rewritten", "version": "1", "step": "$step", "base": "$base"}},
	{route: "POST /sessions/:id/scope", field: "files", most: 4096, status: a422, says: "at most 4096 are possible", beside: fields{"version": "1", "base": "$base"}, make: oneFile},
	{route: "POST /sessions/:id/scope", field: "command", most: 32 << 10, status: a422, says: "commands, entry 1 is longer than 32 KB.", beside: fields{"version": "1", "base": "$base"}},
	{route: "POST /sessions/:id/scope", field: "more", most: 32 << 10, status: a422, says: "commands, entry 1 is longer than 32 KB.", beside: fields{"version": "1", "base": "$base"}},
	{route: "POST /sessions/:id/decision", field: "note", most: 16 << 10, status: a413, says: "The note is too long: it may have at most 16 KB.", beside: fields{"version": "1", "verdict": "request_changes", "sha256": "$base"}},
	{route: "POST /people/invite", field: "email", most: 254, status: a422, says: "An e-mail address may have at most 254 characters.", beside: fields{"role": "viewer"}, make: anAddress},
	{route: "POST /people/me/tokens", field: "name", most: 60, status: a422, says: "Say in 1 to 60 characters what the token is for.", beside: fields{"role": "viewer"}},
	{route: "POST /join", field: "name", most: 60, status: a422, says: "A name may have at most 60 characters.", beside: fields{"link": "$link"}},
}
