package main

import (
	"context"
	"flag"
	"io"
	"log/slog"
	"path/filepath"

	"countersign/internal/db"
	"countersign/internal/fault"
	"countersign/internal/planning"
	"countersign/internal/review"
)

// export writes one session as JSON or Markdown. It opens the database for
// reading only, so it works beside a running server.
func export(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) error {
	fset := flag.NewFlagSet("export", flag.ContinueOnError)
	fset.SetOutput(stderr)
	data := fset.String("data", dataDir(getenv), "folder with the database")
	format := fset.String("format", "json", "json or markdown")
	if dir := getenv("COUNTERSIGN_DATA"); dir != "" {
		*data = dir
	}
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
	store, err := db.Open(ctx, db.Options{
		Path: filepath.Join(config{data: *data}.private(), databaseFile), Log: slog.New(slog.DiscardHandler), ReadOnly: true,
	})
	if err != nil {
		return err
	}
	defer store.Close()
	state, records, err := whole(ctx, store, session)
	if err != nil {
		return err
	}
	switch *format {
	case "json":
		return review.JSON(stdout, state, records)
	case "markdown", "md":
		_, err = io.WriteString(stdout, review.Markdown(state, records))
		return err
	default:
		return fault.New(fault.Invalid, "--format is %q; it can be json or markdown", *format)
	}
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
