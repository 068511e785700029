package main

import (
	"maps"
	"slices"
	"strings"

	"countersign/internal/agent/llm/catalog"
	"countersign/internal/agent/mask"
)

// secrets are the values that nothing which is recorded, shown or sent to a
// model may hold: the keys of the models' providers, the owner's token, and
// what issuer, webhooks and servers of tools know this server by.
func (c config) secrets(getenv func(string) string) (*mask.Masker, error) {
	token, err := c.ownerToken()
	if err != nil {
		return nil, err
	}
	values := []string{token, string(c.openID.Secret)}
	for _, p := range catalog.Providers() {
		values = append(values, strings.TrimSpace(getenv(p.KeyVar())))
	}
	for _, t := range c.webhooks {
		values = append(values, t.Secret, t.URL)
	}
	for _, s := range c.servers {
		for v := range maps.Values(s.Headers) {
			values = append(values, v, v[strings.LastIndex(v, " ")+1:]) // behind "Bearer"
		}
		for name, v := range s.Env {
			if secretName(name) {
				values = append(values, v)
			}
		}
	}
	return mask.New(values...), nil
}

// secretName tells whether a variable of this name holds a secret; others hold
// paths and words, which results are full of.
func secretName(name string) bool {
	name = strings.ToUpper(name)
	return slices.ContainsFunc([]string{"KEY", "TOKEN", "SECRET", "PASS"}, func(s string) bool { return strings.Contains(name, s) })
}
