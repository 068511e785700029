package lang

import (
	"go/ast"
	"go/constant"
	"go/types"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/go/packages"
)

// startUp are files whose faults are told on the command line only, in English:
// there is no page yet.
var startUp = []string{
	"internal/db/files.go", "internal/db/migrate.go", "internal/db/open.go", "internal/db/writer.go",
	"internal/db/backup.go", "internal/db/restore.go", "internal/db/wal.go",
}

// makers are the functions that take the format of a fault, or of a part of one,
// with its place among their arguments.
var makers = map[string]int{"fault.New": 1, "fault.Wrap": 2, "fault.NewPart": 0, "document.CheckText": 0, "review.text": 2, "planning.message": 2, "web.badWorkspace": 0, "llm.invalid": 0}

// roles are a type whose values are shown by their names.
const roles = "countersign/internal/review.Role"

// used collects what can come to a page: every constant Key, the formats of all
// faults, and our words that are put into them.
var used = sync.OnceValues(func() (map[Key]string, error) {
	found := map[Key]string{}
	loaded, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports | packages.NeedFiles | packages.NeedCompiledGoFiles,
	}, "countersign/web/...", "countersign/internal/review/...", "countersign/internal/planning/...", "countersign/internal/db/...", "countersign/internal/agent/llm")
	if err != nil {
		return nil, err
	}
	for _, p := range loaded {
		for _, e := range p.Errors {
			return nil, e
		}
		for _, file := range p.Syntax {
			name := filepath.ToSlash(p.Fset.Position(file.Pos()).Filename)
			ast.Inspect(file, func(n ast.Node) bool {
				for _, key := range keysOf(p, n, slices.ContainsFunc(startUp, func(s string) bool { return strings.HasSuffix(name, s) })) {
					found[key] = p.Fset.Position(n.Pos()).String()
				}
				return true
			})
		}
	}
	return found, nil
})

func keysOf(p *packages.Package, n ast.Node, startUp bool) []Key {
	e, ok := n.(ast.Expr)
	if !ok || p.PkgPath == "countersign/web/lang" {
		return nil
	}
	if call, ok := e.(*ast.CallExpr); ok && !startUp {
		return formatOf(p, call)
	}
	if t := p.TypesInfo.Types[e]; t.Value != nil && t.Value.Kind() == constant.String {
		switch t.Type.String() {
		case "countersign/web/lang.Key", roles:
			if text := constant.StringVal(t.Value); text != "" {
				return []Key{Key(text)}
			}
		}
	}
	return nil
}

// formatOf is the format of a fault that a call makes.
func formatOf(p *packages.Package, call *ast.CallExpr) []Key {
	var id *ast.Ident
	switch f := call.Fun.(type) {
	case *ast.SelectorExpr:
		id = f.Sel
	case *ast.Ident:
		id = f
	default:
		return nil
	}
	f, ok := p.TypesInfo.Uses[id].(*types.Func)
	if !ok || f.Pkg() == nil {
		return nil
	}
	at, ok := makers[f.Pkg().Name()+"."+f.Name()]
	if !ok || f.Signature().Recv() != nil {
		return nil
	}
	if v := p.TypesInfo.Types[call.Args[at]].Value; v != nil {
		if text := constant.StringVal(v); text != "%s" && text != "" {
			return []Key{Key(text)}
		}
	}
	return nil
}

func TestCatalogue_NoKeyIsMissingOrUnused(t *testing.T) {
	keys, err := used()
	if err != nil {
		t.Fatal(err)
	}
	if len(keys) < 300 {
		t.Fatalf("only %d messages were found", len(keys))
	}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if Chinese.words[key] == "" {
			t.Errorf("not in Chinese: %q (%s)", key, keys[key])
		}
	}
	known := map[Key]bool{}
	for _, key := range slices.Concat(logs, logParts) {
		known[key] = true
	}
	for _, l := range All() {
		for _, key := range slices.Sorted(maps.Keys(l.words)) {
			if keys[key] == "" && !known[key] && !ownKeys[key] {
				t.Errorf("used nowhere: %q", key)
			}
		}
	}
	for key := range singular {
		if keys[key] == "" && !known[key] {
			t.Errorf("has a singular, but is used nowhere: %q", key)
		}
	}
}

// ownKeys are said by this package.
var ownKeys = map[Key]bool{", ": true, "%.1fk": true, "%.1fM": true}

var (
	verb = regexp.MustCompile(`%(\[\d+\])?[-+# 0]*(\d+)?(\.\d+)?([a-zA-Z])`)
	tag  = regexp.MustCompile(`</?[a-z]+[^>]*>`)
	name = regexp.MustCompile(`\{\w+\}`)
)

// parts are what a translation must have just as the message has it: what is
// put in, in any order, HTML, and the names that scripts fill in.
func parts(text string) []string {
	var list []string
	next := 1
	for _, m := range verb.FindAllStringSubmatch(text, -1) {
		at := strings.Trim(m[1], "[]")
		if at == "" {
			at = string(rune('0' + next))
		}
		next = int(at[0]-'0') + 1
		kind := m[4]
		if kind == "q" || kind == "v" {
			kind = "s"
		}
		list = append(list, at+kind)
	}
	list = append(list, tag.FindAllString(text, -1)...)
	list = append(list, name.FindAllString(text, -1)...)
	slices.Sort(list)
	return list
}

func TestCatalogue_PlaceholdersAreTheSame(t *testing.T) {
	for key, text := range Chinese.words {
		if want, got := parts(string(key)), parts(text); !slices.Equal(want, got) {
			t.Errorf("%q has %q, and its translation %q", key, want, got)
		}
		if !verb.MatchString(string(key)) && strings.Contains(string(key)+text, "%") {
			t.Errorf("%q has a percent sign and no verb", key)
		}
	}
	for key, one := range singular {
		want := slices.DeleteFunc(parts(string(key)), func(s string) bool { return s == "1d" })
		if got := slices.DeleteFunc(parts(one), func(s string) bool { return s == "1d" }); !slices.Equal(want, got) {
			t.Errorf("%q has %q, and its singular %q", key, want, got)
		}
		if !strings.Contains(string(key), "%d") || strings.Index(string(key), "%") != strings.Index(string(key), "%d") {
			t.Errorf("%q does not count with its first verb", key)
		}
	}
}
