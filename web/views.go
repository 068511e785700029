package web

import (
	"context"
	"fmt"
	"html"
	"io"

	"countersign/internal/review"

	"github.com/a-h/templ"
)

// views are the pages that the gate itself shows, apart from those behind it.
type views struct {
	// fault is the page for an error. person has no id if nobody is signed in.
	fault func(person review.Person, status int, message, request string) templ.Component
	// signIn is the form that takes an API token. message says why the person
	// is here, and may be empty; next is where they were going.
	signIn func(message, next string) templ.Component
	// join asks somebody who was invited for their name.
	join func(secret, name, message string) templ.Component
}

// plainViews are pages without any looks, for a server that is given no others.
var plainViews = views{
	fault: func(_ review.Person, status int, message, request string) templ.Component {
		return plain(fmt.Sprintf("Error %d", status), message, fmt.Sprintf(`<p>Request <code>%s</code></p>`, request))
	},
	signIn: func(message, next string) templ.Component {
		return plain("Sign in", message, fmt.Sprintf(`<form method="post" action="/sign-in"><input type="hidden" name="next" value="%s">
<label>Token <input name="token" type="password" autocomplete="current-password" required></label><button>Sign in</button></form>`, html.EscapeString(next)))
	},
	join: func(secret, name, message string) templ.Component {
		return plain("Join", message, fmt.Sprintf(`<form method="post" action="/join"><input type="hidden" name="link" value="%s">
<label>Your name <input name="name" value="%s" required></label><button>Join</button></form>`, html.EscapeString(secret), html.EscapeString(name)))
	},
}

func plain(title, message, body string) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		_, err := fmt.Fprintf(w, `<!doctype html><html lang="en"><meta charset="utf-8"><title>%s</title><h1>%s</h1><p>%s</p>%s</html>`,
			title, title, html.EscapeString(message), body)
		return err
	})
}
