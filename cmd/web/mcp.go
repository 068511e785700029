package main

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"countersign/internal/agent"
	"countersign/internal/agent/mcp"
	"countersign/internal/fault"
	"countersign/internal/planning"
)

// mcpKey is the key of the MCP servers in a settings file. They have no flag.
const mcpKey = "mcp"

// mcpSetting is one [mcp.NAME] in a settings file.
type mcpSetting struct {
	Command  string            `toml:"command"`
	Args     []string          `toml:"args"`
	Env      map[string]string `toml:"env"`
	Readable []string          `toml:"readable"`
	URL      string            `toml:"url"`
	Headers  map[string]string `toml:"headers"`
	ReadOnly []string          `toml:"read_only"`
	Timeout  string            `toml:"timeout"`
}

// readServers reads the MCP servers that a settings file names.
func readServers(path string) ([]mcp.Server, error) {
	var file struct {
		MCP map[string]mcpSetting `toml:"mcp"`
	}
	unknown, err := decodeTable(path, mcpKey, &file)
	switch {
	case err != nil:
		return nil, fault.New(fault.Invalid, "%s: the MCP servers can't be read, each is to be a [mcp.NAME] with its keys below it (%v)", path, err)
	case unknown != nil:
		return nil, fault.New(fault.Invalid, "%s: the MCP server %q has a setting that there is not, %q", path, unknown[1], strings.Join(unknown[2:], "."))
	}
	var servers []mcp.Server
	for _, name := range slices.Sorted(maps.Keys(file.MCP)) {
		s := file.MCP[name]
		server := mcp.Server{
			Name: name, Command: s.Command, Args: s.Args, Env: s.Env, Readable: s.Readable,
			URL: s.URL, Headers: s.Headers, ReadOnly: s.ReadOnly,
		}
		if s.Timeout != "" {
			if server.Timeout, err = time.ParseDuration(s.Timeout); err != nil || server.Timeout <= 0 {
				return nil, fault.New(fault.Invalid, "%s: the MCP server %q has the timeout %q; it is to be a time such as 90s or 5m", path, name, s.Timeout)
			}
		}
		servers = append(servers, server)
	}
	if err := mcp.Check(servers); err != nil {
		return nil, fault.New(fault.Invalid, "%s: %s", path, sentence(err))
	}
	return servers, nil
}

// toolbox has the tools of the MCP servers, or is nil if there are none.
func (c *config) toolbox() agent.Toolbox {
	if len(c.servers) == 0 {
		return nil
	}
	return mcp.New(mcp.Config{Servers: c.servers, Confined: c.policy("").Confined, Protected: c.protected()})
}

// servers tries each MCP server as a session does that plans: it can change
// nothing.
func (e *examination) servers(ctx context.Context, cfg config) {
	box := cfg.toolbox()
	if box == nil || len(cfg.workspaces) == 0 {
		return
	}
	dir, err := filepath.EvalSymlinks(cfg.workspaces[0])
	if err != nil {
		return // it was told already
	}
	set := box.Open(ctx, planning.State{Workspace: dir, Mode: planning.ModePlan})
	defer set.Close()
	for _, s := range set.Listed().Servers {
		if s.Failed != "" {
			e.note(worry, "mcp", "%s offers nothing. %s", s.Name, s.Failed)
			continue
		}
		listed := 0
		for _, t := range s.Tools {
			if t.ReadOnly {
				listed++
			}
		}
		e.note(fine, "mcp", "%s works; tools: %d, listed as read-only: %d", s.Name, len(s.Tools), listed)
		for _, note := range s.Notes {
			e.note(worry, "mcp", "%s: %s", s.Name, note)
		}
	}
}
