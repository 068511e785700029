package builtin

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseTask(t *testing.T) {
	one := func(old, new string, whole bool) []change { return []change{{old, new, whole}} }
	tests := map[string]task{
		"rename A to B": {changes: one("A", "B", true)},
		"Rename the function `ParseURL` to `Parse`.":              {changes: one("ParseURL", "Parse", true)},
		"please rename OldName to NewName!":                       {changes: one("OldName", "NewName", true)},
		"/plan rename A to B":                                     {changes: one("A", "B", true)},
		"rename A -> B":                                           {changes: one("A", "B", true)},
		"RENAME “old name” TO “new name”":                         {changes: one("old name", "new name", true)},
		"rename function to func":                                 {changes: one("function", "func", true)},
		"rename pkg.Old to pkg.New everywhere":                    {changes: one("pkg.Old", "pkg.New", true)},
		"rename A to B in *.go":                                   {changes: one("A", "B", true), only: []string{"*.go"}},
		"rename A to B in all Go files":                           {changes: one("A", "B", true), only: []string{"*.go"}},
		"rename A to B in all files":                              {changes: one("A", "B", true)},
		"rename A to B in the internal folder":                    {changes: one("A", "B", true), only: []string{"internal"}},
		"rename A to B in internal/db/ and cmd/web/main.go":       {changes: one("A", "B", true), only: []string{"internal/db/", "cmd/web/main.go"}},
		"rename A to B, but not in vendor/":                       {changes: one("A", "B", true), skip: []string{"vendor/"}},
		"rename A to B in *.go except vendor/ and testdata":       {changes: one("A", "B", true), only: []string{"*.go"}, skip: []string{"vendor/", "testdata"}},
		"rename A to B and C to D":                                {changes: []change{{"A", "B", true}, {"C", "D", true}}},
		"rename A to B, C to D, and E to F in *.go":               {changes: []change{{"A", "B", true}, {"C", "D", true}, {"E", "F", true}}, only: []string{"*.go"}},
		"rename A to B\n\nskip vendor/. Leave docs/old.md alone.": {changes: one("A", "B", true), skip: []string{"vendor/", "docs/old.md"}},
		"rename A to B\nand make it fast":                         {changes: one("A", "B", true), unread: []string{"and make it fast"}},
		`replace "teh" with "the"`:                                {changes: one("teh", "the", false)},
		`replace "a. b" by "c" in *.md`:                           {changes: one("a. b", "c", false), only: []string{"*.md"}},
		"replace 'it is' with 'it''s'":                            {},
		"replace foo with bar":                                    {changes: one("foo", "bar", false)},
		`replace "x" with " "`:                                    {changes: one("x", " ", false)},
		"change Foo to Bar":                                       {changes: one("Foo", "Bar", true)},
		`change "foo-bar" to "foo_bar"`:                           {changes: one("foo-bar", "foo_bar", false)},

		"把 A 改名为 B":                    {changes: one("A", "B", true), chinese: true},
		"把OldName改名为NewName。":          {changes: one("OldName", "NewName", true), chinese: true},
		"将“旧文本”替换为“新文本”":               {changes: one("旧文本", "新文本", false), chinese: true},
		"请帮我把所有的 A 改成 B":               {changes: one("A", "B", true), chinese: true},
		"将 foo-bar 改为 foo_bar":         {changes: one("foo-bar", "foo_bar", false), chinese: true},
		"在 *.go 文件中，把 A 替换为 B":         {changes: one("A", "B", false), only: []string{"*.go"}, chinese: true},
		"把 A 改名为 B，跳过 vendor/ 和 docs":  {changes: one("A", "B", true), skip: []string{"vendor/", "docs"}, chinese: true},
		"把“跳过”替换为“略过”":                 {changes: one("跳过", "略过", false), chinese: true},
		"把 Greeter 改名为 Welcomer":       {changes: one("Greeter", "Welcomer", true), chinese: true},
		`在 *.go 中把 "A" 替换为 "B"`:        {changes: one("A", "B", false), only: []string{"*.go"}, chinese: true},
		"将类型 Foo 重命名为 Bar":             {changes: one("Foo", "Bar", true), chinese: true},
		"把所有文件中的 A 改名为 B":              {changes: one("A", "B", true), chinese: true},
		"把 greet/ 中的 A 改名为 B":          {changes: one("A", "B", true), only: []string{"greet/"}, chinese: true},
		"把文中的词替换为“新词”":                 {changes: one("文中的词", "新词", false), chinese: true},
		"把 A 改名为 B，并把 C 改名为 D，只改 *.go": {changes: []change{{"A", "B", true}, {"C", "D", true}}, only: []string{"*.go"}, chinese: true},
		"把 A 改名为 B，C 改名为 D":            {changes: []change{{"A", "B", true}, {"C", "D", true}}, chinese: true},
		"把 A 改名为 B，不要修改 vendor/":       {changes: one("A", "B", true), skip: []string{"vendor/"}, chinese: true},
		"把“a，b”替换为“c；d”":               {changes: one("a，b", "c；d", false), chinese: true},
		"A 改名为 B":                      {changes: one("A", "B", true), chinese: true},
		"重命名 A 为 B":                    {changes: one("A", "B", true), chinese: true},
		"用“新”替换“旧”":                    {changes: one("旧", "新", false), chinese: true},
		"rename 旧名 to 新名":              {changes: one("旧名", "新名", true)},
	}
	for text, want := range tests {
		have, ok := parseTask(text)
		if wantOK := len(want.changes) > 0; ok != wantOK {
			t.Errorf("%q: understood is %v", text, ok)
		} else if d := cmp.Diff(want, have, cmp.AllowUnexported(task{}, change{})); ok && d != "" {
			t.Errorf("%q: %s", text, d)
		}
	}
}

