package mcp

import (
	"context"
	"sync"

	"countersign/internal/agent"
	"countersign/internal/planning"
)

var _ agent.Toolbox = (*Box)(nil)

// Open implements agent.Toolbox: it connects to all servers at once, and takes
// their lists. One that can't be reached is listed with the reason.
func (b *Box) Open(ctx context.Context, s planning.State) agent.Toolset {
	set := &set{}
	at := b.place(s)
	for _, config := range b.config.Servers {
		set.servers = append(set.servers, &server{Server: config, place: at})
	}
	var all sync.WaitGroup
	for _, s := range set.servers {
		all.Go(func() { s.open(ctx) })
	}
	all.Wait()
	set.assemble()
	return set
}

// set is the servers of one run, and their tools as they were when it began.
type set struct {
	servers []*server
	tools   []agent.Tool
	listed  planning.ToolsListed
}

func (s *set) Tools() []agent.Tool          { return s.tools }
func (s *set) Listed() planning.ToolsListed { return s.listed }

func (s *set) Close() {
	var all sync.WaitGroup
	for _, server := range s.servers {
		all.Go(server.close)
	}
	all.Wait()
}

// assemble decides which tools the model gets to know, in the order of the
// servers' names and then in the servers' own.
func (s *set) assemble() {
	room := room{tools: MaxTools, schemas: maxSchemas}
	for _, server := range s.servers {
		told := planning.ToolServer{Name: server.Name, Transport: server.reached(), Failed: server.failed}
		if told.Failed == "" {
			var found []*tool
			found, told.Notes = server.choose(&room)
			for _, t := range found {
				s.tools = append(s.tools, t)
				told.Tools = append(told.Tools, planning.ServedTool{Name: t.spec.Name, Hint: t.hint, ReadOnly: t.readOnly})
			}
		}
		s.listed.Servers = append(s.listed.Servers, told)
	}
}
