package db

import (
	"context"
	"io"
	"log/slog"
)

// The tests here are rows of what must hold when something breaks. Each says
// its figures as an attribute, which `make faults` prints.

// openQuietly opens a database over which things will break.
func openQuietly(path string) (*DB, error) {
	return Open(context.Background(), Options{Path: path, Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
}
