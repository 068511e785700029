package main

import (
	"sync"

	"countersign/internal/agent"
	"countersign/internal/agent/llm"
)

// models keeps one client a model: it remembers what its server can't do, and
// its connections stay open.
type models struct {
	getenv func(string) string
	mu     sync.Mutex
	open   map[string]agent.Model
}

func newModels(getenv func(string) string) *models {
	return &models{getenv: getenv, open: map[string]agent.Model{}}
}

// get returns the model of this name, or a fault.Fault that says why no
// session can use it.
func (m *models) get(name string) (agent.Model, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if model, ok := m.open[name]; ok {
		return model, nil
	}
	model, err := llm.Open(name, m.getenv)
	if err != nil {
		return nil, err
	}
	m.open[name] = model
	return model, nil
}

// check is get for those who only want to know.
func (m *models) check(name string) error {
	_, err := m.get(name)
	return err
}

// available are names of models that sessions can use as things stand.
func (m *models) available() []string { return llm.Available(m.getenv) }