func TestParseTask_NotUnderstood(t *testing.T) {
	for _, text := range []string{
		"", "hello", "fix the bug in the parser", "change the colour of the button to red",
		"rename A to B and update the docs", "rename A", "rename to B", "rename A to", "replace the parser with a better one",
		"rename A to B in the nicest way there is", `replace "" with "x"`, "turn off logging",
		"Should I rename A to B?", "rename A to B unless it is exported", "重构一下解析器", "把 A 和 B 合并成 C 并且加上测试",
		"按钮的颜色改成红色", "把 A 改名为 B，并更新文档",
	} {
		if have, ok := parseTask(text); ok {
			t.Errorf("%q was taken for %+v", text, have)
		}
	}
}

func TestReadWish(t *testing.T) {
	known := func(s string) bool { return s == "vendor" || s == "uuid.go" || s == "docs" }
	tests := map[string]wish{
		"skip vendor/":                               {skip: []string{"vendor/"}},
		"Skip vendor.":                               {skip: []string{"vendor"}},
		"please skip the vendor folder":              {skip: []string{"vendor"}},
		"skip `internal/db/log.go`":                  {skip: []string{"internal/db/log.go"}},
		"leave uuid.go alone":                        {skip: []string{"uuid.go"}},
		"You can leave docs/ as it is.":              {skip: []string{"docs/"}},
		"not in vendor/":                             {skip: []string{"vendor/"}},
		"don't touch a.go, b.go and c.go":            {skip: []string{"a.go", "b.go", "c.go"}},
		"Do not change anything in testdata/ please": {skip: []string{"testdata/"}},
		"don’t touch vendor":                         {skip: []string{"vendor"}},
		"exclude *.md":                               {skip: []string{"*.md"}},
		"exclude .md files":                          {skip: []string{"*.md"}},
		"exclude *.{md,txt}":                         {skip: []string{"*.{md,txt}"}},
		"vendor/ should be skipped":                  {skip: []string{"vendor/"}},
		"uuid.go must not be changed":                {skip: []string{"uuid.go"}},
		"looks fine, but not in docs":                {skip: []string{"docs"}},
		"skip the tests":                             {skip: testPatterns},
		"only *.go":                                  {only: []string{"*.go"}},
		"only change files in docs":                  {only: []string{"docs"}},
		"skip this":                                  {this: true},
		"Skip uuid.go, I am rewriting it anyway.":    {skip: []string{"uuid.go"}},
		"skip vendor/ because it is generated":       {skip: []string{"vendor/"}},
		"don't touch a.go, b.go, they are generated": {skip: []string{"a.go", "b.go"}},
		"leave uuid.go alone, it is not ours":        {skip: []string{"uuid.go"}},
		"skip this, it is wrong":                     {this: true},
		"skip uuid.go, but only its title":           {},
		"Good, but rename the method as well":        {},
		"Fine, though the tests need more thought":   {},
		"Leave this one out, please":                 {this: true},
		"please remove this step.":                   {this: true},
		"leave it alone":                             {this: true},
		"skip step 3":                                {steps: []int{3}},
		"drop steps 2, 4-6 and 9":                    {steps: []int{2, 4, 5, 6, 9}},
		"skip lines 12 and 14":                       {lines: []int{12, 14}},
		"ok":                                         {noted: true},
		"Thanks!":                                    {noted: true},
		"跳过 vendor/":                                 {skip: []string{"vendor/"}},
		"请跳过 docs 目录":                                {skip: []string{"docs"}},
		"不要改 a.go、b.go":                              {skip: []string{"a.go", "b.go"}},
		"把 vendor/ 排除":                               {skip: []string{"vendor/"}},
		"跳过这一步":                                      {this: true},
		"不要动这个文件":                                    {this: true},
		"删除第 3 步":                                    {steps: []int{3}},
		"跳过第 12、14 行":                                {lines: []int{12, 14}},
		"只改 *.go":                                    {only: []string{"*.go"}},
		"好的":                                         {noted: true},
		"不改 docs":                                    {skip: []string{"docs"}},
		"先不要改 a.go":                                  {skip: []string{"a.go"}},
		"无需修改 a.go，它是自动生成的":                          {skip: []string{"a.go"}},
		"a.go 就不用改了":                                 {skip: []string{"a.go"}},
		"这一步不需要":                                     {this: true},
		"第 2 步不要":                                    {steps: []int{2}},

		"why?":                        {},
		"don't skip vendor/":          {},
		"do not leave out vendor":     {},
		"不要跳过 vendor/":                {},
		"skip the unexported ones":    {},
		"skip everything that is old": {},
		"please also rename the file": {},
		"only the exported ones":      {},
		"skip whatever":               {},
		"This should not be in the plan because it breaks the API": {},
		"": {},
	}
	for text, want := range tests {
		if d := cmp.Diff(want, readWish(text, known), cmp.AllowUnexported(wish{})); d != "" {
			t.Errorf("%q: %s", text, d)
		}
	}
}

