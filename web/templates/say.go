package templates

import (
	"context"
	"fmt"
	"html"
	"io"
	"strings"
	"time"

	"countersign/internal/review"
	"countersign/web/lang"

	"github.com/a-h/templ"
)

// tr is a message in the reader's language. What people or the agent wrote goes
// through visible before it is put in.
func tr(ctx context.Context, key lang.Key, args ...any) string { return lang.Say(ctx, key, args...) }

// rich is a message that has HTML in it, which the catalogue writes. A text that
// is put in is made visible and escaped; a component is rendered at its place.
func rich(key lang.Key, args ...any) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		safe := make([]any, len(args))
		for i, arg := range args {
			switch arg := arg.(type) {
			case int, int64:
				safe[i] = arg
			case templ.Component:
				var out strings.Builder
				if err := arg.Render(ctx, &out); err != nil {
					return err
				}
				safe[i] = strings.TrimSpace(out.String())
			default: // also a string by another name
				safe[i] = html.EscapeString(visible(fmt.Sprint(arg)))
			}
		}
		_, err := io.WriteString(w, tr(ctx, key, safe...))
		return err
	})
}

// date is a day as the language writes it: the catalogue has its layout.
func date(ctx context.Context, t time.Time) string { return t.Format(tr(ctx, "2 Jan 2006")) }

// logged is a sentence of ours as the log holds it, in English, or the words of
// somebody else, which stay as they are.
func logged(ctx context.Context, text string) string { return lang.Logged(ctx, text) }

func roleName(ctx context.Context, r review.Role) string { return tr(ctx, lang.Key(r)) }
