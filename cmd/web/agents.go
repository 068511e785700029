package main

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"sync"

	"countersign/internal/agent"
	"countersign/internal/agent/llm"
	"countersign/internal/agent/mask"
	"countersign/internal/agent/sandbox"
	"countersign/internal/agent/tool"
	"countersign/internal/db"
	"countersign/internal/planning"
	"countersign/internal/webhook"
	"countersign/web"
)

// startAgents lets every commit reach those who watch and the runner, once
// what ran before has been put at rest. The runner comes with the first commit,
// which waits until it is known what this machine can sandbox: to answer and to
// show pages that need not be known.
func startAgents(ctx context.Context, cfg config, store *db.DB, known *models, hooks *webhook.Sender, logger *slog.Logger) (*web.Hub, func() *agent.Runner, error) {
	hub := web.NewHub(store, web.ActivityLine, logger)
	hidden, err := cfg.secrets(known.getenv)
	if err != nil {
		return nil, nil, err
	}
	worker := newAgent(cfg, store, hub, known, hidden, logger)
	if err := putAtRest(ctx, store, worker); err != nil {
		return nil, nil, err
	}
	runner := sync.OnceValue(func() *agent.Runner {
		giveTools(worker, cfg, hidden)
		return agent.NewRunner(worker)
	})
	store.SetOnCommit(func(s planning.State, records []planning.Record) {
		hub.Publish(s, records)
		runner().Notice(s)
		hooks.Notice(records)
	})
	store.SetOnDamage(hub.Damaged)
	return hub, runner, nil
}

// newAgent is the agent without its tools.
func newAgent(cfg config, store *db.DB, hub *web.Hub, known *models, hidden *mask.Masker, logger *slog.Logger) *agent.Agent {
	settings := agent.Defaults()
	settings.PlanPrompt = cfg.planPrompt
	settings.CompactAt = cfg.compactAt
	settings.ParallelTodos = cfg.parallelTodos
	tools := cfg.tools(hidden)
	return &agent.Agent{
		Log:      store,
		Live:     hub.Live(),
		Logger:   logger,
		Settings: settings,
		Models:   known.get,
		Price:    llm.Prices(cfg.prices, known.getenv),
		Window:   llm.Windows(cfg.windows, known.getenv),
		Happened: tools.Reconcile,
		Mask:     hidden,
		Toolbox:  cfg.toolbox(),

		Instructions: tools.Instructions(cfg.workspaces),
	}
}

// giveTools lets the agent do what this machine can keep within bounds.
func giveTools(a *agent.Agent, cfg config, hidden *mask.Masker) {
	tools := cfg.tools(hidden)
	tools.ShellOff = shellOff()
	a.Settings.Policy = cfg.policy(tools.ShellOff)
	a.Settings.Policy.Layer = sandbox.Detect().Overlay
	a.Tools = tool.All(tools)
}

func (c *config) tools(hidden *mask.Masker) tool.Config {
	return tool.Config{
		Protected: c.protected(), Held: filepath.Join(c.private(), "held"),
		ParallelTodos: c.parallelTodos, Mask: hidden,
	}
}

// shellOff says why this machine can't run commands safely, or "".
func shellOff() string {
	if s := sandbox.Detect(); !s.OK {
		return s.Reason
	}
	return ""
}

// putAtRest pauses the sessions that ran when the server went down: nothing
// runs on by itself. A damaged one takes no more records, and does not run.
func putAtRest(ctx context.Context, store *db.DB, a *agent.Agent) error {
	all, err := store.Sessions(ctx, "")
	if err != nil {
		return err
	}
	for _, s := range all {
		if s.Phase != planning.PhaseRunning {
			continue
		}
		err := a.Interrupt(ctx, s.ID, "The server was restarted.")
		if damage := (*planning.Damage)(nil); errors.As(err, &damage) {
			a.Logger.ErrorContext(ctx, "left as it is", "session", s.ID, "error", err)
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}
