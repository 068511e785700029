package mask

import (
	"regexp"
	"strings"
)

var (
	keyBegin = regexp.MustCompile(`-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----`)
	keyEnd   = regexp.MustCompile(`-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----`)
	// within is what of a key stands in the line of its beginning, as in a
	// string with \n in it.
	within = regexp.MustCompile(`^[A-Za-z0-9+/=\\]{16,}`)
	// content is a line of a key, behind what a tool may put in front of it: a
	// number, the name of a file.
	content = regexp.MustCompile(`[A-Za-z0-9+/=]+[ \t\r]*$`)
	header  = regexp.MustCompile(`(?:Proc-Type|DEK-Info|Version|Comment): .*$`)
)

const (
	keyName = "private key"
	// shortLine is the least length of a line that is taken for a key's though
	// its beginning is not there.
	shortLine = 40
)

// privateKeys masks the lines of keys in PEM, whole or cut off at either end.
// inside tells whether a key goes on with the first line, and then whether one
// goes on behind the last.
func privateKeys(lines []string, inside bool) bool {
	for i, line := range lines {
		if !inside && !strings.Contains(line, "PRIVATE KEY") {
			continue
		}
		if at := keyBegin.FindStringIndex(line); at != nil {
			lines[i], inside = beginning(line, at[1])
			continue
		}
		if keyEnd.MatchString(line) {
			if !inside {
				backwards(lines[:i])
			}
			inside = false
			continue
		}
		if inside {
			lines[i], inside = inner(line, 1)
		}
	}
	return inside
}

// beginning masks what of a key stands in the line where it begins, and tells
// whether it goes on.
func beginning(line string, from int) (string, bool) {
	rest := line[from:]
	if at := keyEnd.FindStringIndex(rest); at != nil {
		return line[:from] + mark(keyName) + rest[at[0]:], false
	}
	if strings.TrimSpace(rest) == "" {
		return line, true
	}
	if at := within.FindStringIndex(rest); at != nil {
		return line[:from] + mark(keyName) + rest[at[1]:], false
	}
	return line, false
}

// backwards masks the lines in front of an end.
func backwards(lines []string) {
	for i := len(lines) - 1; i >= 0; i-- {
		least := shortLine
		if i == len(lines)-1 {
			least = 1 // the last line of a key is as long as it happens to be
		}
		masked, is := inner(lines[i], least)
		if !is || strings.Contains(lines[i], opening) {
			return
		}
		lines[i] = masked
	}
}

// inner masks a line of a key with at least so many characters of it, and tells
// whether it is one.
func inner(line string, least int) (string, bool) {
	bare := strings.TrimRight(line, "\n")
	end := line[len(bare):]
	if strings.TrimSpace(bare) == "" {
		return line, true
	}
	if header.MatchString(bare) {
		return line, true
	}
	at := content.FindStringIndex(bare)
	if at == nil || at[1]-at[0] < least {
		return line, false
	}
	return bare[:at[0]] + mark(keyName) + end, true
}
