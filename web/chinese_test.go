package web

import (
	"context"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/internal/agent/llm"
	"countersign/internal/planning"
	"countersign/internal/review"
	"countersign/web/lang"
	"countersign/web/templates"

	"github.com/PuerkitoBio/goquery"
)

// TestLanguage_NoEnglishIsLeftOnAChinesePage opens every page in Chinese, in
// all that it can show, with data that has no Latin letters, and looks for
// words.
func TestLanguage_NoEnglishIsLeftOnAChinesePage(t *testing.T) {
	z := newChinese(t)
	z.gate()
	z.inReview()
	z.secondVersion()
	z.work()
	z.questions()
	z.context()
	z.ends()
	z.others()
	for _, route := range z.web.echo.Routes() {
		if route.Method == http.MethodGet && !z.seen[route.Path] && !slices.Contains(noPages, route.Path) && !strings.HasPrefix(route.Path, apiPrefix) {
			t.Errorf("the page %s was not looked at", route.Path)
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(templates.HistoryKinds)) {
		if !z.kinds[kind] {
			t.Errorf("no page with a record of the kind %s was looked at", kind)
		}
	}
}

// noPages are addresses that give something else than a page of their own.
var noPages = []string{
	"/healthz", "/metrics", staticRoute, openIDRoute, openIDBackRoute, socketPath, "/sessions/:id", "/sessions/:id/export", "/sessions/:id/results/:seq", "/waiting",
}

// chinese is an owner who reads Chinese.
type chinese struct {
	*browser
	id    string          // of the session that is worked on
	seen  map[string]bool // routes
	kinds map[planning.Kind]bool
	told  map[string]bool // words, each once
}

func newChinese(t *testing.T) *chinese {
	r := newRig(t, func(c *Config) {
		c.Sample, c.Shell = c.Workspaces[0], func() string { return "Commands are switched off while planning." }
		c.CheckModel = func(name string) error {
			_, err := llm.Open(name, func(string) string { return "" })
			return err
		}
	})
	owner, err := r.db.AddPerson(context.Background(), "奥莉", review.RoleOwner)
	r.must(err)
	b := r.browse(owner)
	b.cookie += header("; " + languageCookie + "=" + lang.Chinese.Code)
	return &chinese{browser: b, seen: map[string]bool{}, kinds: map[planning.Kind]bool{}, told: map[string]bool{}}
}

// latin is a word of Latin letters, with what belongs to it.
var latin = regexp.MustCompile(`[A-Za-z][A-Za-z0-9_.’'-]*[A-Za-z]`)

// hash is a SHA-256, or the part of one that is shown, or an id.
var hash = regexp.MustCompile(`\b(?:[0-9a-f]{64}|[0-9a-f-]{36}|[0-9a-f]{8})\b`)

// sameWords are words that are the same in Chinese.
var sameWords = []string{
	"Countersign", "Markdown", "JSON", "OpenAI", "Claude", "OpenID", "API", "UTF-8", "UTC", "KB", "MB", "Ctrl", "Enter", "Esc", "sha256", "SHA-256", "SHA", "English",
	"builtin", "cs", "shell", "grep", "write_file", "spawn_agent", "Olivia",
	"none", "NAME", "PROVIDER", "auto",
	"anthropic", "openai", "deepseek", "openrouter", "gemini", "groq", "mistral", "ollama", "lmstudio", "vllm",
}

// notOurs is what is no text of ours: code, hashes, and what the log says of tools.
const notOurs = "script, style, svg, code, pre, kbd, .mono, .dir, .hash, .avatar, .old, option[value^='/'], #live, time, .status, .scope-change, .files, [name=workspace]"

// look opens a page and checks it.
func (z *chinese) look(path string) *chinese {
	z.t.Helper()
	z.load(path)
	z.check()
	return z
}

func (z *chinese) check() {
	z.t.Helper()
	if lang, _ := z.doc.Find("html").Attr("lang"); lang != "zh-Hans" {
		z.t.Errorf("%s is in %q", z.at, lang)
	}
	path, _, _ := strings.Cut(z.at, "?")
	for _, route := range z.web.echo.Routes() {
		if route.Method == http.MethodGet && matches(route.Path, path) {
			z.seen[route.Path] = true
		}
	}
	doc := goquery.CloneDocument(z.doc)
	z.words("the title", doc.Find("title").Text())
	for _, attribute := range []string{"title", "aria-label", "placeholder", "alt"} {
		doc.Find("[" + attribute + "]").Not(notOurs).Each(func(_ int, s *goquery.Selection) {
			z.words(attribute, s.AttrOr(attribute, ""))
		})
	}
	doc.Find(notOurs).Remove()
	doc.Find("body").Find("*").Contents().Each(func(_ int, s *goquery.Selection) {
		if goquery.NodeName(s) == "#text" {
			z.words("a text", s.Text())
		}
	})
}

func matches(route, path string) bool {
	want, have := strings.Split(route, "/"), strings.Split(path, "/")
	if len(want) != len(have) {
		return false
	}
	for i, part := range want {
		if part != have[i] && !(strings.HasPrefix(part, ":") && have[i] != "") {
			return false
		}
	}
	return true
}

func (z *chinese) words(where, text string) {
	z.t.Helper()
	for _, same := range []string{"把 Greeter 改名为 Welcomer", "/plan off", "/plan TASK", "/plan", "/help", "/goal OBJECTIVE", "/goal pause | resume | complete | clear", "/compact"} {
		text = strings.ReplaceAll(text, same, "")
	}
	for _, word := range latin.FindAllString(hash.ReplaceAllString(text, ""), -1) {
		if slices.Contains(sameWords, word) || strings.Contains(text, "/") && strings.Contains(text, z.config.Workspaces[0]) || z.told[word] {
			continue
		}
		z.told[word] = true
		z.t.Errorf("%s: %s has %q in %q", z.at, where, word, strings.Join(strings.Fields(text), " "))
	}
}

// does records what somebody does.
func (z *chinese) does(by planning.Actor, payloads ...planning.Payload) planning.State {
	z.t.Helper()
	st, err := planning.Decide(context.Background(), z.db, z.id, func(planning.State) ([]planning.Event, error) {
		var events []planning.Event
		for _, p := range payloads {
			z.kinds[p.Kind()] = true
			events = append(events, planning.Event{Actor: by, Payload: p})
		}
		return events, nil
	})
	z.must(err)
	return st
}

// posts fills in a form, and checks where it leads.
func (z *chinese) posts(selector string, values ...string) *chinese {
	z.t.Helper()
	z.submit(selector, values...)
	z.check()
	return z
}

var chineseAgent = planning.Actor{Kind: planning.ActorAgent, ID: "1", Name: "模型"}

// pages looks at all pages of the session; some may say that there is nothing
// to look at.
func (z *chinese) pages() {
	z.t.Helper()
	for _, route := range z.web.echo.Routes() {
		page, ok := strings.CutPrefix(route.Path, "/sessions/:id/")
		if ok && route.Method == http.MethodGet && !strings.Contains(page, ":") && page != "export" {
			z.look("/sessions/" + z.id + "/" + page)
		}
	}
	z.look("/")
	records, err := z.db.Records(context.Background(), z.id, 0, 1000)
	z.must(err)
	for _, r := range records {
		z.kinds[r.Kind] = true
		line, err := ActivityLine(lang.Chinese, r)
		z.must(err)
		if strings.Contains(line, "Agent") {
			z.t.Errorf("the line of record %d has English: %s", r.Seq, line)
		}
	}
}

func (z *chinese) begin(task string) {
	z.t.Helper()
	z.look("/").posts("#compose", "task", task)
	z.id = strings.Split(z.at, "/")[2]
}

// gate is what stands before the sign-in, and what is wrong there.
func (z *chinese) gate() {
	signedIn := z.cookie
	z.cookie = header("Cookie: " + languageCookie + "=" + lang.Chinese.Code)
	z.look("/sign-in").posts("form[action='/sign-in']", "token", "x")
	z.look("/sign-in?link=none").look("/join?link=none")
	secret := newSecret()
	z.must(z.db.AddLink(context.Background(), review.Link{Hash: HashSecret(secret), Role: review.RoleViewer, Expires: time.Now().Add(time.Hour)}))
	z.look("/join?link="+secret).posts("form[action='/join']", "name", "奥莉").posts("form[action='/join']", "name", "\x01")
	z.cookie = signedIn
	z.look("/nowhere").look("/sessions/none/plan").look("/models").look("/new").posts("#new", "task", " ").posts("#new", "task", "改", "model", "none").posts("#new", "task", "改", "approvals", "99")
}
