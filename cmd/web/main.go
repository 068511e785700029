// Command web is Countersign: it serves the pages and the API, and runs the
// agents of the sessions.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"unicode"

	"countersign/internal/agent/sandbox"
	"countersign/internal/fault"
)

// version is set at release time by the linker.
var version = "0.1.0-dev"

func main() {
	sandbox.Init() // becomes the sandbox's helper if it was started as one
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "countersign: "+sentence(err))
		os.Exit(1)
	}
}

// sentence is what a person at a terminal gets to read of an error.
func sentence(err error) string {
	if f, ok := fault.As(err); ok {
		return plainText(f.Message)
	}
	return plainText(err.Error())
}

// plainText replaces what a terminal would obey, and what would turn a line
// around: names and messages from elsewhere can hold anything.
func plainText(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.In(r, unicode.Bidi_Control) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

// run does what the arguments say. Everything that it takes from the outside
// comes in as a parameter, so that tests can call it.
func run(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) error {
	command := ""
	if len(args) > 0 && args[0] != "" && args[0][0] != '-' {
		command, args = args[0], args[1:]
	}
	switch command {
	case "", "serve":
		cfg, err := parse(args, getenv, stderr)
		if err != nil {
			return err
		}
		return serve(ctx, cfg, getenv, stdout, stderr)
	case "version":
		_, err := fmt.Fprintln(stdout, "countersign", version)
		return err
	case "doctor":
		return doctor(ctx, args, getenv, stdout, stderr)
	case "export":
		return export(ctx, args, getenv, stdout, stderr)
	case "rebuild":
		return rebuild(ctx, args, getenv, stdout, stderr)
	case "verify":
		return verify(ctx, args, getenv, stdout, stderr)
	case "backup":
		return backup(ctx, args, getenv, stdout, stderr)
	case "restore":
		return restore(ctx, args, getenv, stdout, stderr)
	default:
		return fault.New(fault.Invalid, "there is no command %q; the commands are serve, doctor, export, verify, backup, restore, rebuild and version", command)
	}
}
