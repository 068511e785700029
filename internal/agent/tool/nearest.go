package tool

import (
	"fmt"
	"strings"
)

// How far nearest looks, so that a huge file can't make an error slow.
const (
	maxCompared = 20_000 // lines
	maxQuoted   = 300    // bytes
	leastAlike  = 0.5    // of 1
)

// nearest says where the file comes closest to a text that was not found.
func nearest(text, old string) string {
	lines := strings.Split(text, "\n")
	if n := ignoringBlanks(lines, strings.Split(strings.Trim(old, "\r\n"), "\n")); n > 0 {
		but := "blanks or indentation"
		if strings.Contains(text, "\r\n") && !onlyCRLF(text) {
			but = "blanks, indentation or line ends (CR LF at some lines of this file, LF at others)"
		}
		return fmt.Sprintf("It would match at line %d but for %s. That line is exactly:\n%s", n, but, quoteLine(lines[n-1]))
	}
	wanted := ""
	for line := range strings.SplitSeq(old, "\n") {
		if wanted = strings.TrimSpace(line); wanted != "" {
			break
		}
	}
	best, at := leastAlike, 0
	for i, line := range lines[:min(len(lines), maxCompared)] {
		if s := similarity(wanted, strings.TrimSpace(line)); s > best {
			best, at = s, i+1
		}
	}
	if at == 0 {
		return "No line comes near it. Read the file again."
	}
	return fmt.Sprintf("The line nearest to its first one is line %d:\n%s", at, quoteLine(lines[at-1]))
}

// ignoringBlanks finds the wanted lines one after the other, compared without
// the blanks around them. It returns the number of the first, or 0.
func ignoringBlanks(lines, wanted []string) int {
	trimmed := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	for i := range min(len(lines)-len(wanted)+1, maxCompared) {
		same := true
		for j, w := range wanted {
			if trimmed(lines[i+j]) != trimmed(w) {
				same = false
				break
			}
		}
		if same {
			return i + 1
		}
	}
	return 0
}

func quoteLine(line string) string {
	line = strings.TrimSuffix(line, "\r")
	cut, _ := cutText(line, maxQuoted)
	return cut
}

// similarity is the Dice coefficient over pairs of bytes: 1 for the same text,
// 0 for nothing in common.
func similarity(a, b string) float64 {
	if len(a) < 2 || len(b) < 2 {
		return 0
	}
	a, b = a[:min(len(a), maxQuoted)], b[:min(len(b), maxQuoted)]
	pairs := make(map[[2]byte]int, len(a))
	for i := range len(a) - 1 {
		pairs[[2]byte{a[i], a[i+1]}]++
	}
	common := 0
	for i := range len(b) - 1 {
		p := [2]byte{b[i], b[i+1]}
		if pairs[p] > 0 {
			pairs[p]--
			common++
		}
	}
	return 2 * float64(common) / float64(len(a)+len(b)-2)
}
