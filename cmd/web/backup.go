package main

import (
	"context"
	"flag"
	"fmt"
	"io"

	"countersign/internal/db"
	"countersign/internal/fault"
)

// backup copies the database into one file, also beside a running server.
func backup(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) error {
	fset, data := dataFlags("backup", getenv, stderr)
	overwrite := fset.Bool("overwrite", false, "take the place of a file that is there")
	damaged := fset.Bool("damaged", false, "also if the check of the copy finds damage")
	file, err := fileAndFlags(fset, args)
	if err != nil {
		return err
	}
	store, err := openForReading(ctx, *data)
	if err != nil {
		return err
	}
	defer store.Close()
	n, err := store.Backup(ctx, file, db.BackupOptions{Overwrite: *overwrite, Damaged: *damaged, Found: findings(stdout)})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "%s: %d sessions with %d records\n", file, n.Sessions, n.Records)
	return err
}

// restore puts a backup in the place of the database, while no server runs.
func restore(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) error {
	fset, data := dataFlags("restore", getenv, stderr)
	damaged := fset.Bool("damaged", false, "also if the check of the backup finds damage")
	file, err := fileAndFlags(fset, args)
	if err != nil {
		return err
	}
	before, n, err := db.Restore(ctx, config{data: *data}.databasePath(), file, db.BackupOptions{Damaged: *damaged, Found: findings(stdout)})
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "restored %d sessions with %d records from %s\n", n.Sessions, n.Records, file)
	if before != "" {
		fmt.Fprintln(stdout, "the database from before is", before)
	}
	return nil
}

// fileAndFlags reads the flags before and after the one file that is named.
func fileAndFlags(fset *flag.FlagSet, args []string) (string, error) {
	if err := fset.Parse(args); err != nil {
		return "", err
	}
	file := fset.Arg(0)
	if fset.NArg() > 1 {
		if err := fset.Parse(fset.Args()[1:]); err != nil {
			return "", err
		}
		if fset.NArg() > 0 {
			file = ""
		}
	}
	if file == "" {
		return "", fault.New(fault.Invalid, "say which file: countersign %s FILE", fset.Name())
	}
	return file, nil
}
