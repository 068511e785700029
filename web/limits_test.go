package web

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"html"
	"maps"
	"net/url"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"countersign/internal/planning"
	"countersign/internal/review"
)

// place is what there has to be for a text to go anywhere: a plan in review with
// a comment, a change, a question or a request for permission.
type place struct {
	*rig
	path   *strings.Replacer // of a route
	beside map[string]string // for what stands beside the text
	cookie header
}

func (r *rig) place(route string) place {
	r.t.Helper()
	id := r.begin()
	fill, beside := []string{":id", id, ":version", "1", ":qid", "q1", ":pid", "p1"}, map[string]string{}
	switch {
	case strings.Contains(route, ":qid"):
		r.asks(id)
	case strings.Contains(route, ":pid"):
		r.agent(id, planning.ModelMessage{Calls: []planning.ToolCall{{ID: "c", Name: "write_file", Arguments: "{}"}}, Seen: 2},
			planning.PermissionAsked{ID: "p1", Call: "c", Tool: "write_file", Paths: []string{"a.go"}})
	case strings.Contains(route, "/changes/"):
		st := r.agent(id, planning.FileChanged{Call: "c", Path: "a.go", Exists: true, After: "package a\n", Added: 1})
		beside["$changed"] = fmt.Sprint(st.Seq)
	case route == "POST /join":
		link := read[invitationView](r.api("POST", "/invitations", inviteBody{Role: review.RoleViewer}).is(201)).Link
		_, beside["$link"], _ = strings.Cut(link, "link=")
	default:
		p := r.submit(id, samplePlan)
		thread := read[threadView](r.api("POST", "/sessions/"+id+"/plans/1/threads", threadBody{Body: "Why?"}).is(201))
		step := p.Steps()[0].ID
		fill = append(fill, ":step", step, ":thread", thread.ID, ":comment", fmt.Sprint(thread.Comments[0].Seq))
		beside["$base"], beside["$step"] = p.SHA256, step
	}
	return place{r, strings.NewReplacer(fill...), beside, header("Cookie: " + r.cookie(r.owner))}
}

// send tries a text of a length.
func (p place) send(b bound, n int) answer {
	p.t.Helper()
	body := maps.Clone(b.beside)
	if body == nil {
		body = fields{}
	}
	for name, value := range body {
		if there, is := p.beside[fmt.Sprint(value)]; is {
			body[name] = there
		}
	}
	body[b.field] = b.text(n)
	method, route, _ := strings.Cut(b.route, " ")
	path := p.path.Replace(route)
	if short, isAPI := strings.CutPrefix(path, apiPrefix); isAPI {
		return p.api(method, short, body)
	}
	form := url.Values{}
	for name, value := range body {
		if list, is := value.([]string); is {
			value = strings.Join(list, "\n")
		}
		form.Set(name, fmt.Sprint(value))
	}
	return p.form(path, form, p.cookie)
}

// TestInput_S1_EveryTextHasItsLimit: one more than the limit is refused with a
// sentence that says what is too long and how much is allowed, and nothing is
// written; the limit itself goes through.
func TestInput_S1_EveryTextHasItsLimit(t *testing.T) {
	r := newRig(t, func(c *Config) { c.CheckModel = nil })
	for _, b := range bounds {
		t.Run(strings.ReplaceAll(strings.ReplaceAll(b.route, " ", "_"), "/", ".")+"_"+b.field+"_"+fmt.Sprint(b.most), func(t *testing.T) {
			rig := *r
			rig.t = t
			p := rig.place(b.route)
			events, deeds := r.hub.Appended(), rig.deeds()
			a := p.send(b, b.most+1)
			if text := html.UnescapeString(a.body); a.StatusCode != b.status || !strings.Contains(text, b.says) {
				t.Errorf("one more than %d: %d, want %d and %q in\n%.400s", b.most, a.StatusCode, b.status, b.says, text)
			}
			if r.hub.Appended() != events || rig.deeds() != deeds {
				t.Error("something was written")
			}
			a = p.send(b, b.most)
			if text := html.UnescapeString(a.body); strings.Contains(text, b.says) || (a.StatusCode >= 400) != b.elsewhere {
				t.Errorf("%d: %d\n%.400s", b.most, a.StatusCode, text)
			}
			if !b.elsewhere && r.hub.Appended() == events && rig.deeds() == deeds {
				t.Error("what goes through is not written")
			}
		})
	}
}

// compared are fields whose texts go nowhere: they are held against what there
// is, or are one of a few words, and whatever else they hold is refused or left
// out. The rest of what comes in has a row in bounds.
var compared = map[string][]string{
	"one of a few words": {
		"agree", "answer", "by", "confirmed", "delete", "dismiss", "from", "language", "merge", "mode", "of", "op",
		"plan", "preview", "role", "side", "unit", "verdict",
	},
	"what there is": {"after", "back", "base", "goal", "link", "next", "record", "ref", "seen", "sha256", "shown", "step", "token", "files"},
	"a number":      {"approvals", "line", "lasts", "max_rounds", "revision", "version"},
}

