package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"countersign/internal/agent/llm"
	"countersign/internal/agent/llm/anthropic"
	"countersign/internal/agent/llm/catalog"
	"countersign/internal/agent/llm/wire"
)

// modelWait is how long a model's server may take to answer.
const modelWait = 5 * time.Second

// model says whether the configured model can be used. Of the key it says only
// whether there is one.
func (e *examination) model(ctx context.Context, name string, getenv func(string) string) {
	name = llm.Resolve(name, getenv)
	if _, err := llm.Open(name, getenv); err != nil {
		e.note(fatal, "model", "%s", sentence(err))
		return
	}
	if strings.EqualFold(name, llm.Builtin) {
		e.note(fine, "model", "%s, which needs no server; set ANTHROPIC_API_KEY or OPENAI_API_KEY, or --model PROVIDER:NAME, for another", name)
		return
	}
	server, err := llm.Find(name, getenv)
	if err != nil { // Open would have failed
		e.note(fatal, "model", "%s", sentence(err))
		return
	}
	e.note(fine, "model", "%s at %s; %s", name, shown(server.URL), keyState(server))
	answer := askModels(ctx, server)
	f, text := answer.of(server)
	e.note(f, "model", "%s", text)
}

// providers says of each provider but the configured model's whether its key is
// there and its server answers. None of them is needed, so none is a failure.
func (e *examination) providers(ctx context.Context, configured string, getenv func(string) string) {
	used, _, _ := strings.Cut(llm.Resolve(configured, getenv), ":")
	all := catalog.Providers()
	lines := make([]func(), len(all))
	var asked sync.WaitGroup
	for i, p := range all {
		if strings.EqualFold(p.Name, used) {
			continue
		}
		asked.Go(func() { lines[i] = e.provider(ctx, p, getenv) })
	}
	asked.Wait()
	for _, line := range lines {
		if line != nil {
			line()
		}
	}
}

// provider returns what notes the line about a provider. A server that nobody
// has a key for is not asked.
func (e *examination) provider(ctx context.Context, p catalog.Provider, getenv func(string) string) func() {
	server, err := llm.Reach(p, getenv)
	switch {
	case err != nil && server.URL == nil:
		return func() { e.note(worry, "provider", "%s: %s", p.Name, sentence(err)) }
	case err != nil:
		return func() { e.note(fine, "provider", "%s: %s at %s", p.Name, keyState(server), shown(server.URL)) }
	}
	answer := askModels(ctx, server)
	f, text := answer.words(server)
	if f == fatal {
		f = worry
	}
	if server.Local && answer.err != nil && server.Own {
		f, text = fine, "nothing answers there"
	}
	return func() { e.note(f, "provider", "%s: %s at %s; %s", p.Name, keyState(server), shown(server.URL), text) }
}

func keyState(s llm.Server) string {
	switch {
	case s.Key != "":
		return s.KeyVar() + " is set"
	case s.Local:
		return "needs no key"
	}
	return s.KeyVar() + " is not set"
}

// shown is a base URL without what may be secret in it.
func shown(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// listing is what a server answered to the question for its models, which costs
// nothing.
type listing struct {
	err    error // it did not answer
	status int
	models []string
	other  bool // what came is no such list
}

func askModels(ctx context.Context, s llm.Server) listing {
	ctx, cancel := context.WithTimeout(ctx, modelWait)
	defer cancel()
	at := s.URL.JoinPath("models")
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return listing{err: err}
	}
	switch {
	case s.Protocol == catalog.Anthropic:
		anthropic.Authorize(r.Header, s.Key)
		if at.RawQuery == "" {
			r.URL.RawQuery = "limit=1000"
		}
	case s.Key != "":
		r.Header.Set("Authorization", "Bearer "+s.Key)
	}
	answer, err := wire.Client(nil).Do(r)
	if err != nil {
		return listing{err: err}
	}
	defer answer.Body.Close()
	l := listing{status: answer.StatusCode}
	if l.status != http.StatusOK {
		return l
	}
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err := json.NewDecoder(io.LimitReader(answer.Body, 8<<20)).Decode(&list); err != nil {
		l.other = true
		return l
	}
	for _, m := range list.Data {
		l.models = append(l.models, strings.TrimPrefix(m.ID, "models/")) // as Gemini has them
	}
	return l
}

// of says what the answer means for the server's model.
func (l listing) of(s llm.Server) (finding, string) {
	f, text := l.words(s)
	switch {
	case f != fine:
		return f, text
	case !slices.Contains(l.models, s.Model):
		return worry, "its server answers, but does not list " + s.Model + "; if sessions fail, choose another name with --model"
	}
	return fine, "its server answers, and lists it"
}

// words says what the answer means, whatever the model.
func (l listing) words(s llm.Server) (finding, string) {
	switch {
	case l.err != nil:
		return fatal, "its server does not answer (" + cause(l.err) + "); check " + s.BaseVar() + ", the network and HTTPS_PROXY, and that the server runs"
	case l.status == http.StatusUnauthorized, l.status == http.StatusForbidden:
		return fatal, "its server answers, but refuses the key; check " + s.KeyVar()
	case l.status == http.StatusNotFound, l.status == http.StatusMethodNotAllowed:
		return worry, "its server answers, but has no list of models; if sessions fail, check that " + s.BaseVar() + " is what the server's manual says"
	case l.status != http.StatusOK:
		return fatal, "its server answers with status " + strconv.Itoa(l.status) + "; try again, or look into its log"
	case l.other:
		return worry, "its server answers, but not as one that speaks this protocol; check " + s.BaseVar()
	}
	return fine, "its server answers"
}

// cause is why a request failed, without the address, which may hold a key.
func cause(err error) string {
	var at *url.Error
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "not within " + modelWait.String()
	case errors.As(err, &at):
		return at.Err.Error()
	default:
		return "no connection"
	}
}
