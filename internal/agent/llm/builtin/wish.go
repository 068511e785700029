package builtin

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// wish is what a sentence of a comment asks for, as far as it is one of the
// few things that this planner can do: leaving things out.
type wish struct {
	skip  []string // leave out what these patterns match
	only  []string // leave out what none of these matches
	steps []int    // leave out these steps
	lines []int    // leave out these lines: of the files that in matches, else of the step that the comment is on
	in    []string
	this  bool // leave out what the comment is on
	noted bool // asks for nothing: "ok", "thanks"
}

func (w wish) empty() bool {
	return len(w.skip)+len(w.only)+len(w.steps)+len(w.lines) == 0 && !w.this && !w.noted
}

const (
	leave = `(?:skip|exclude|ignore|omit|drop|remove|delete|leave\s+out|leave\s+alone|without|except(?:\s+for)?(?:\s+in)?|not\s+in|not|avoid|(?:do\s+not|don[’']t|never)\s+(?:touch|change|modify|edit|rename|replace|include|do)|(?:keep|stay)\s+out\s+of)`
	want  = `(?:(?:and|also)\s+)?(?:(?:you\s+(?:can|should|must|may)|we\s+(?:can|should|must)|let[’']s|i(?:[’']d|\s+would)?\s+(?:like\s+you\s+to|like\s+to|want\s+you\s+to|prefer\s+to|want\s+to))\s+)?`
)

var (
	negated   = lazily(`(?i)(?:\b(?:do\s+not|don[’']t|never|no\s+need\s+to|why)\s+(?:you\s+)?(?:skip|exclude|ignore|omit|drop|remove|delete|leave)\b|不要(?:跳过|忽略|排除|删)|别(?:跳过|忽略|排除|删))`)
	leaveOut  = lazily(`(?i)^` + want + leave + `\s+(.+)$`)
	leaveX    = lazily(`(?i)^` + want + `(?:leave|keep)\s+(.+?)\s+(?:alone|out|untouched|unchanged|as\s+(?:it|they)\s+(?:is|are)|as\s+is|as-is)$`)
	mustStay  = lazily(`(?i)^(.+?)\s+(?:should|must|can|is\s+to|are\s+to|has\s+to|have\s+to)\s+(?:be\s+(?:skipped|excluded|ignored|omitted|left\s+(?:out|alone))|stay(?:\s+(?:out|as\s+(?:it|they)\s+(?:is|are)))?|remain\s+(?:unchanged|as\s+(?:it|they)\s+(?:is|are))|not\s+be\s+(?:touched|changed|modified|edited|renamed|included))$`)
	butNotIn  = lazily(`(?i)^.*[\s,;]but\s+not\s+(?:in\s+)?(.+)$`)
	onlyIn    = lazily(`(?i)^` + want + `(?:only|just)\s+(?:(?:change|touch|rename|replace|edit|do|take|in)\s+)*(.+)$`)
	leaveZh   = lazily(`^(?:跳过|略过|忽略|排除|去掉|删除|删掉|移除|不包括|先?(?:不要|不用|无需|不需要|不必|请勿|别)(?:再)?(?:修改|改动|更改|改|动|碰|处理|包含)|不改动?|不要|不需要|除了)\s*(.+?)\s*(?:吧|就行|以外|之外)?$`)
	leaveZhX  = lazily(`^(?:把|将)?\s*(.+?)\s*(?:就?(?:不要|不用|无需|不需要|不必|别)(?:再)?(?:修改|改动|更改|改|动|碰|处理)|就?不改|就?不要|不需要|保持(?:不变|原样)|跳过|排除|去掉)(?:吧|就行|了)?$`)
	onlyZh    = lazily(`^(?:只|仅)(?:需要?)?(?:修改|改动|更改|改|处理|在)?\s*(.+?)\s*(?:就行|即可|里改|中改)?$`)
	thisOne   = lazily(`(?i)^(?:(?:all\s+of\s+)?(?:this|that)(?:\s+(?:whole\s+)?(?:step|one|file|change|part|line|place))?|it|the\s+(?:whole\s+)?(?:step|file)|这一?(?:步骤?|个(?:步骤|文件)?|里|行|处)|此(?:步骤?|文件|处|行)|它|本步骤?)$`)
	stepList  = lazily(`(?i)^(?:steps?\s*((?:\d+|[,\s&、和]|and|to|-|–)+)|第\s*([\d、,，和\s]+)\s*步)$`)
	lineList  = lazily(`(?i)^(?:lines?\s*((?:\d+|[,\s&、和]|and|to|-|–)+)|第\s*([\d、,，和\s]+)\s*行)$`)
	linesOf   = lazily(`(?i)^lines?\s*((?:\d+|[,\s&、和]|and|to|-|–)+?)\s+(?:of|in|from)\s+(.+)$`)
	fileLine  = lazily(`(?i)^(.+?)(?:[\s,:]+lines?\s*|:)(\d+(?:(?:[,\s&、和]|and|to|-|–)+\d+)*)$`)
	linesOfZh = lazily(`^(.+?)\s*(?:文件)?(?:中|里|里面)?的?\s*第\s*(\d[\d、,，和\s]*)\s*行$`)
	courtesy  = lazily(`(?i)\s*,?\s+(?:please|thanks|thank\s+you|for\s+now)$`)
	agreement = lazily(`(?i)^(?:ok(?:ay)?|thanks?(?:\s+you)?|thx|lgtm|looks?\s+good(?:\s+to\s+me)?|agreed?|yes|yep|good|great|fine|nice|\+1|👍|好的?|可以|同意|谢谢|没问题)$`)
)

