package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of what is told to the model of one tool, in bytes.
const (
	maxName        = 64 // what model APIs take
	maxDescription = 1024
	maxSchema      = 16 << 10
	maxSchemas     = 256 << 10 // of all tools together
)

// offeredName is the name under which the model knows a tool of a server. What
// model APIs don't take becomes an underscore; a name that is too long is cut,
// and ends in a piece of the hash of the whole, so that two don't become one.
func offeredName(server, tool string) string {
	name := server + "__" + strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return r
		}
		return '_'
	}, tool)
	if len(name) <= maxName {
		return name
	}
	hash := sha256.Sum256([]byte(tool))
	return name[:maxName-9] + "_" + hex.EncodeToString(hash[:4])
}

// plain is a text of a server's as far as it is let through to the model and
// to pages: up to a number of bytes, without what can't be seen.
func plain(text string, most int) string {
	if len(text) > most {
		cut := most
		for cut > 0 && !utf8.RuneStart(text[cut]) {
			cut--
		}
		text = text[:cut] + "…"
	}
	return strings.TrimSpace(visible(text))
}

// visible takes out control and format characters, which could say something
// to a model that people don't see, but leaves lines and tabs.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == utf8.RuneError, unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs):
			return -1
		default:
			return r
		}
	}, text)
}

// oneLine is plain, in one line.
func oneLine(text string, most int) string {
	return strings.Join(strings.Fields(plain(text, most)), " ")
}
