package main

import (
	"slices"
	"strings"

	"countersign/internal/agent/mcp"
	"countersign/internal/fault"
	"countersign/internal/planning"
)

// allowKey is the key of what needs no question in any session. It has no flag:
// it is for a file that stays and can be read, not for a line that is typed.
const allowKey = "allow"

// allowSetting is the [allow] of a settings file.
type allowSetting struct {
	Commands []string `toml:"commands"`
	Files    []string `toml:"files"`
	Tools    []string `toml:"tools"`
}

// readAllowed reads what a settings file allows for all sessions. Names of tools
// are checked later, when the servers are known.
func readAllowed(path string) (planning.Grants, error) {
	var file struct {
		Allow allowSetting `toml:"allow"`
	}
	unknown, err := decodeTable(path, allowKey, &file)
	switch {
	case err != nil:
		return planning.Grants{}, fault.New(fault.Invalid, "%s: what is allowed can't be read, it is to be [allow] with commands, files and tools below it, each a list (%v)", path, err)
	case unknown != nil:
		return planning.Grants{}, fault.New(fault.Invalid, "%s: allow has no setting %q", path, unknown[len(unknown)-1])
	}
	scope, err := planning.NewScope(file.Allow.Files, file.Allow.Commands)
	if err != nil {
		return planning.Grants{}, fault.New(fault.Invalid, "%s: allow: %s", path, sentence(err))
	}
	return planning.Grants{Patterns: scope.Files, Commands: scope.Commands, Tools: file.Allow.Tools}, nil
}

// checkAllowed refuses names of tools that no server can have, which would
// otherwise go on asking without a word.
func (c *config) checkAllowed() error {
	for _, name := range c.allowed.Tools {
		server, _, named := strings.Cut(name, "__")
		known := slices.ContainsFunc(c.servers, func(s mcp.Server) bool { return s.Name == server })
		if !named || !known {
			return fault.New(fault.Invalid, "allow names the tool %q, which belongs to no MCP server of these settings; write SERVER__TOOL", name)
		}
	}
	return nil
}

// allowed says how much needs no question.
func (e *examination) allowed(c *config) {
	if a := c.allowed; !a.Empty() {
		e.note(fine, "allow", "needs no question in any session, except while planning: commands: %d, patterns of files: %d, tools: %d", len(a.Commands), len(a.Patterns), len(a.Tools))
	}
}