func isCompared(field string) bool {
	for _, list := range compared {
		if slices.Contains(list, field) {
			return true
		}
	}
	return false
}

func isBound(route, field string) bool {
	return slices.ContainsFunc(bounds, func(b bound) bool { return b.route == route && b.field == field })
}

// TestInput_S1_NoTextOfTheAPIWithoutALimit: each field of each call that can
// hold a text is in the table.
func TestInput_S1_NoTextOfTheAPIWithoutALimit(t *testing.T) {
	r := newRig(t)
	n := 0
	for _, e := range append(r.web.server.endpoints(), r.web.server.peopleEndpoints()...) {
		if e.body == nil {
			continue
		}
		for f := range reflect.TypeOf(e.body).Fields() {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			switch kind := f.Type.Kind(); {
			case kind == reflect.Bool || kind == reflect.Int || kind == reflect.Int64:
			case isBound(e.method+" "+apiPrefix+e.path, name):
				n++
			case !isCompared(name) || kind == reflect.Slice:
				t.Errorf("%s %s: how long may %s be?", e.method, e.path, name)
			}
		}
	}
	if n < 15 {
		t.Errorf("only %d fields", n)
	}
}

// typed says which texts the forms take that people write.
var typed = map[string]string{
	"/sessions": "task model workspace", "/sessions/:id/messages": "text", "/sessions/:id/changes/comments": "body",
	"/sessions/:id/goal": "objective reason", "/sessions/:id/permissions/:pid": "reason pattern", "/sessions/:id/questions/:qid": "t2",
	"/sessions/:id/threads": "body quote", "/sessions/:id/threads/:thread/replies": "body",
	"/sessions/:id/threads/:thread/comments/:comment": "body", "/sessions/:id/edits": "markdown",
	"/sessions/:id/scope": "files command more", "/sessions/:id/decision": "note",
	"/people/invite": "email", "/people/me/tokens": "name", "/join": "name",
	// These take none.
	"/sign-in": "", "/sign-out": "", "/language": "", "/sessions/:id/pause": "", "/sessions/:id/resume": "",
	"/sessions/:id/permissions/:pid/withdraw": "", "/sessions/:id/threads/:thread/resolve": "", "/sessions/:id/threads/:thread/reopen": "",
	"/sessions/:id/threads/:thread/comments/:comment/agree": "", "/sessions/:id/edits/:edit/undo": "", "/sessions/:id/release": "",
	"/sessions/:id/approval/withdraw": "", "/webhooks/:target/test": "", "/webhooks/:target/retry": "",
	"/webhooks/:target/messages/:place/give-up": "", "/people/invitations/:invitation/withdraw": "", "/people/:person/role": "",
	"/people/:person/remove": "", "/people/:person/readmit": "", "/people/:person/link": "", "/people/:person/sign-ins/end": "",
	"/people/:person/sign-ins/:signin/end": "", "/people/:person/tokens/:token/revoke": "",
}

// TestInput_S1_NoTextOfAFormWithoutALimit: each form says which texts it takes,
// each of them is in the table, and no handler reads a field of another name.
func TestInput_S1_NoTextOfAFormWithoutALimit(t *testing.T) {
	r := newRig(t)
	known := map[string]bool{}
	for _, route := range r.web.echo.Routes() {
		if safe(route.Method) || strings.HasPrefix(route.Method, "echo_") || strings.HasPrefix(route.Path, apiPrefix) {
			continue
		}
		texts, listed := typed[route.Path]
		if !listed {
			t.Errorf("%s %s: which texts does it take, and how long may they be?", route.Method, route.Path)
		}
		for field := range strings.FieldsSeq(texts) {
			known[field] = true
			if !isBound(route.Method+" "+route.Path, field) {
				t.Errorf("%s %s: how long may %s be?", route.Method, route.Path, field)
			}
		}
	}
	read := formFields(t)
	if len(read) < 30 {
		t.Errorf("only %d fields of forms were found", len(read))
	}
	for field, at := range read {
		if !known[field] && !isCompared(field) {
			t.Errorf("%s: the field %s is new: how long may it be?", at, field)
		}
	}
}

// formFields are the names of fields that the handlers read from forms.
func formFields(t *testing.T) map[string]token.Position {
	t.Helper()
	found := map[string]token.Position{}
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	files := token.NewFileSet()
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(files, e.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, is := n.(*ast.CallExpr)
			if !is || len(call.Args) == 0 {
				return true
			}
			of, _ := call.Fun.(*ast.SelectorExpr)
			name, _ := call.Fun.(*ast.Ident)
			if of != nil && of.Sel.Name == "FormValue" || name != nil && name.Name == "formText" {
				if text, is := call.Args[len(call.Args)-1].(*ast.BasicLit); is && text.Kind == token.STRING {
					field, _ := strconv.Unquote(text.Value)
					found[field] = files.Position(call.Pos())
				}
			}
			return true
		})
	}
	return found
}
