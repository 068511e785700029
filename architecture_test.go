// Package countersign_test holds the map in ARCHITECTURE.md against the code.
package countersign_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "countersign"

// border says what a package and those below it may import of this module, and
// which other packages never appear among what they import.
type border struct {
	pkg   string // below the module
	may   []string
	never []string
}

// borders is ordered: the first entry that a package falls under counts.
var borders = []border{
	{"cmd/web", []string{"internal", "web"}, []string{"gorm.io", "database/sql"}},
	{"web/templates", []string{"internal/planning", "internal/review", "internal/webhook", "web/templates", "web/static", "web/lang"}, []string{"github.com/labstack", "gorm.io", "os", "os/exec", "net/http"}},
	{"web/static", []string{"web/static"}, []string{"github.com", "gorm.io", "os/exec"}},
	{"web/lang", []string{"internal/fault"}, []string{"github.com", "gorm.io", "os", "os/exec", "net", "net/http"}},
	{"web", []string{"internal/planning", "internal/review", "internal/agent", "internal/webhook", "internal/fault", "web/templates", "web/static", "web/lang"}, []string{"gorm.io", "database/sql", "os/exec"}},
	{"internal/planning", []string{"internal/planning", "internal/fault"}, []string{"os", "os/exec", "net", "net/http", "database/sql", "gorm.io", "github.com/labstack"}},
	{"internal/review", []string{"internal/planning", "internal/fault"}, []string{"os", "os/exec", "net", "net/http", "database/sql", "gorm.io", "github.com/labstack"}},
	{"internal/agent/permission", []string{"internal/planning"}, []string{"os", "os/exec", "net", "context", "time"}},
	{"internal/agent/sandbox", []string{"internal/agent/sandbox", "internal/planning", "internal/fault"}, []string{"gorm.io", "github.com/labstack"}},
	{"internal/agent", []string{"internal/agent", "internal/planning", "internal/fault"}, []string{"gorm.io", "database/sql", "github.com/labstack"}},
	{"internal/webhook", []string{"internal/planning", "internal/fault"}, []string{"os", "os/exec", "database/sql", "gorm.io", "github.com/labstack"}},
	{"internal/db", []string{"internal/db", "internal/planning", "internal/review", "internal/webhook", "internal/fault"}, []string{"github.com/labstack", "os/exec", "net/http"}},
	{"internal/trial", nil, []string{"gorm.io", "github.com"}},
	{"internal/fault", nil, []string{"github.com", "gorm.io"}},
	{"e2e", []string{"e2e", "internal/trial", "internal/agent/llm/fakeopenai"}, []string{"gorm.io", "github.com/labstack"}},
}

type goPackage struct {
	ImportPath   string
	Imports      []string
	TestImports  []string
	XTestImports []string
}

func TestArchitecture_Borders(t *testing.T) {
	for _, p := range packages(t) {
		name := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
		if name == "" {
			continue // this test
		}
		b, ok := borderOf(name)
		if !ok {
			t.Errorf("%s is not on the map", p.ImportPath)
			continue
		}
		imports := p.Imports
		if b.pkg == "e2e" { // it has no other code than tests
			imports = slices.Concat(imports, p.TestImports, p.XTestImports)
		}
		for _, i := range imports {
			if why := b.forbids(name, i); why != "" {
				t.Errorf("%s imports %s: %s", name, i, why)
			}
		}
	}
}

func borderOf(name string) (border, bool) {
	i := slices.IndexFunc(borders, func(b border) bool { return within(name, b.pkg) })
	if i < 0 {
		return border{}, false
	}
	return borders[i], true
}

func (b border) forbids(name, imported string) string {
	if own, is := strings.CutPrefix(imported, module+"/"); is {
		if own == name || slices.ContainsFunc(b.may, func(m string) bool { return within(own, m) }) {
			return ""
		}
		return "not one of the packages that it may import"
	}
	if i := slices.IndexFunc(b.never, func(n string) bool { return imported == n || strings.Contains(n, ".") && within(imported, n) }); i >= 0 {
		return "never " + b.never[i]
	}
	return ""
}

func within(name, folder string) bool {
	return name == folder || strings.HasPrefix(name, folder+"/")
}

func packages(t *testing.T) []goPackage {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports,TestImports,XTestImports", "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	var all []goPackage
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	if len(all) < 10 {
		t.Fatalf("only %d packages found", len(all))
	}
	return all
}
