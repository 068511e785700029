package db

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"testing"
)

// The tests here are rows of what must hold when something breaks. Each says
// its figures as an attribute, which `make faults` prints.

// many is how often a fault is tried: a few times in every run of the tests,
// often in the long form.
func many(short, long int) int {
	if os.Getenv("FAULTS") == "long" {
		return long
	}
	return short
}

func figures(t *testing.T, format string, args ...any) {
	t.Attr("figures", fmt.Sprintf(format, args...))
}

// openQuietly opens a database over which things will break.
func openQuietly(path string) (*DB, error) {
	return Open(context.Background(), Options{Path: path, Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
}
