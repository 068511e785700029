package mcp

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// textOf is a result as text. What is no text is named with its size.
func textOf(r *sdk.CallToolResult) string {
	var parts []string
	for _, c := range r.Content {
		parts = append(parts, partText(c))
	}
	if r.StructuredContent != nil && !repeats(r) {
		if data, err := json.MarshalIndent(r.StructuredContent, "", "  "); err == nil {
			parts = append(parts, string(data))
		}
	}
	text := strings.Join(parts, "\n")
	switch {
	case strings.TrimSpace(text) != "":
		return text
	case r.IsError:
		return "[the tool says that it failed, and not why]"
	default:
		return "[the tool answered with nothing]"
	}
}

// repeats tells whether one of the texts is the structured content once more,
// as servers send it to clients that know only texts.
func repeats(r *sdk.CallToolResult) bool {
	for _, c := range r.Content {
		text, is := c.(*sdk.TextContent)
		var said any
		if is && json.Unmarshal([]byte(text.Text), &said) == nil && reflect.DeepEqual(said, r.StructuredContent) {
			return true
		}
	}
	return false
}

func partText(c sdk.Content) string {
	switch c := c.(type) {
	case *sdk.TextContent:
		return c.Text
	case *sdk.ImageContent:
		return fmt.Sprintf("[image, %s, %s]", oneLine(c.MIMEType, 100), size(len(c.Data)))
	case *sdk.AudioContent:
		return fmt.Sprintf("[audio, %s, %s]", oneLine(c.MIMEType, 100), size(len(c.Data)))
	case *sdk.ResourceLink:
		return strings.TrimSpace(fmt.Sprintf("[resource %s] %s", oneLine(c.URI, 2048), oneLine(c.Name+" "+c.Description, maxDescription)))
	case *sdk.EmbeddedResource:
		return resourceText(c.Resource)
	default:
		return "[something that is no text]"
	}
}

func resourceText(r *sdk.ResourceContents) string {
	switch {
	case r == nil:
		return "[a resource without contents]"
	case r.Blob != nil:
		return fmt.Sprintf("[resource %s, %s, %s]", oneLine(r.URI, 2048), oneLine(r.MIMEType, 100), size(len(r.Blob)))
	default:
		return fmt.Sprintf("[resource %s]\n%s", oneLine(r.URI, 2048), r.Text)
	}
}

func size(bytes int) string {
	if bytes < 1<<10 {
		return fmt.Sprintf("%d bytes", bytes)
	}
	return fmt.Sprintf("%d KB", (bytes+1<<9)>>10)
}
