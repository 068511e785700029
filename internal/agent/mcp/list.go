package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"countersign/internal/agent"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxPages is how many pages of a server's list are read.
const maxPages = 100

// list reads a server's tools, and not many more than can be used.
func list(ctx context.Context, session *sdk.ClientSession) ([]*sdk.Tool, error) {
	var all []*sdk.Tool
	cursor := ""
	for range maxPages {
		page, err := session.ListTools(ctx, &sdk.ListToolsParams{Cursor: cursor})
		if err != nil {
			return nil, err
		}
		all = append(all, page.Tools...)
		if cursor = page.NextCursor; cursor == "" || len(all) > MaxTools {
			break
		}
	}
	return all, nil
}

// room is what is left for the tools of the servers that come next.
type room struct{ tools, schemas int }

// choose makes the tools that are offered, and says of the others why not.
func (s *server) choose(left *room) (chosen []*tool, notes []string) {
	times := map[string]int{}
	for _, t := range s.found {
		times[offeredName(s.Name, t.Name)]++
	}
	var full bool
	for _, t := range s.found {
		name := offeredName(s.Name, t.Name)
		schema, why := schemaOf(t)
		switch {
		case times[name] > 1:
			notes = append(notes, fmt.Sprintf("Not offered, because another tool would have the same name: %s.", oneLine(t.Name, maxName)))
			continue
		case why != "":
			notes = append(notes, fmt.Sprintf("Not offered, because %s: %s.", why, oneLine(t.Name, maxName)))
			continue
		case left.tools == 0 || len(schema) > left.schemas:
			full = true
			continue
		}
		left.tools--
		left.schemas -= len(schema)
		chosen = append(chosen, s.make(t, name, schema))
	}
	if full {
		notes = append(notes, fmt.Sprintf("It has more tools than fit: a session gets %d from all servers together.", MaxTools))
	}
	for _, listed := range s.ReadOnly {
		if !slices.ContainsFunc(s.found, func(t *sdk.Tool) bool { return t.Name == listed }) {
			notes = append(notes, fmt.Sprintf("The settings list a tool as read-only that it does not have: %s.", oneLine(listed, maxName)))
		}
	}
	return chosen, bounded(notes)
}

// maxNotes is how many notes there are on one server.
const maxNotes = 10

func bounded(notes []string) []string {
	if len(notes) <= maxNotes {
		return notes
	}
	return append(notes[:maxNotes-1:maxNotes-1], fmt.Sprintf("And %d more of this kind.", len(notes)-maxNotes+1))
}

func (s *server) make(t *sdk.Tool, name string, schema json.RawMessage) *tool {
	about := t.Description
	if strings.TrimSpace(about) == "" {
		about = t.Title
	}
	return &tool{
		server: s, name: t.Name,
		hint:     t.Annotations != nil && t.Annotations.ReadOnlyHint,
		readOnly: slices.Contains(s.ReadOnly, t.Name),
		spec: agent.ToolSpec{
			Name:        name,
			Description: fmt.Sprintf("[Tool of the MCP server %s, in its own words] %s", s.Name, plain(about, maxDescription)),
			Parameters:  schema,
		},
	}
}

// schemaOf is the schema of a tool's arguments, with the texts in it as plain
// as descriptions are, or why it can't be used.
func schemaOf(t *sdk.Tool) (schema json.RawMessage, why string) {
	arguments, is := t.InputSchema.(map[string]any)
	if kind, said := arguments["type"]; !is || said && kind != "object" {
		return nil, "the schema of its arguments is not that of an object"
	}
	cleaned, _ := cleanTexts(arguments).(map[string]any)
	cleaned["type"] = "object"
	if cleaned["properties"] == nil {
		cleaned["properties"] = map[string]any{}
	}
	schema, err := json.Marshal(cleaned)
	if err != nil || len(schema) > maxSchema {
		return nil, fmt.Sprintf("the schema of its arguments has more than %d KiB", maxSchema>>10)
	}
	return schema, ""
}

func cleanTexts(v any) any {
	switch v := v.(type) {
	case string:
		return visible(v)
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = cleanTexts(item)
		}
		return list
	case map[string]any:
		object := make(map[string]any, len(v))
		for key, value := range v {
			object[key] = cleanTexts(value)
		}
		return object
	default:
		return v
	}
}
