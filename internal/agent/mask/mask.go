// Package mask takes secrets out of text before it is recorded or sent to a
// model: keys of well-known shapes, assignments that clearly hold a secret,
// and values that the caller names.
//
// It works on one text at a time and in time that grows with its length. What
// it can't know is a secret that looks like any other word.
package mask

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// opening is how everything begins that stands in the place of a secret. It
// goes on with what was there and ends with "]".
const opening = "[masked: "

const ownSecret = "a secret of this server"

func mark(what string) string { return opening + what + "]" }

// Count returns how many times something stands in a text for a secret that was
// masked.
func Count(text string) (n int) {
	if !strings.Contains(text, opening) {
		return 0
	}
	names := []string{keyName, ownSecret}
	for _, s := range shapes() {
		if !slices.Contains(names, s.what) {
			names = append(names, s.what)
		}
	}
	for _, name := range names {
		n += strings.Count(text, mark(name))
	}
	return n
}

// shortest is the least length, in bytes, of a value that is masked wherever
// it stands. Shorter ones stand in other words.
const shortest = 8

// Masker knows some values besides the well-known shapes. A nil one knows none.
type Masker struct{ values *strings.Replacer }

// New makes a Masker for these values; those of under eight bytes are left out.
func New(values ...string) *Masker {
	values = slices.DeleteFunc(slices.Clone(values), func(v string) bool { return len(v) < shortest })
	slices.SortFunc(values, func(a, b string) int { return cmp.Compare(len(b), len(a)) }) // one can hold another
	var pairs []string
	for _, v := range values {
		pairs = append(pairs, v, mark(ownSecret))
	}
	return &Masker{strings.NewReplacer(pairs...)}
}

// Text returns the text without its secrets. It keeps the number of lines.
func (m *Masker) Text(text string) string {
	text, _ = m.text(text, false)
	return text
}

// text is Text for a part of a longer one; inside tells whether a private key
// goes on where the part begins, and then where it ends.
func (m *Masker) text(text string, inside bool) (string, bool) {
	if m != nil {
		text = m.values.Replace(text)
	}
	lines := strings.SplitAfter(text, "\n")
	inside = privateKeys(lines, inside)
	for i, line := range lines {
		lines[i] = masked(line)
	}
	return strings.Join(lines, ""), inside
}

// masked returns a line without its secrets. No shape but a private key's goes
// over more than one.
func masked(line string) string {
	lower := strings.ToLower(line)
	for _, s := range shapes() {
		if s.near(line, lower) {
			line = s.mask(line)
		}
	}
	return line
}

// shape is one form of a secret. The group of its pattern that is named v, or
// else all of it, is replaced where sure says yes.
type shape struct {
	what    string
	hints   []string // one of them stands in every match
	fold    bool     // in any case
	pattern *regexp.Regexp
	sure    func(v string) bool
}

func (s shape) near(text, lower string) bool {
	if s.fold {
		text = lower
	}
	return slices.ContainsFunc(s.hints, func(h string) bool { return strings.Contains(text, h) })
}

func (s shape) mask(text string) string {
	group := max(s.pattern.SubexpIndex("v"), 0)
	var b strings.Builder
	from := 0
	for _, at := range s.pattern.FindAllStringSubmatchIndex(text, -1) {
		start, end := at[2*group], at[2*group+1]
		if start < 0 || s.sure != nil && !s.sure(text[start:end]) {
			continue
		}
		b.WriteString(text[from:start])
		b.WriteString(mark(s.what))
		from = end
	}
	if from == 0 {
		return text
	}
	b.WriteString(text[from:])
	return b.String()
}

const (
	secretWord = `(?:passw(?:or)?d|passphrase|secret|api[_-]?key|access[_-]?key|private[_-]?key|` +
		`(?:auth|access|refresh|api|bot|github|gitlab|slack)[_-]?token)(?:[_-]?(?:key|base|value|token|[0-9]))*`
	assigned = `["']?[ \t]{0,4}(?::=|=>|=|:)[ \t]{0,4}`
)

