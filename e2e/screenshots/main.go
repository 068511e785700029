// Screenshots plays a story on the built program and takes pictures of its
// pages: in light and dark, wide and narrow, in every language.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"countersign/e2e/rig"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "screenshots:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("screenshots", flag.ContinueOnError)
	to := flags.String("to", "docs/pictures", "the folder for the pictures")
	whole := flags.Bool("whole", false, "show pages as high as they are, to look for faults")
	if err := flags.Parse(args); err != nil {
		return err
	}
	browser := rig.Chromium()
	if browser == "" {
		return errors.New("there is no Chromium on this machine, so no picture was taken: install chromium or google-chrome")
	}
	if err := os.MkdirAll(*to, 0o755); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "countersign-pictures-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	binary, err := rig.Build(dir)
	if err != nil {
		return err
	}
	taken := 0
	for _, s := range []story{english, chinese} {
		n, err := tell(ctx, s, tools{browser: browser, binary: binary, dir: dir, to: *to, whole: *whole})
		taken += n
		if err != nil {
			return fmt.Errorf("the story in %q: %w", s.language, err)
		}
	}
	fmt.Fprintf(stdout, "%d pictures are in %s\n", taken, *to)
	return nil
}

// tools are what a story is told with.
type tools struct {
	browser, binary string // paths
	dir             string // for all that is needed only meanwhile
	to              string // folder of the pictures
	whole           bool   // pages as high as they are
}

// tell plays a story and takes its pictures; it returns how many.
func tell(ctx context.Context, s story, with tools) (taken int, err error) {
	st := &stage{ctx: ctx, story: s, tools: with}
	defer st.close(&err)
	st.open()
	st.play()
	return st.pictures(), nil
}
