package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"countersign/internal/agent/llm"
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
	provider, model, _ := strings.Cut(name, ":")
	if !strings.EqualFold(provider, "openai") {
		e.note(fine, "model", "%s, which needs no server; set OPENAI_API_KEY or OPENAI_BASE_URL and --model openai:NAME for another", name)
		return
	}
	server := llm.OpenAI(strings.TrimSpace(model), getenv)
	base, err := url.Parse(server.BaseURL)
	if err != nil {
		e.note(fatal, "model", "OPENAI_BASE_URL can't be used")
		return
	}
	set := "OPENAI_API_KEY is set"
	if server.APIKey == "" {
		set = "OPENAI_API_KEY is not set"
	}
	e.note(fine, "model", "%s at %s; %s", name, shown(base), set)
	f, text := askModels(ctx, base, server.APIKey, server.Model)
	e.note(f, "model", "%s", text)
}

// shown is a base URL without what may be secret in it.
func shown(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// askModels asks the server for its list of models, which costs nothing.
func askModels(ctx context.Context, base *url.URL, key, model string) (finding, string) {
	ctx, cancel := context.WithTimeout(ctx, modelWait)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, base.JoinPath("models").String(), nil)
	if err != nil {
		return fatal, "OPENAI_BASE_URL can't be used"
	}
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Do(r)
	if err != nil {
		return fatal, "its server does not answer (" + cause(err) + "); check OPENAI_BASE_URL, and that the server runs"
	}
	defer answer.Body.Close()
	switch {
	case answer.StatusCode == http.StatusUnauthorized, answer.StatusCode == http.StatusForbidden:
		return fatal, "its server answers, but refuses the key; check OPENAI_API_KEY"
	case answer.StatusCode == http.StatusNotFound, answer.StatusCode == http.StatusMethodNotAllowed:
		return worry, "its server answers, but has no list of models; if sessions fail, check that OPENAI_BASE_URL ends as the server's manual says, often in /v1"
	case answer.StatusCode != http.StatusOK:
		return fatal, "its server answers with " + answer.Status + "; try again, or look into its log"
	}
	return listed(answer.Body, model)
}

func listed(body io.Reader, model string) (finding, string) {
	type entry struct {
		ID string `json:"id"`
	}
	var list struct {
		Data []entry `json:"data"`
	}
	if err := json.NewDecoder(io.LimitReader(body, 8<<20)).Decode(&list); err != nil {
		return worry, "its server answers, but not as one that speaks OpenAI's protocol; check OPENAI_BASE_URL"
	}
	if !slices.Contains(list.Data, entry{model}) {
		return worry, "its server answers, but does not list " + model + "; if sessions fail, choose another name with --model"
	}
	return fine, "its server answers, and lists it"
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
