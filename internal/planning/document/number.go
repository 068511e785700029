package document

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// number is how a text numbers a step: "Step 2: ", "2. ", "第二步：".
type number struct {
	before  string // up to the numeral
	numeral string
	after   string // behind it, separator and spaces included
	title   string // what follows
	strict  bool   // a separator other than a space sets the number off
}

const (
	digits  = `\d{1,3}`
	chinese = `[〇一二三四五六七八九十百]{1,5}`
	words   = `one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve`
	// Symbols before the number: an emoji, a check mark.
	symbols = `^((?:[\p{So}\x{FE0F}\x{200D}]+\s*)?`
	mark    = `\s*[:：.．)）\]、,，–—-]+\s*`
)

// numberings are tried in order; each has the groups before, numeral, after.
var numberings = []*regexp.Regexp{
	// Step 2: …, Phase 2, Step 2 of 5 – …, STEP TWO. …
	regexp.MustCompile(symbols + `(?i:step|phase|stage|task|part|milestone)\s*#?\s*)` +
		`(` + digits + `(?:\.` + digits + `)*[a-z]?|(?i:` + words + `)|[IVX]{1,5})` +
		`((?:\s+of\s+\d+|\s*/\s*\d+|[-–]\d+)?(?:` + mark + `|\s+|$))`),
	// 第二步：…, 第 2 阶段
	regexp.MustCompile(symbols + `第\s*)(` + chinese + `|` + digits + `)(\s*(?:步骤|步驟|步|阶段|階段|部分|期)(?:` + mark + `|\s*))`),
	// 步骤 2, 步骤二：…
	regexp.MustCompile(symbols + `(?:步骤|步驟|阶段|階段|任务|任務)\s*)(` + digits + `)(` + mark + `|\s*)`),
	regexp.MustCompile(symbols + `(?:步骤|步驟|阶段|階段|任务|任務)\s*)(` + chinese + `)(` + mark + `|\s+|$)`),
	// 2. …, 2) …, 2、…, 2 – …, 2.1. …
	regexp.MustCompile(symbols + `)(` + digits + `(?:\.` + digits + `)*)(\s*[.)）:：](?:\s+|$)|\s*[、．：）]\s*|\s+[–—-]\s+)`),
	// (2) …, （二）…
	regexp.MustCompile(symbols + `[(（])(` + digits + `|` + chinese + `)([)）]\s*)`),
	// 二、…
	regexp.MustCompile(symbols + `)(` + chinese + `)([、．.]\s*)`),
	// 2️⃣ …, ② …
	regexp.MustCompile(`^()(\d)(\x{FE0F}?\x{20E3}\s*)`),
	regexp.MustCompile(`^()([①-⑳])(\s*)`),
}

// numberOf tells how a text, without its markup, numbers a step.
func numberOf(text string) (number, bool) {
	for _, re := range numberings {
		m := re.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		n := number{before: m[1], numeral: m[2], after: m[3], title: text[len(m[0]):]}
		if strings.TrimRight(n.after, " ") == "" && n.title != "" && n.title[0] >= '0' && n.title[0] <= '9' {
			continue // part of a longer numeral
		}
		n.strict = strings.TrimSpace(n.after) != ""
		return n, true
	}
	return number{}, false
}

// stripNumber takes the number of a step off its title, unless nothing would
// be left. With strict, "Phase 2 rollout" stays as it is and only "Phase 2:
// rollout" loses its number.
func stripNumber(title string, strict bool) string {
	n, ok := numberOf(title)
	if !ok || n.title == "" || strict && !n.strict {
		return title
	}
	return n.title
}

// prefix is the number as text that goes before a title. A number that stood
// alone gets a colon.
func (n number) prefix() string {
	if n.title != "" {
		return n.before + n.numeral + n.after
	}
	text := strings.TrimRight(n.before+n.numeral+n.after, " ")
	if last, _ := utf8.DecodeLastRuneInString(text); unicode.IsPunct(last) {
		return text + " "
	}
	if strings.ContainsFunc(text, eastAsian) {
		return text + "："
	}
	return text + ": "
}

// next is the number that follows, in the same style. A numeral that can't be
// counted on (a Roman one, say) stays.
func (n number) next() number {
	n.numeral = nextNumeral(n.numeral)
	return n
}

func nextNumeral(numeral string) string {
	head, last := "", numeral
	if i := strings.LastIndexByte(numeral, '.'); i >= 0 {
		head, last = numeral[:i+1], numeral[i+1:]
	}
	if v, err := strconv.Atoi(last); err == nil {
		return head + fmt.Sprintf("%0*d", len(last), v+1)
	}
	if v := fromChinese(numeral); v > 0 && v < 99 {
		return toChinese(v + 1)
	}
	if r := []rune(numeral); len(r) == 1 && r[0] >= '①' && r[0] < '⑳' {
		return string(r[0] + 1)
	}
	list := strings.Split(words, "|")
	if i := slices.Index(list, strings.ToLower(numeral)); i >= 0 && i+1 < len(list) {
		if numeral[0] >= 'a' {
			return list[i+1]
		}
		return strings.ToUpper(list[i+1][:1]) + list[i+1][1:]
	}
	return numeral
}

var chineseDigits = []string{"", "一", "二", "三", "四", "五", "六", "七", "八", "九"}

// toChinese writes 1 to 99.
func toChinese(v int) string {
	switch {
	case v < 10:
		return chineseDigits[v]
	case v < 20:
		return "十" + chineseDigits[v%10]
	}
	return chineseDigits[v/10] + "十" + chineseDigits[v%10]
}

// fromChinese reads 1 to 99 and returns 0 for anything else.
func fromChinese(s string) int {
	for v := 1; v < 100; v++ {
		if toChinese(v) == s {
			return v
		}
	}
	return 0
}
