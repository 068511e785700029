package main

import (
	"context"
	"fmt"
	"io"

	"countersign/internal/db"
	"countersign/internal/fault"
)

// verify checks every session's chain of records, and the file they are in. It
// opens the database for reading only, so it works beside a running server.
func verify(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) error {
	fset, data := dataFlags("verify", getenv, stderr)
	if err := fset.Parse(args); err != nil {
		return err
	}
	store, err := openForReading(ctx, *data)
	if err != nil {
		return err
	}
	defer store.Close()
	wrong := 0
	say := findings(stdout)
	n, err := store.Verify(ctx, func(f db.Finding) {
		wrong++
		say(f)
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%d sessions with %d sound records\n", n.Sessions, n.Records)
	if wrong > 0 {
		return fault.New(fault.Invalid, "the database is damaged: %d things are wrong; a session whose record is damaged can be read only, and countersign restore puts a backup in its place", wrong)
	}
	return nil
}

// findings prints what is wrong, a line each.
func findings(out io.Writer) func(db.Finding) {
	return func(f db.Finding) { fmt.Fprintln(out, plainText(f.String())) }
}
