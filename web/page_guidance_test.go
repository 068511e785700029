package web

import (
	"strings"
	"testing"
)

// Where the prompt alone holds plan mode up, no page says that it is read-only.
func TestPages_P23_GuidanceIsNotCalledReadOnly(t *testing.T) {
	for _, guidance := range []bool{false, true} {
		r := newRig(t, func(c *Config) { c.Guidance = guidance })
		b := r.browse(r.owner)
		strict := []string{"read-only", "without changing anything"}
		for _, path := range []string{"/", "/new", "/sessions/" + r.begin() + "/plan", "/"} {
			b.open(path)
			found := false
			for _, w := range strict {
				found = found || strings.Contains(b.text("body"), w)
			}
			if found == guidance {
				t.Errorf("%s, guidance %v: says that nothing can be changed: %v", path, guidance, found)
			}
		}
		b.open("/sessions/" + r.begin() + "/plan")
		if locked := b.doc.Find("#mode svg").Length() > 0; locked == guidance || strings.Contains(b.text("#mode"), "guidance only") != guidance {
			t.Errorf("guidance %v: the chip says %q, locked %v", guidance, b.text("#mode"), locked)
		}
	}
}