// readWish reads one sentence. known tells whether a bare word, like
// "vendor", is the name of something in the plan; with nil every word that
// looks like a path is taken. A reason behind the wish is left aside, unless it
// takes a part of the wish back.
func readWish(sentence string, known func(string) bool) wish {
	w := readWhole(sentence, known)
	for _, at := range slices.Backward(reasons().FindAllStringIndex(mask(sentence), -1)) {
		if !w.empty() || condition().MatchString(strings.TrimSpace(sentence[at[1]:])) {
			break
		}
		w = readWhole(sentence[:at[0]], known)
		w.noted = false // what follows is more than agreement
	}
	return w
}

func readWhole(sentence string, known func(string) bool) wish {
	s := trimSentence(courtesy().ReplaceAllString(trimSentence(politely(sentence)), ""))
	switch {
	case agreement().MatchString(s):
		return wish{noted: true}
	case negated().MatchString(mask(s)):
		return wish{}
	}
	for _, re := range []*regexp.Regexp{leaveX(), leaveOut(), leaveZh(), leaveZhX(), mustStay(), butNotIn()} {
		if m := re.FindStringSubmatch(s); m != nil {
			if w := readObject(m[1], known); !w.empty() {
				return w
			}
		}
	}
	for _, re := range []*regexp.Regexp{onlyIn(), onlyZh()} {
		if m := re.FindStringSubmatch(s); m != nil {
			if list, ok := pathsIn(m[1], known); ok {
				return wish{only: list}
			}
		}
	}
	return wish{}
}

var (
	reasons   = lazily(`(?i)\s*[,;，；]\s*|\s+[-–—]+\s+|\s*[(（]|\s+(?:because|since|as|it|they|that|this|we|i)\s+|因为|由于`)
	condition = lazily(`(?i)^(?:but|only|except|unless|if|when|not|apart|other|but|however|除了|除非|如果|但)`)
)

// readObject reads what is to be left out.
func readObject(s string, known func(string) bool) wish {
	s = strings.TrimSpace(s)
	if thisOne().MatchString(s) {
		return wish{this: true}
	}
	if m := stepList().FindStringSubmatch(s); m != nil {
		return wish{steps: numbers(m[1] + m[2])}
	}
	if m := lineList().FindStringSubmatch(s); m != nil {
		return wish{lines: numbers(m[1] + m[2])}
	}
	for _, form := range []struct {
		*regexp.Regexp
		path, lines int
	}{{linesOf(), 2, 1}, {fileLine(), 1, 2}, {linesOfZh(), 1, 2}} {
		if m := form.FindStringSubmatch(s); m != nil {
			w := wish{lines: numbers(m[form.lines])}
			if thisOne().MatchString(m[form.path]) {
				return w
			}
			ok := false
			if w.in, ok = pathsIn(m[form.path], known); !ok {
				return wish{}
			}
			return w
		}
	}
	if list, ok := pathsIn(s, known); ok {
		return wish{skip: list}
	}
	return wish{}
}

var numberOrRange = lazily(`(\d+)(?:\s*(?:-|–|to)\s*(\d+))?`)

