package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"countersign/internal/agent"
	"countersign/internal/fault"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// server is one server in one run. Its methods are called one after another,
// by whoever works on the run.
type server struct {
	Server
	place  place
	link   *link // nil while there is none
	starts int
	found  []*sdk.Tool // what it listed first
	failed string      // why it could not be used at first, in a sentence
}

// link is a connection. Ending it ends what was started for it.
type link struct {
	session *sdk.ClientSession
	carrier
}

// carrier carries the messages to a server and back.
type carrier interface {
	transport() sdk.Transport
	// begin allows the server as much to say as it may in one call.
	begin()
	// kill ends the carrier at once, without waiting.
	kill()
	// end ends it and waits until nothing is left of it. Somewhere in between it
	// calls bye, which ends the conversation.
	end(bye func())
	// trouble says, in a sentence, what went wrong with it, or "". After end.
	trouble() string
}

// open connects for the first time, and takes the list of tools.
func (s *server) open(ctx context.Context) {
	limit, cancel := within(ctx, s.Server)
	defer cancel()
	err := s.connect(limit)
	if err == nil {
		defer context.AfterFunc(limit, s.link.kill)()
		if s.found, err = list(limit, s.link.session); err == nil {
			return
		}
		err = s.lost(limit, err, min(startLimit, s.timeout()))
	}
	s.failed = sentence(err)
}

// connect makes a connection. Its error is a sentence.
func (s *server) connect(ctx context.Context) error {
	if s.starts++; s.starts > maxStarts {
		return fault.New(fault.Unavailable, "It has ended %d times in this run and is not started again.", maxStarts)
	}
	c, err := s.carrier()
	if err != nil {
		return err
	}
	client := newClient(s.place.workspace)
	c.begin()
	stop := context.AfterFunc(ctx, c.kill)
	defer stop()
	session, err := client.Connect(ctx, c.transport(), nil)
	s.link = &link{session, c}
	if err != nil {
		return s.lost(ctx, err, min(startLimit, s.timeout()))
	}
	return nil
}

// newClient refuses what servers ask for, sampling and elicitation. Of the
// machine they are told the workspace and nothing else: in a way that is
// deprecated, but that nearly all of today's servers know.
func newClient(workspace string) *sdk.Client {
	client := sdk.NewClient(&sdk.Implementation{Name: "countersign", Version: "1"}, &sdk.ClientOptions{
		//lint:ignore SA1019 see above
		Capabilities: &sdk.ClientCapabilities{RootsV2: &sdk.RootCapabilities{}},
	})
	//lint:ignore SA1019 see above
	client.AddRoots(&sdk.Root{Name: filepath.Base(workspace), URI: (&url.URL{Scheme: "file", Path: workspace}).String()})
	return client
}

func (s *server) carrier() (carrier, error) {
	if s.URL != "" {
		return newWire(s.Server)
	}
	return startProcess(s.Server, s.place)
}

// call runs a tool. A *agent.ToolError says what went wrong. A server that did
// not answer in time, or is not to go on, is ended: what it was asked for is not
// to happen later.
func (s *server) call(ctx context.Context, name string, args json.RawMessage) (*sdk.CallToolResult, error) {
	if s.link == nil {
		limit, cancel := within(ctx, s.Server)
		defer cancel()
		if err := s.connect(limit); err != nil {
			return nil, s.refuse(ctx, "The MCP server %s is not there. %s", err)
		}
	}
	limit, cancel := context.WithTimeout(ctx, s.timeout())
	defer cancel()
	s.link.begin()
	stop := context.AfterFunc(limit, s.link.kill)
	defer stop()
	result, err := s.link.session.CallTool(limit, &sdk.CallToolParams{Name: name, Arguments: args})
	if err == nil {
		return result, nil
	}
	if no, is := errors.AsType[*jsonrpc.Error](err); is && limit.Err() == nil {
		return nil, &agent.ToolError{Message: fmt.Sprintf("The MCP server %s refused the call: %s", s.Name, plain(no.Message, maxDescription))}
	}
	return nil, s.refuse(ctx, "The MCP server %s broke off, so it is not known what the call has done. %s", s.lost(limit, err, s.timeout()))
}

func (s *server) refuse(ctx context.Context, format string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return &agent.ToolError{Message: fmt.Sprintf(format, s.Name, sentence(err))}
}

// lost ends a connection that is of no use any more and says why it is not.
func (s *server) lost(ctx context.Context, err error, limit time.Duration) error {
	late := errors.Is(ctx.Err(), context.DeadlineExceeded)
	link := s.link
	s.close()
	switch why := link.trouble(); {
	case late:
		return fault.New(fault.Unavailable, "It did not answer within %s.", limit)
	case why != "":
		return fault.New(fault.Unavailable, "%s", why)
	default:
		return fault.New(fault.Unavailable, "It does not keep to the protocol: %s", oneLine(reason(err), 300))
	}
}

// reason is an error of the connection without what it was tried for.
func reason(err error) string {
	text := err.Error()
	if _, rest, found := strings.Cut(text, "\": "); found && strings.HasPrefix(text, "calling ") {
		text = rest
	}
	return text
}

func (s *server) close() {
	if s.link == nil {
		return
	}
	session := s.link.session
	s.link.end(func() {
		if session != nil {
			_ = session.Close() // that it was ended is not news to anybody
		}
	})
	s.link = nil
}

func sentence(err error) string {
	if f, is := fault.As(err); is {
		return f.Message
	}
	return oneLine(err.Error(), 300)
}
