package templates

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	asked = regexp.MustCompile("\\bword\\((?:[^()`\"]*\\? )?\"([a-z-]+)\"")
	// begun are names of which a script puts the end on.
	begun = regexp.MustCompile("word\\(`([a-z]+-)\\$")
	text  = regexp.MustCompile(`(?:textContent|innerHTML|title|ariaLabel|placeholder) = ["'` + "`" + `][^"'$` + "`" + `]*[A-Za-z]{2}|\b(?:say|problem)\([^)]*["'` + "`" + `][A-Z]`)
)

// TestScripts_HaveTheirWords: what scripts ask for is there, nothing else is,
// and no script has a text of its own.
func TestScripts_HaveTheirWords(t *testing.T) {
	files, err := filepath.Glob("../static/js/*.js")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d scripts: %v", len(files), err)
	}
	all := ""
	for _, name := range files {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all += string(source)
		for _, own := range text.FindAllString(string(source), -1) {
			t.Errorf("%s has a text of its own: %s", name, own)
		}
	}
	for _, m := range asked.FindAllStringSubmatch(all, -1) {
		if _, ok := forScripts[m[1]]; !ok {
			t.Errorf("scripts ask for %q", m[1])
		}
	}
	for name := range forScripts {
		used := strings.Contains(all, `"`+name+`"`)
		for _, m := range begun.FindAllStringSubmatch(all, -1) {
			used = used || strings.HasPrefix(name, m[1])
		}
		if !used {
			t.Errorf("no script asks for %q", name)
		}
	}
}
