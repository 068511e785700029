package builtin

import (
	"encoding/json"
	"strconv"
	"strings"

	"countersign/internal/planning"
)

// The arguments of the tools that this planner calls, and the answers that it
// reads. Field order is the order on the wire, so that the same question is
// always the same bytes.
type (
	grepArgs struct {
		Pattern string `json:"pattern"`
		Path    string `json:"path,omitempty"`
		Glob    string `json:"glob,omitempty"`
		Limit   int    `json:"limit,omitempty"`
	}
	listArgs struct {
		Path string `json:"path,omitempty"`
	}
	readArgs struct {
		Path  string `json:"path"`
		Start int    `json:"start_line,omitempty"`
		End   int    `json:"end_line,omitempty"`
	}
	editArgs struct {
		Path string `json:"path"`
		Old  string `json:"old"`
		New  string `json:"new"`
	}
	todoArgs struct {
		Steps []planning.TodoItem `json:"steps"`
		Merge bool                `json:"merge,omitempty"`
	}
	submitArgs struct {
		Plan string `json:"plan"`
		scopeArgs
	}
	scopeArgs struct {
		Files    []string `json:"files"`
		Commands []string `json:"commands,omitempty"`
	}
)

// encode makes the JSON of arguments. HTML characters stay readable.
func encode(args any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(args); err != nil {
		return "{}" // can't be: the types above have no part that could fail
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// match is a line that grep found.
type match struct {
	path string
	line int
}

var grepLine = lazily(`^(.+?):(\d+):`)

// readGrep reads an answer of grep. cut tells whether there is more.
func readGrep(result string) (found []match, cut bool, unsearched string) {
	for _, line := range strings.Split(result, "\n") {
		if strings.HasPrefix(line, "[stopped after ") {
			cut = true
			continue
		}
		if rest, ok := strings.CutPrefix(line, "[not searched, because "); ok {
			_, unsearched, _ = strings.Cut(strings.TrimSuffix(rest, "]"), ": ")
			continue
		}
		if m := grepLine().FindStringSubmatch(line); m != nil {
			if n, err := strconv.Atoi(m[2]); err == nil {
				found = append(found, match{m[1], n})
			}
		}
	}
	return found, cut, unsearched
}

// entry is a line of a listing.
type entry struct {
	name   string
	folder bool
}

var listedFile = lazily(`^(.+) \d+$`)

// readList reads an answer of list_dir. more tells whether it was cut.
func readList(result string) (out []entry, more bool) {
	for _, line := range strings.Split(result, "\n") {
		if name, ok := strings.CutSuffix(line, "/"); ok && name != "" {
			out = append(out, entry{name, true})
		} else if m := listedFile().FindStringSubmatch(line); m != nil {
			out = append(out, entry{m[1], false})
		} else if strings.HasPrefix(line, "[") && strings.HasSuffix(line, " more]") {
			more = true
		}
	}
	return out, more
}

// page is an answer of read_file.
type page struct {
	first  int      // number of the first line
	lines  []string // without line ends
	total  int      // lines of the file, as far as they were counted
	next   int      // line to go on with, 0 if the page was not cut
	broken bool     // the file holds bytes that are no text
}

var (
	pageHead  = lazily(`^\[.*: lines (\d+)–(\d+) of (?:more than )?(\d+)(.*)\]$`)
	emptyHead = lazily(`^\[.*: empty.*\]$`)
	goOn      = lazily(`go on with start_line (\d+)`)
	cutLine   = lazily(`… \[line cut here; it has \d+ bytes\]$`)
)

func readPage(result string) (page, bool) {
	head, text, _ := strings.Cut(result, "\n")
	if emptyHead().MatchString(head) {
		return page{first: 1}, true
	}
	m := pageHead().FindStringSubmatch(head)
	if m == nil {
		return page{}, false
	}
	var p page
	p.first, _ = strconv.Atoi(m[1])
	p.total, _ = strconv.Atoi(m[3])
	p.broken = strings.Contains(m[4], "no text")
	if g := goOn().FindStringSubmatch(m[4]); g != nil {
		p.next, _ = strconv.Atoi(g[1])
	}
	if text != "" {
		p.lines = strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	}
	return p, p.first > 0 && (p.next == 0 || p.next > p.first)
}

var todoLine = lazily(`^\[([ >x])\] (.*) \(([^()]*)\)$`)

const todoHead = "Current to-do list:\n"

// goalArgs are the arguments of update_goal.
type goalArgs struct {
	ID       string `json:"id"`
	Revision int    `json:"revision"`
	Status   string `json:"status"` // complete or blocked
	Reason   string `json:"reason,omitempty"`
}

// readTodos reads the list as it stands at the end of a request.
func readTodos(text string) []planning.Todo {
	status := map[string]planning.TodoStatus{
		" ": planning.TodoPending, ">": planning.TodoInProgress, "x": planning.TodoCompleted,
	}
	var out []planning.Todo
	_, list, _ := strings.Cut(text, todoHead)
	for _, line := range strings.Split(list, "\n") {
		if m := todoLine().FindStringSubmatch(line); m != nil {
			out = append(out, planning.Todo{ID: m[3], Text: m[2], Status: status[m[1]]})
		}
	}
	return out
}

// interrupted tells whether nobody knows what the call did. A result that came
// in order may hold the same words, in a file or in a comment.
func interrupted(c call) bool {
	return c.failed && (strings.HasPrefix(c.result, "The outcome is unknown") ||
		strings.Contains(c.result, "Stopped by a person, or by the server's end"))
}
