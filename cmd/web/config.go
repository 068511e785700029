package main

import (
	"cmp"
	"crypto/tls"
	"flag"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"countersign/internal/agent"
	"countersign/internal/agent/llm/catalog"
	"countersign/internal/agent/mcp"
	"countersign/internal/fault"
	"countersign/internal/planning"
	"countersign/internal/review"
	"countersign/internal/webhook"
	"countersign/web"
)

// config is what the flags, the environment and the file say together.
type config struct {
	addr, data, model, token, database string
	planShell, enforcement, confirm    string
	planTools, planPrompt, logLevel    string
	ownSessions, openThreads           string
	workspaces                         paths
	hosts                              hosts
	approvals                          int
	parallelTodos, noOpen              bool
	file                               string
	tlsCert, tlsKey                    string           // files in PEM; both or neither
	tls                                *tls.Config      // with that certificate; nil: plain HTTP
	insecureHTTP                       bool             // other machines may come without TLS
	proxies                            proxies          // whose X-Forwarded headers count
	publicURL                          string           // "" or without a slash at its end
	webhooks                           []webhook.Target // from a settings file only
	prices                             catalog.Prices   // from a settings file only
	servers                            []mcp.Server     // from a settings file only
	windows                            catalog.Windows  // from a settings file only
	compactAt                          float64          // a share of the model's window; 0: never by itself
	allowed                            planning.Grants  // from a settings file only
	openID                             web.OpenID
	signInIdle                         time.Duration
}

// paths is a flag that can be given several times. The first value from a
// stronger source replaces what a weaker one said.
type paths []string

func (p *paths) String() string { return strings.Join(*p, string(filepath.ListSeparator)) }

func (p *paths) Set(v string) error {
	for _, dir := range filepath.SplitList(v) {
		if dir != "" {
			*p = append(*p, dir)
		}
	}
	return nil
}

// parse reads and checks the settings of a server. It fails with a sentence
// that names the setting.
func parse(args []string, getenv func(string) string, stderr io.Writer) (config, error) {
	c, err := read(args, getenv, stderr)
	if err == nil {
		err = c.check()
	}
	for _, dir := range c.workspaces {
		if err == nil {
			err = checkWorkspace(dir)
		}
	}
	return c, err
}

// read puts the settings together: a flag goes over the environment, the
// environment over the file. The workspaces are absolute.
func read(args []string, getenv func(string) string, stderr io.Writer) (config, error) {
	var c config
	fset := flag.NewFlagSet("countersign", flag.ContinueOnError)
	fset.SetOutput(stderr)
	fset.StringVar(&c.addr, "addr", "127.0.0.1:7777", "address to listen on; port 0 takes a free one")
	fset.Var(&c.hosts, "host", "name under which people reach the server, besides localhost (repeatable, or separated by commas)")
	fset.StringVar(&c.publicURL, "public-url", "", "address of the server in what webhooks tell (default: the printed one)")
	fset.StringVar(&c.data, "data", dataDir(getenv), "folder for the database and everything else that is kept")
	fset.Var(&c.workspaces, "workspace", "folder that sessions may work in (repeatable; default: the current one)")
	fset.StringVar(&c.model, "model", "auto", "builtin, anthropic:NAME, openai:NAME, deepseek:NAME, ollama:NAME and others, or auto")
	fset.StringVar(&c.token, "token", "", "the owner's API token (default: made at the first start)")
	fset.IntVar(&c.approvals, "approvals", 1, "approvals needed before a plan runs")
	fset.StringVar(&c.ownSessions, "own-sessions", "allow", "approvals by whoever started the session: allow or refuse")
	fset.StringVar(&c.openThreads, "open-threads", "ask", "approvals while comments are open: ask once, or block")
	fset.StringVar(&c.planShell, "plan-shell", "sandboxed", "commands while planning: sandboxed or deny")
	fset.StringVar(&c.enforcement, "enforcement", "readonly", "what holds plan mode up: readonly or guidance")
	fset.StringVar(&c.confirm, "confirm", "outside", "in execution ask for what lies outside the plan, or for every change")
	fset.StringVar(&c.planTools, "plan-tools", "", "tools that planning may use, separated by commas")
	fset.StringVar(&c.planPrompt, "plan-prompt", "", "what the model is told while planning")
	fset.BoolVar(&c.parallelTodos, "parallel-todos", false, "allow more than one to-do item in progress")
	fset.Float64Var(&c.compactAt, "compact-at", agent.Defaults().CompactAt, "share of the model's window above which a conversation is summed up; 0 for never")
	fset.StringVar(&c.database, "database", "", "database (default: SQLite in the data folder)")
	fset.BoolVar(&c.noOpen, "no-open", false, "do not open a browser")
	fset.StringVar(&c.logLevel, "log-level", "info", "debug, info, warn or error")
	fset.StringVar(&c.tlsCert, "tls-cert", "", "file with the certificate, in PEM, to speak TLS with")
	fset.StringVar(&c.tlsKey, "tls-key", "", "file with its private key")
	fset.Var(&c.proxies, "trusted-proxy", "address or network of a proxy that says who sent a request and whether it came over TLS (repeatable, or separated by commas)")
	fset.BoolVar(&c.insecureHTTP, "insecure-http", false, "let other machines in without TLS")
	signInFlags(fset, &c)
	fset.StringVar(&c.file, "config", "", "settings file (default: countersign.toml beside or in the workspace)")
	if err := fset.Parse(args); err != nil {
		return c, err
	}
	if fset.NArg() > 0 {
		return c, fault.New(fault.Invalid, "unexpected argument %q", fset.Arg(0))
	}
	if err := weaker(fset, getenv, &c); err != nil {
		return c, err
	}
	if len(c.workspaces) == 0 {
		c.workspaces = paths{"."}
	}
	for i, dir := range c.workspaces {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return c, err
		}
		c.workspaces[i] = abs
	}
	return c, nil
}

