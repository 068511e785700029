package markdown

import (
	"html"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"
)

// Lexers are regular expressions that go back and forth: the one for C takes
// 46 seconds for 15,000 empty lines, and what it does between two tokens can't
// be stopped. Within these bounds the slowest of twenty needed half a second
// of processor time for the worst input found.
const (
	maxColored = 3 << 10 // bytes of one block of code; a text gets twice that in all
	maxLine    = 200     // bytes of its longest line
	maxEmpty   = 20      // empty lines in a row
	// patience is a last resort, between tokens. It is long, so that the same
	// code looks the same on a busy machine.
	patience = 2 * time.Second
)

const colored = "colored"

// allot marks the blocks of code that will be coloured.
func allot(root ast.Node, source []byte) {
	left := 2 * maxColored
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if n.Type() == ast.TypeInline {
			return ast.WalkSkipChildren, nil
		}
		if b, ok := n.(*ast.FencedCodeBlock); ok && entering && b.Language(source) != nil {
			if text := lines(b, source); len(text) <= left && moderate(text) {
				left -= len(text)
				n.SetAttributeString(colored, true)
			}
		}
		return ast.WalkContinue, nil
	})
}

// moderate tells whether code is within the bounds.
func moderate(text string) bool {
	empty := 0
	for line := range strings.Lines(text) {
		empty++
		if strings.TrimSpace(line) != "" {
			empty = 0
		}
		if len(line) > maxLine || empty > maxEmpty {
			return false
		}
	}
	return len(text) <= maxColored
}

func fenced(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		b := n.(*ast.FencedCodeBlock)
		_, color := b.AttributeString(colored)
		code(w, lines(b, source), strings.ToLower(string(b.Language(source))), color)
	}
	return ast.WalkContinue, nil
}

func indented(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		code(w, lines(n, source), "", false)
	}
	return ast.WalkContinue, nil
}

var languageName = regexp.MustCompile(`^[a-z0-9][a-z0-9+#._-]{0,30}$`)

// code writes a block of code, coloured where its language is known. The
// keyboard can reach it, since long lines are scrolled to.
func code(w util.BufWriter, text, language string, color bool) {
	_, _ = w.WriteString(`<pre class="chroma" tabindex="0"><code`)
	if languageName.MatchString(language) {
		_, _ = w.WriteString(` class="language-` + language + `"`)
	}
	_, _ = w.WriteString(">")
	out, ok := "", false
	if color {
		out, ok = highlight(text, language)
	}
	if !ok {
		out = html.EscapeString(text)
	}
	_, _ = w.WriteString(out + "</code></pre>\n")
}

// highlight colours code by chroma's classes. It says no for a language that
// it does not know, and for code that its lexer can't cope with.
func highlight(text, language string) (out string, ok bool) {
	lexer := byLanguage()[language]
	if lexer == nil {
		return "", false
	}
	defer func() {
		if recover() != nil { // a lexer that meets a state which it does not have
			out, ok = "", false
		}
	}()
	tokens, err := chroma.Coalesce(lexer).Tokenise(nil, text)
	if err != nil {
		return "", false
	}
	var b, seen strings.Builder
	start := time.Now()
	for token := tokens(); token != chroma.EOF; token = tokens() {
		if time.Since(start) > patience {
			return "", false
		}
		seen.WriteString(token.Value)
		value := html.EscapeString(token.Value)
		if class := class(token.Type); class != "" {
			value = `<span class="` + class + `">` + value + "</span>"
		}
		b.WriteString(value)
	}
	// What is shown must be what is there, whatever a lexer makes of it. Some
	// end the text with a line end of their own.
	return b.String(), strings.TrimRight(seen.String(), "\n") == strings.TrimRight(text, "\n")
}

// class is the class of a kind of token, or "" for those without a colour.
func class(t chroma.TokenType) string {
	for _, t := range []chroma.TokenType{t, t.SubCategory(), t.Category()} {
		if class, ok := chroma.StandardTypes[t]; ok {
			switch class {
			case "n", "p", "w", "x", "g", "l", "err":
				return ""
			}
			return class
		}
	}
	return ""
}

// byLanguage finds lexers by what people write behind a fence: a name, an
// alias, or the ending of a file's name.
var byLanguage = sync.OnceValue(func() map[string]chroma.Lexer {
	m := map[string]chroma.Lexer{}
	all := lexers.GlobalLexerRegistry.Lexers
	for _, lexer := range all {
		for _, pattern := range lexer.Config().Filenames {
			if ending, ok := strings.CutPrefix(pattern, "*."); ok && m[ending] == nil {
				m[ending] = lexer
			}
		}
	}
	for _, lexer := range all {
		for _, name := range append(lexer.Config().Aliases, lexer.Config().Name) {
			m[strings.ToLower(name)] = lexer
		}
	}
	return m
})