func TestSentences(t *testing.T) {
	have := sentences("Skip a.go. Why “a. b”? 跳过 b.go。好的\nThat's all")
	if d := cmp.Diff([]string{"Skip a.go.", "Why “a. b”?", "跳过 b.go。", "好的", "That's all"}, have); d != "" {
		t.Error(d)
	}
}

func TestMatchesPath(t *testing.T) {
	for _, test := range []struct {
		pattern, file string
		want          bool
	}{
		{"a.go", "a.go", true}, {"a.go", "x/a.go", true}, {"a.go", "ba.go", false}, {"a.go", "a.go.bak", false},
		{"vendor/", "vendor/x/y.go", true}, {"vendor", "x/vendor/y.go", true}, {"vendor", "vendors/y.go", false},
		{"db/log.go", "internal/db/log.go", true}, {"db/log.go", "xdb/log.go", false},
		{"*.md", "docs/x.md", true}, {"*.md", "x.mdx", false}, {"web/**/*.css", "web/a/b.css", true},
		{"web/**/*.css", "x/web/b.css", true}, {"test*/", "x/testdata/a.go", true}, {"*_test.*", "a/b_test.go", true},
		{"./x", "x", true}, {"[", "x", false}, {"[id].tsx", "a/[id].tsx", true}, {"[id].tsx", "i.tsx", true},
	} {
		if have := matchesPath(test.pattern, test.file); have != test.want {
			t.Errorf("%q, %q: %v", test.pattern, test.file, have)
		}
	}
}

func TestGlobFor(t *testing.T) {
	for _, test := range []struct {
		patterns []string
		want     string
	}{
		{nil, ""}, {[]string{"*.go"}, "*.go"}, {[]string{"internal"}, "**/internal{,/**}"}, {[]string{"internal/"}, "**/internal/**"},
		{[]string{"web/**/*.css"}, "web/**/*.css"}, {[]string{"*.go", "docs/"}, "{**/*.go,**/docs/**}"}, {[]string{"*.{a,b}", "x"}, ""}, {[]string{"./"}, ""}, {[]string{"[x"}, ""},
	} {
		if have := globFor(test.patterns); have != test.want {
			t.Errorf("%q: %q, want %q", test.patterns, have, test.want)
		}
	}
}

func TestSubstitute(t *testing.T) {
	whole := []change{{"Old", "New", true}}
	for _, test := range []struct {
		changes    []change
		line, want string
	}{
		{whole, "Old(Old, Older, _Old, xOld, Old1) // Old.", "New(New, Older, _Old, xOld, Old1) // New."},
		{whole, "éOld Oldé 旧Old新 Old́", "éOld Oldé 旧New新 Old́"},
		{whole, "nothing", "nothing"},
		{[]change{{"a", "b", false}}, "banana", "bbnbnb"},
		{[]change{{"A", "B", true}, {"B", "A", true}}, "A B", "B A"},
		{[]change{{"A", "1", false}, {"AB", "2", false}}, "AB A", "2 1"},
		{[]change{{"x.y", "z", true}}, "x.y x.yy ax.y xzy", "z x.yy ax.y xzy"},
		{[]change{{"旧名", "新名", true}}, "这是旧名字", "这是新名字"},
		{[]change{{"Old", "OldOld", true}}, "Old", "OldOld"},
		{[]change{{"x", "", false}}, "axb", "ab"},
	} {
		if have := substitute(test.changes, test.line); have != test.want {
			t.Errorf("%q: %q, want %q", test.line, have, test.want)
		}
	}
}

func TestPattern(t *testing.T) {
	have := pattern([]change{{"Old", "", true}, {"a.b", "", false}, {"旧", "", true}, {"$x", "", true}})
	if want := `\bOld\b|a\.b|旧|\$x\b`; have != want {
		t.Errorf("%q, want %q", have, want)
	}
}