func checkWorkspace(dir string) error {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return fault.New(fault.Invalid, "the workspace %s is not a folder", dir)
	}
	return nil
}

func (c *config) check() error {
	one := func(name, value string, allowed ...string) error {
		for _, a := range allowed {
			if value == a {
				return nil
			}
		}
		return fault.New(fault.Invalid, "--%s is %q; it can be %s", name, value, strings.Join(allowed, " or "))
	}
	switch {
	case c.approvals < 1 || c.approvals > planning.MaxApprovals:
		return fault.New(fault.Invalid, "--approvals is %d; it can be 1 to %d", c.approvals, planning.MaxApprovals)
	case c.database != "":
		return fault.New(fault.Invalid, "--database: only SQLite in the data folder is supported in this version")
	case c.token != "" && len(c.token) < minToken:
		return fault.New(fault.Invalid, "--token must have at least %s characters", strconv.Itoa(minToken))
	}
	if err := checkHosts(c.addr, c.hosts); err != nil {
		return err
	}
	if err := c.checkTLS(); err != nil {
		return err
	}
	if err := c.checkPublicURL(); err != nil {
		return err
	}
	return cmp.Or(
		c.checkPlanTools(),
		c.checkAllowed(),
		c.checkCompactAt(),
		c.checkSignIn(),
		one("own-sessions", c.ownSessions, "allow", "refuse"),
		one("open-threads", c.openThreads, "ask", "block"),
		one("plan-shell", c.planShell, "sandboxed", "deny"),
		one("enforcement", c.enforcement, "readonly", "guidance"),
		one("confirm", c.confirm, "outside", "every"),
		one("log-level", c.logLevel, "debug", "info", "warn", "error"),
	)
}

// minToken is the least length of a token that a person makes up.
const minToken = 16

// rules are what decisions have to keep to.
func (c *config) rules() review.Rules {
	return review.Rules{RefuseOwn: c.ownSessions != "allow", ThreadsBlock: c.openThreads != "ask"}
}

// databaseFile is the name of the database in the private folder.
const databaseFile = "countersign.db"

// private is the part of the data folder that no agent may read or write. The
// sample workspace lies beside it, not in it.
func (c config) private() string { return filepath.Join(c.data, "private") }

// databasePath is where the database is.
func (c config) databasePath() string { return filepath.Join(c.private(), databaseFile) }

// protected is what no agent may read or write: the product's own data, and
// the settings of the next start, and the private key of TLS.
func (c config) protected() []string {
	list := []string{c.private()}
	for _, dir := range c.workspaces {
		list = append(list, filepath.Join(dir, settingsName))
	}
	for _, name := range []string{c.file, c.tlsKey} {
		if file, err := filepath.Abs(name); err == nil && name != "" {
			list = append(list, file)
		}
	}
	return list
}

// dataDir is where the platform keeps a program's data.
func dataDir(getenv func(string) string) string {
	home, _ := os.UserHomeDir()
	base := filepath.Join(home, ".local", "share")
	switch runtime.GOOS {
	case "darwin":
		base = filepath.Join(home, "Library", "Application Support")
	case "windows":
		base = getenv("LocalAppData")
	default:
		if dir := getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
			base = dir
		}
	}
	return filepath.Join(base, "countersign")
}
