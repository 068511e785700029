package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"

	"countersign/internal/db"
	"countersign/internal/fault"
	"countersign/internal/planning"
	"countersign/internal/review"
)

// export writes one session as JSON or Markdown. It opens the database for
// reading only, so it works beside a running server.
func export(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) error {
	fset, data := dataFlags("export", getenv, stderr)
	format := fset.String("format", "json", "json or markdown")
	session, rest := "", args
	if len(args) > 0 && args[0] != "" && args[0][0] != '-' {
		session, rest = args[0], args[1:]
	}
	if err := fset.Parse(rest); err != nil {
		return err
	}
	if session == "" {
		session = fset.Arg(0)
	}
	if session == "" {
		return fault.New(fault.Invalid, "say which session: countersign export SESSION [--format json|markdown]")
	}
	as, err := review.ParseFormat(*format)
	if err != nil {
		return err
	}
	store, err := openForReading(ctx, *data)
	if err != nil {
		return err
	}
	defer store.Close()
	state, records, err := whole(ctx, store, session)
	if err != nil {
		return err
	}
	return as.Write(stdout, state, records)
}

// dataFlags are the flags of a command that works on the data folder.
func dataFlags(command string, getenv func(string) string, stderr io.Writer) (*flag.FlagSet, *string) {
	fset := flag.NewFlagSet(command, flag.ContinueOnError)
	fset.SetOutput(stderr)
	dir := dataDir(getenv)
	if d := getenv("COUNTERSIGN_DATA"); d != "" {
		dir = d
	}
	return fset, fset.String("data", dir, "folder with the database")
}

// openForReading opens the database of a data folder for a command that changes
// nothing, also beside a running server.
func openForReading(ctx context.Context, data string) (*db.DB, error) {
	return db.Open(ctx, db.Options{Path: config{data: data}.databasePath(), Log: slog.New(slog.DiscardHandler), ReadOnly: true})
}

// rebuild makes the read models and snapshots anew from the events, those that
// can still be read: it goes on without what a damaged WAL has lost.
func rebuild(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) error {
	fset, data := dataFlags("rebuild", getenv, stderr)
	if err := fset.Parse(args); err != nil {
		return err
	}
	cfg := config{data: *data}
	if _, err := os.Stat(cfg.databasePath()); err != nil {
		return fault.New(fault.NotFound, "there is no database in %s", *data)
	}
	store, err := db.Open(ctx, db.Options{
		Path: cfg.databasePath(), Log: newLogger("warn", stderr), AcceptLoss: true,
	})
	if err != nil {
		return err
	}
	if err := errors.Join(store.Rebuild(ctx), store.Close()); err != nil {
		return err
	}
	_, err = fmt.Fprintln(stdout, "lists and snapshots were made anew from the events")
	return err
}

// whole reads a session's log up to the state that goes with it.
func whole(ctx context.Context, log planning.Log, session string) (planning.State, []planning.Record, error) {
	state, err := log.State(ctx, session)
	if err != nil {
		return state, nil, err
	}
	var all []planning.Record
	for int64(len(all)) < state.Seq {
		page, err := log.Records(ctx, session, int64(len(all)), 0)
		if err != nil {
			return state, nil, err
		}
		if len(page) == 0 {
			break
		}
		all = append(all, page...)
	}
	return state, all[:min(int64(len(all)), state.Seq)], nil
}
