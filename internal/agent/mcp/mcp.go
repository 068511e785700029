// Package mcp offers the agent the tools of other programs that speak the Model
// Context Protocol.
//
// A run of a session gets its own connections, made for the mode that the
// session is in. A program that is started (stdio) runs in the sandbox: while
// planning it can change nothing and reach nobody, elsewhere it has the rights
// of the person who set it up. Whatever a server says about its tools, they
// count as writing unless a person has listed them (P28). All that comes from a
// server is limited in size: names, descriptions, schemas, results.
package mcp

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"countersign/internal/agent/sandbox"
	"countersign/internal/fault"
	"countersign/internal/planning"
)

// DefaultTimeout is how long one call may take of a server that names no time.
const DefaultTimeout = time.Minute

// Limits of what a server can be set to, and of what is taken from all servers
// of a session together.
const (
	MaxTimeout = time.Hour
	// MaxTools is how many tools a session gets from its servers at most. Some
	// models take 128 in all.
	MaxTools = 100
	// startLimit is how long a server may take until its tools are known.
	startLimit = 30 * time.Second
	maxStarts  = 3 // of one server in one run
)

// Server is one server, as the settings describe it: a command or an address.
type Server struct {
	Name     string
	Command  string // a name on PATH or an absolute path
	Args     []string
	Env      map[string]string // all that it finds besides PATH, HOME, TMPDIR and LANG
	Readable []string          // absolute paths that it may read while planning, besides the workspace and the system
	URL      string            // of a server that is reached by streamable HTTP
	Headers  map[string]string // sent to URL and nowhere else
	ReadOnly []string          // tools, by the server's own names, that a person says only read
	Timeout  time.Duration     // of one call; 0 means DefaultTimeout
}

// Config is what the servers' sessions need to know.
type Config struct {
	Servers []Server
	// Confined tells whether servers must not be able to change anything in this
	// mode. Nil means always.
	Confined func(planning.Mode) bool
	// Protected are absolute paths that no server which is started here can
	// reach: the product's own data.
	Protected []string
	// Detect says what sandbox there is. Nil means sandbox.Detect.
	Detect func() sandbox.Support
}

// serverName leaves no underscore at the end and no two in a row, so that the
// first two in a tool's name end the server's.
var serverName = regexp.MustCompile(`^[a-zA-Z0-9]+([_-][a-zA-Z0-9]+)*$`)

const maxServerName = 32

// Check fails with a sentence, begun by the server's name, for the first thing
// that can't be.
func Check(servers []Server) error {
	for _, s := range servers {
		if why := s.wrong(); why != "" {
			return fault.New(fault.Invalid, "the MCP server %q %s", s.Name, why)
		}
	}
	return nil
}

func (s Server) wrong() string {
	switch {
	case !serverName.MatchString(s.Name) || len(s.Name) > maxServerName:
		return fmt.Sprintf("has a name that can't be used; it can have up to %d letters, digits, and single - or _ between them", maxServerName)
	case s.Command == "" && s.URL == "":
		return "has neither a command nor a url"
	case s.Command != "" && s.URL != "":
		return "has both a command and a url; leave one of them out"
	case strings.Contains(s.Command, "/") && !filepath.IsAbs(s.Command):
		return "has a command that is neither a name nor an absolute path"
	case s.Timeout < 0 || s.Timeout > MaxTimeout:
		return fmt.Sprintf("has a timeout that can't be used; it can be up to %s", MaxTimeout)
	case s.URL != "" && (len(s.Args) > 0 || len(s.Env) > 0 || len(s.Readable) > 0):
		return "has a url, so args, env and readable mean nothing"
	case s.Command != "" && len(s.Headers) > 0:
		return "has a command, so headers mean nothing"
	case strings.ContainsRune(s.Command+strings.Join(s.Args, ""), 0):
		return "has a NUL character in its command"
	case slices.Contains(s.ReadOnly, ""):
		return "lists a tool without a name in read_only"
	}
	for name, value := range s.Env {
		if name == "" || strings.ContainsAny(name, "=\x00") || strings.ContainsRune(value, 0) {
			return fmt.Sprintf("has a variable %q in env that can't be set", name)
		}
	}
	for _, path := range s.Readable {
		if !strings.HasPrefix(path, "/") {
			return fmt.Sprintf("has %q in readable, which is no absolute path", path)
		}
	}
	return s.wrongAddress()
}

func (s Server) wrongAddress() string {
	if s.URL == "" {
		return ""
	}
	u, err := url.Parse(s.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		return "has a url that can't be used; it is to be an address such as https://tools.example/mcp, without a password in it"
	}
	for name, value := range s.Headers {
		if !headerName.MatchString(name) || strings.ContainsAny(value, "\r\n\x00") {
			return fmt.Sprintf("has a header %q that can't be sent", name)
		}
	}
	return ""
}

var headerName = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")

func (s Server) reached() string {
	if s.URL != "" {
		return "http"
	}
	return "stdio"
}

func (s Server) timeout() time.Duration {
	if s.Timeout == 0 {
		return DefaultTimeout
	}
	return s.Timeout
}

// Box has the servers' tools for the sessions.
type Box struct{ config Config }

// New makes a box for servers that Check has let through. It starts nothing.
func New(c Config) *Box {
	if c.Confined == nil {
		c.Confined = func(planning.Mode) bool { return true }
	}
	if c.Detect == nil {
		c.Detect = sandbox.Detect
	}
	c.Servers = slices.Clone(c.Servers)
	slices.SortFunc(c.Servers, func(a, b Server) int { return strings.Compare(a.Name, b.Name) })
	return &Box{c}
}

// place is where the servers of one run work.
type place struct {
	workspace string
	confined  bool
	protected []string
	support   sandbox.Support
}

func (b *Box) place(s planning.State) place {
	return place{s.Workspace, b.config.Confined(s.Mode), b.config.Protected, b.config.Detect()}
}

// within bounds what is done until a server's tools are known.
func within(ctx context.Context, s Server) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, min(startLimit, s.timeout()))
}
