// Package lang is the languages that pages can be read in. A message is named
// by its English text, in the notation of fmt; the other languages have a
// catalogue of the same messages.
//
// Only pages are translated. The log, the API and what the agent reads are
// English, and stay as they were written.
package lang

import (
	"context"
	"sync"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
	"golang.org/x/text/message/catalog"
)

// Key is a message: its English text, with verbs of fmt where something is put
// in. A number in it is written as the language writes numbers, and one that
// needs a singular has it in the English catalogue.
type Key string

// Language is one that pages can be read in.
type Language struct {
	Code    string // as HTML and HTTP write it: "en", "zh-Hans"
	Name    string // in the language itself
	words   map[Key]string
	printer func() *message.Printer
}

// English is what is shown to whoever asks for a language that there isn't.
// Chinese is written with simplified characters.
var (
	English = newLanguage(language.English, "en", "English", nil)
	Chinese = newLanguage(language.SimplifiedChinese, "zh-Hans", "简体中文", chinese())
)

// All lists the languages, the default first.
func All() []*Language { return []*Language{English, Chinese} }

var matcher = language.NewMatcher([]language.Tag{language.English, language.SimplifiedChinese})

// Match finds the language for what somebody wants: each is a list in the form
// of the header Accept-Language, the most important first. What can't be read
// counts as no wish.
func Match(wanted ...string) *Language {
	_, i := language.MatchStrings(matcher, wanted...)
	return All()[i]
}

// ByCode returns the language with exactly this code, if there is one.
func ByCode(code string) (*Language, bool) {
	for _, l := range All() {
		if l.Code == code {
			return l, true
		}
	}
	return nil, false
}

type contextKey struct{}

// With returns a context in which Of finds the language.
func With(ctx context.Context, l *Language) context.Context {
	return context.WithValue(ctx, contextKey{}, l)
}

// Of returns the language of a context; English if it has none.
func Of(ctx context.Context) *Language {
	if l, ok := ctx.Value(contextKey{}).(*Language); ok {
		return l
	}
	return English
}

// newLanguage makes a language from its catalogue. Words are nil for English,
// whose messages are the keys; it has the singular of those that count.
func newLanguage(tag language.Tag, code, name string, words map[Key]string) *Language {
	l := &Language{Code: code, Name: name, words: words}
	l.printer = sync.OnceValue(func() *message.Printer { return newPrinter(tag, words) })
	return l
}

// newPrinter puts a catalogue together, which takes a while.
func newPrinter(tag language.Tag, words map[Key]string) *message.Printer {
	b := catalog.NewBuilder(catalog.Fallback(tag))
	set := func(key Key, messages ...catalog.Message) {
		if err := b.Set(tag, string(key), messages...); err != nil {
			panic("lang: " + string(key) + ": " + err.Error()) // a mistake in a catalogue
		}
	}
	for key, text := range words {
		set(key, catalog.String(text))
	}
	if words == nil {
		for key, one := range singular {
			set(key, plural.Selectf(1, "%d", "=1", one, "other", string(key)))
		}
	}
	return message.NewPrinter(tag, message.Catalog(b))
}

// Say returns a message in this language, with the arguments put in. One that
// the catalogue does not have comes in English.
func (l *Language) Say(key Key, args ...any) string {
	if len(args) > 0 {
		return l.printer().Sprintf(string(key), args...)
	}
	if text, ok := l.words[key]; ok {
		return text
	}
	return string(key)
}

// Say returns a message in the language of a context.
func Say(ctx context.Context, key Key, args ...any) string { return Of(ctx).Say(key, args...) }