// shapes are made at the first use: the program starts itself for each command
// that it contains.
var shapes = sync.OnceValue(func() []shape {
	return []shape{
		{"key of a model's provider", []string{"sk-"}, false, regexp.MustCompile(`\bsk-[A-Za-z0-9_-]{20,}`), longRun},
		{"GitHub token", []string{"gh", "github_pat_"}, false, regexp.MustCompile(`gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{22,}`), nil},
		{"GitLab token", []string{"glpat-"}, false, regexp.MustCompile(`glpat-[A-Za-z0-9_-]{20,}`), nil},
		{"Slack token", []string{"xox", "xapp-"}, false, regexp.MustCompile(`(?:xox[abeoprs]|xapp)-[A-Za-z0-9-]{10,}`), digits},
		{"AWS key", []string{"AKIA", "ASIA"}, false, regexp.MustCompile(`\b(?:AKIA|ASIA)[A-Z0-9]{16}\b`), nil},
		{"Google key", []string{"AIza"}, false, regexp.MustCompile(`AIza[0-9A-Za-z_-]{35}`), nil},
		{"JSON web token", []string{"eyJ"}, false, regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}`), nil},
		{"AWS secret", []string{"aws"}, true, regexp.MustCompile(`(?i)aws_?secret_?(?:access_?)?key` + assigned + `["']?(?P<v>[A-Za-z0-9/+]{40})\b`), nil},
		{"authorization", []string{"bearer", "authorization"}, true,
			regexp.MustCompile(`(?i)(?:bearer|authorization["']?[ \t]*[:=][ \t]*["']?(?:basic|token))[ \t]+(?P<v>[A-Za-z0-9._~+/=-]{8,})`), quoted},
		{"password", []string{"://"}, false, regexp.MustCompile(`[A-Za-z][A-Za-z0-9+.-]*://[^\s:/@"'\[\]]*:(?P<v>[^\s@/"'\[\]]{8,})@`), quoted},
		{"secret", words, true, regexp.MustCompile(`(?i)` + secretWord + assigned + `"(?P<v>[^"\s]{8,512})"`), quoted},
		{"secret", words, true, regexp.MustCompile(`(?i)` + secretWord + assigned + `'(?P<v>[^'\s]{8,512})'`), quoted},
		{"secret", words, true, regexp.MustCompile(`(?i)` + secretWord + assigned + `(?P<v>[^\s"'` + "`" + `,;(){}<>\[\]$]{10,512})`), bare},
	}
})

var words = []string{"passwd", "password", "passphrase", "secret", "key", "token"}

// stands are pieces of what only stands for a secret.
var stands = []string{"${", "$(", "{{", "%s", "%v", "://", "example", "placeholder", "changeme", "your", "xxxx", "****", "...", opening}

// quoted tells whether a value that stands where a secret would is one: it has
// letters and digits, and does not only name where the secret is.
func quoted(v string) bool {
	lower := strings.ToLower(v)
	if slices.ContainsFunc(stands, func(s string) bool { return strings.Contains(lower, s) }) || strings.HasPrefix(v, "/") || strings.HasPrefix(v, "./") {
		return false
	}
	return digits(v) && strings.ContainsFunc(v, letter) && different(v) >= 6 && utf8.ValidString(v)
}

// bare is quoted for a value without quotes, which in a program would be a
// name: those have no digits between their letters.
func bare(v string) bool {
	turns := 0
	for i := 1; i < len(v); i++ {
		if digit(rune(v[i])) != digit(rune(v[i-1])) {
			turns++
		}
	}
	return turns >= 3 && quoted(v)
}

// longRun tells a key from words with dashes between them.
func longRun(v string) bool {
	for part := range strings.FieldsFuncSeq(v, func(r rune) bool { return r == '-' || r == '_' }) {
		if len(part) >= 12 && digits(part) {
			return true
		}
	}
	return false
}

func digits(v string) bool { return strings.ContainsFunc(v, digit) }

func digit(r rune) bool { return '0' <= r && r <= '9' }

func letter(r rune) bool { return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' }

func different(v string) int {
	seen := map[rune]bool{}
	for _, r := range v {
		seen[r] = true
	}
	return len(seen)
}