// numbers reads "2, 4-6 and 9".
func numbers(s string) []int {
	var out []int
	for _, m := range numberOrRange().FindAllStringSubmatch(s, -1) {
		from, err := strconv.Atoi(m[1])
		to, err2 := strconv.Atoi(m[2])
		if err2 != nil {
			to = from
		}
		if err == nil && to-from < 10_000 {
			for n := from; n <= to; n++ {
				out = append(out, n)
			}
		}
	}
	return out
}

var (
	braces        = lazily(`\{[^}]*\}`)
	listSeparator = lazily(`(?i)\s*(?:,|;|，|；|、|\s+and\s+|\s+or\s+|\s+nor\s+|\s*[和或及与]\s*|&)\s*`)
	beforePath    = lazily(`(?i)^(?:(?:the|all|any|every|in|of|from|under|inside|for|also|anything|everything|whatever\s+is|files?|folders?|director(?:y|ies)|changes?|matches|package|path|step|steps)\s+|所有的?|全部的?)+`)
	behindPath    = lazily(`(?i)(?:\s+(?:folders?|director(?:y|ies)|dirs?|files?|packages?|altogether|entirely|completely|for\s+now|please|here|too|as\s+well|at\s+all|instead)|\s*(?:文件夹|目录|文件|下面的?(?:文件|内容)?|里的?(?:文件|内容)?|下的?(?:文件|内容)?|中的?(?:文件|内容)?))+$`)
)

// pathList reads a list of paths, folders and globs. It says no if anything in
// it does not look like one.
func pathList(s string) ([]string, bool) { return pathsIn(s, nil) }

func pathsIn(s string, known func(string) bool) ([]string, bool) {
	s = behindPath().ReplaceAllString(strings.TrimSpace(s), "")
	s = strings.TrimRight(trimSentence(s), "?？")
	var out []string
	for _, one := range splitList(s) {
		one = beforePath().ReplaceAllString(strings.TrimSpace(one), "")
		one = strings.TrimSpace(behindPath().ReplaceAllString(one, ""))
		found, ok := pathTerm(one, known)
		if !ok {
			return nil, false
		}
		out = append(out, found...)
	}
	return out, len(out) > 0
}

// splitList splits at commas and "and", but not inside quotes or braces.
func splitList(s string) []string {
	masked := mask(s)
	masked = braces().ReplaceAllStringFunc(masked, func(b string) string { return strings.Repeat("x", len(b)) })
	var out []string
	from := 0
	for _, at := range listSeparator().FindAllStringIndex(masked, -1) {
		out = append(out, s[from:at[0]])
		from = at[1]
	}
	out = append(out, s[from:])
	return slices.DeleteFunc(out, func(s string) bool { return strings.TrimSpace(s) == "" })
}

var languages = map[string][]string{
	"go": {"*.go"}, "golang": {"*.go"}, "python": {"*.py"}, "javascript": {"*.js", "*.jsx", "*.mjs"},
	"typescript": {"*.ts", "*.tsx"}, "markdown": {"*.md"}, "rust": {"*.rs"}, "java": {"*.java"},
	"html": {"*.html"}, "css": {"*.css"}, "json": {"*.json"}, "yaml": {"*.yaml", "*.yml"},
	"test": testPatterns, "tests": testPatterns, "测试": testPatterns,
}

// pathTerm makes patterns of one word. A word in quotes is taken as it is.
func pathTerm(s string, known func(string) bool) ([]string, bool) {
	if bare := unquote(s); bare != s {
		return []string{cleanPattern(bare)}, strings.TrimSpace(bare) != ""
	}
	if list, ok := languages[strings.ToLower(s)]; ok {
		return list, true
	}
	switch {
	case s == "" || strings.ContainsAny(s, " \t\n\"“”"):
		return nil, false
	case strings.HasPrefix(s, ".") && !strings.ContainsAny(s, "/*") && len(s) > 1:
		return []string{"*" + s}, true // ".md" means what ends so
	case strings.ContainsAny(s, "/.*") && strings.ContainsFunc(s, joins) || s == "*":
		return []string{cleanPattern(s)}, true
	case known != nil && known(s), known == nil && isIdentifier(strings.ReplaceAll(s, "-", "")):
		return []string{s}, true
	}
	return nil, false
}

func cleanPattern(s string) string {
	return strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(s), "./"), "/")
}
