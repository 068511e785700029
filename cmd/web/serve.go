package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"syscall"
	"time"

	"countersign/internal/agent"
	"countersign/internal/agent/llm"
	"countersign/internal/agent/sandbox"
	"countersign/internal/db"
	"countersign/internal/fault"
	"countersign/internal/review"
	"countersign/internal/webhook"
	"countersign/web"
)

var _ web.Store = (*db.DB)(nil)

// patrolAfter is how long the first pages have the machine for themselves before
// all records are checked.
const patrolAfter = 2 * time.Second

// stopTime bounds how long the end of the server may take.
const stopTime = 6 * time.Second

// serve runs until ctx ends. It opens what it needs in order and closes it in
// the opposite one: first no new requests, then no more agents, then the log.
func serve(ctx context.Context, cfg config, getenv func(string) string, stdout, stderr io.Writer) error {
	defer sandbox.KeepReady()()
	go sandbox.Detect() // it starts processes, and the server answers meanwhile
	logger := newLogger(cfg.logLevel, stderr)
	cfg.model = llm.Resolve(cfg.model, getenv)
	known := newModels(getenv)
	if err := known.check(cfg.model); err != nil {
		return err
	}
	plain, err := listen(ctx, cfg.addr)
	if err != nil {
		return err
	}
	defer plain.Close()
	listener := cfg.secured(plain)
	store, err := openStore(ctx, cfg, logger)
	if err != nil {
		return err
	}
	defer closeStore(store, logger)

	sample, err := writeSample(cfg.data)
	if err != nil {
		return err
	}
	cfg.workspaces = append(cfg.workspaces, sample)
	hooks, err := startWebhooks(ctx, cfg, store, listener, logger)
	if err != nil {
		return err
	}
	defer hooks.Stop()
	path, err := ownersLink(ctx, cfg, store, getenv)
	if err != nil {
		return err
	}
	hub, runner, err := startAgents(ctx, cfg, store, known, hooks, logger)
	if err != nil {
		return err
	}
	site := web.New(webConfig(cfg, sample, known, listener, hooks), store, hub, logger)
	announce(cfg, listener, path, stdout)
	store.Patrol(patrolAfter)
	return handle(ctx, site, listener, runner, logger)
}

// ownersLink is the path of a link with which the owner signs in, once.
func ownersLink(ctx context.Context, cfg config, store *db.DB, getenv func(string) string) (string, error) {
	owner, err := ensureOwner(ctx, cfg, store, getenv)
	if err != nil {
		return "", err
	}
	return web.NewLink(ctx, store, review.Link{Person: owner.ID})
}

// announce says where the server listens and how the owner signs in.
func announce(cfg config, listener net.Listener, path string, stdout io.Writer) {
	base := cfg.baseURL(listener)
	fmt.Fprintf(stdout, "listening on %s\nsign in (works once): %s%s\n", base, base, path)
	openBrowser(cfg, base+path, stdout)
}

// handle serves until ctx ends, then stops within stopTime.
func handle(ctx context.Context, site *web.Web, listener net.Listener, runner func() *agent.Runner, logger *slog.Logger) error {
	server := site.HTTP()
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	logger.Info("stopping")
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
	defer cancel()
	err := errors.Join(site.Shutdown(stop), server.Shutdown(stop))
	rest, done := context.WithTimeout(context.WithoutCancel(ctx), stopTime/3)
	defer done()
	err = errors.Join(err, runner().Stop(rest))
	<-failed
	return err
}

func newLogger(level string, w io.Writer) *slog.Logger {
	var l slog.Level
	_ = l.UnmarshalText([]byte(level)) // the settings have been checked
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: l}))
}

func listen(ctx context.Context, addr string) (net.Listener, error) {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", addr)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fault.New(fault.Unavailable, "%s is taken by another program; choose another address with --addr, or port 0 for a free one", addr)
	case err != nil:
		return nil, fault.New(fault.Invalid, "can't listen on %s: %v", addr, err)
	}
	return l, nil
}

func openStore(ctx context.Context, cfg config, logger *slog.Logger) (*db.DB, error) {
	if err := os.MkdirAll(cfg.private(), 0o700); err != nil {
		return nil, fault.New(fault.Invalid, "the data folder can't be made: %v", err)
	}
	return db.Open(ctx, db.Options{Path: cfg.databasePath(), Log: logger})
}

func closeStore(store *db.DB, logger *slog.Logger) {
	if err := store.Close(); err != nil {
		logger.Error("closing the database", "error", err)
	}
}

func webConfig(cfg config, sample string, known *models, listener net.Listener, hooks *webhook.Sender) web.Config {
	host, _, _ := net.SplitHostPort(listener.Addr().String())
	return web.Config{
		Guidance: cfg.enforcement == "guidance", Allowed: cfg.allowed,
		Version: version, Workspaces: cfg.workspaces, Sample: sample, Private: cfg.private(),
		Model: cfg.model, Approvals: cfg.approvals, Rules: cfg.rules(),
		Shell: func() string { return cfg.policy(shellOff()).PlanShell }, Hosts: append([]string{host}, cfg.hosts...), Proxies: cfg.proxies,
		CheckModel: known.check, Models: known.available, SignInIdle: cfg.signInIdle, OpenID: cfg.openID, Webhooks: hooks,
	}
}
