package templates

import (
	"context"
	"strings"
	"testing"

	"countersign/internal/planning"
)

// What is put into a message with HTML is text, also where its type is only
// another name for one.
func TestRich_EscapesWhateverIsPutIn(t *testing.T) {
	for _, arg := range []any{"<b>x</b>", planning.Status("<b>x</b>")} {
		var out strings.Builder
		if err := rich("%s", arg).Render(context.Background(), &out); err != nil || out.String() != "&lt;b&gt;x&lt;/b&gt;" {
			t.Errorf("%T: %q, %v", arg, out.String(), err)
		}
	}
}
