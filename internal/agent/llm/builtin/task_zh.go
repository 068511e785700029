package builtin

import (
	"strings"
)

const (
	termChinese  = `(` + quoted + `|[^"“”「」『』‘’，,\s]+?)`
	allChinese   = `(?:(?:所有|全部)的?(?:文件(?:里|中)的?)?\s*)?`
	kindsChinese = `(?:(?:函数|方法|类型|结构体|接口|类|变量|常量|字段|标识符|名称|单词|文本|字符串|包|模块)\s*)?`
	verbsChinese = `(改名为|改名成|重命名为|重命名成|更名为|替换为|替换成|换成|换为|改为|改成|变为|变成)`
)

var (
	renameChinese  = lazily(`^(把|将)?\s*` + allChinese + kindsChinese + termChinese + `\s*(?:都|全部)?` + verbsChinese + `\s*` + termChinese + `$`)
	renameChinese2 = lazily(`^(重命名|改名|替换|修改)\s*` + kindsChinese + termChinese + `\s*(?:为|成|到|->|=>|→)\s*` + termChinese + `$`)
	useChinese     = lazily(`^用\s*` + termChinese + `\s*(?:来)?(替换|代替|取代)\s*` + allChinese + kindsChinese + termChinese + `$`)
	withinChinese  = lazily(`^(?:只)?在\s*(` + quoted + `|[^\s，,把将]+?)\s*(?:文件夹|目录|文件)?(?:里面|里|中|内|下面|下)?\s*[，,]?\s*((?:把|将|用|重命名|改名|替换).+)$`)
	insideChinese  = lazily(`^((?:把|将)\s*)(` + quoted + `|[^\s，,]+?)\s*(?:文件夹|目录|文件)?(?:里面|里|中|内|下面|下)的\s*(.+)$`)
	skipChinese    = lazily(`[，,；;\s]*(?:但是?)?(?:跳过|忽略|排除|除了|不包括|不要(?:修改|改动?|动)|不动|不改)\s*(.+?)(?:以外|之外)?$`)
	clauseChinese  = lazily(`\s*[，,；;]\s*(?:并且?|同时|然后|再|而且|以及)?\s*`)
)

// readChinese takes a sentence that names changes, and where and where not.
func (t *task) readChinese(line string) bool {
	if m := skipChinese().FindStringSubmatchIndex(mask(line)); m != nil && m[0] > 0 {
		skip, ok := pathList(line[m[2]:m[3]])
		if !ok {
			return false
		}
		t.skip, line = append(t.skip, skip...), line[:m[0]]
	}
	if m := withinChinese().FindStringSubmatch(line); m != nil {
		only, ok := pathList(m[1])
		if !ok {
			return false
		}
		t.only, line = append(t.only, only...), m[2]
	}
	for i, clause := range clauses(line) {
		if i > 0 && t.readOnlyChinese(clause) {
			continue
		}
		if !t.readChange(clause, i == 0) {
			return false
		}
	}
	return true
}

// clauses splits a sentence at its commas, but not inside quotes.
func clauses(line string) []string {
	var out []string
	from := 0
	for _, at := range clauseChinese().FindAllStringIndex(mask(line), -1) {
		out = append(out, trimSentence(line[from:at[0]]))
		from = at[1]
	}
	return append(out, trimSentence(line[from:]))
}

func (t *task) readOnlyChinese(clause string) bool {
	m := onlyZh().FindStringSubmatch(clause)
	if m == nil {
		return false
	}
	only, ok := pathList(m[1])
	t.only = append(t.only, only...)
	return ok
}

// readChange takes one change. The first one of a sentence has to say plainly
// that something is to be done; later ones may leave that out.
func (t *task) readChange(clause string, first bool) bool {
	if m := insideChinese().FindStringSubmatch(clause); m != nil {
		if only, ok := pathList(m[2]); ok {
			t.only, clause = append(t.only, only...), m[1]+m[3]
		}
	}
	if m := renameChinese().FindStringSubmatch(clause); m != nil {
		named := strings.Contains(m[3], "名")
		if first && m[1] == "" && !named {
			return false
		}
		return t.add(m[2], m[4], named || !strings.Contains(m[3], "换") && isIdentifier(unquote(m[2])))
	}
	if m := renameChinese2().FindStringSubmatch(clause); m != nil {
		return t.add(m[2], m[3], strings.Contains(m[1], "名") || m[1] == "修改" && isIdentifier(unquote(m[2])))
	}
	if m := useChinese().FindStringSubmatch(clause); m != nil {
		return t.add(m[3], m[1], false)
	}
	return false
}
