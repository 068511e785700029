package tool

import (
	"fmt"
	"strings"
	"time"

	"countersign/internal/agent/sandbox"
)

// describe is the answer for the model: how it ended, what it printed, and
// what became of what it wrote.
func (s *shellRun) describe(r sandbox.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "[%s after %s]\n", ending(r), r.Duration.Round(100*time.Millisecond))
	b.WriteString(r.Output)
	if r.Output != "" && !strings.HasSuffix(r.Output, "\n") {
		b.WriteByte('\n')
	}
	if r.Output == "" {
		b.WriteString("[it printed nothing]\n")
	}
	list(&b, "Written and thrown away, because the session is not allowed to change anything now", r.Discarded)
	list(&b, "Changed", s.written)
	list(&b, "Written, but not kept", s.outside)
	list(&b, "Made and removed again, because it is protected", r.Removed)
	if s.env.Shell.Hold && s.before != nil {
		b.WriteString("[It could write nothing but the files that the plan lists. If it has to, set ask: a person can then allow it beforehand.]\n")
	}
	if s.layered && (r.TimedOut || r.Cancelled || r.Stopped != "") {
		b.WriteString("[Nothing that it wrote was kept, because it did not end of itself.]\n")
	}
	return b.String()
}

func list(b *strings.Builder, what string, paths []string) {
	if len(paths) == 0 {
		return
	}
	fmt.Fprintf(b, "[%s: %s", what, strings.ToValidUTF8(strings.Join(paths[:min(len(paths), maxListed)], ", "), "\uFFFD"))
	if more := len(paths) - maxListed; more > 0 {
		fmt.Fprintf(b, " and %d more", more)
	}
	b.WriteString("]\n")
}

func ending(r sandbox.Result) string {
	switch {
	case r.TimedOut:
		return "timed out: it was ended with everything that it started"
	case r.Cancelled:
		return "cancelled"
	case r.Stopped != "":
		return "ended. " + r.Stopped + " That was"
	default:
		return fmt.Sprintf("exit %d", r.ExitCode)
	}
}

// summary is the short form for people.
func (s *shellRun) summary(r sandbox.Result) string {
	text := fmt.Sprintf("exit %d", r.ExitCode)
	switch {
	case r.TimedOut:
		text = "timed out"
	case r.Cancelled:
		text = "cancelled"
	case r.Stopped != "":
		text = "ended: " + strings.TrimSuffix(r.Stopped, ".")
	}
	if n := len(s.written); n > 0 {
		text += ", changed " + count(n, "file")
	}
	if n := len(r.Discarded) + len(s.outside); n > 0 {
		text += fmt.Sprintf(", %s not kept", count(n, "change"))
	}
	return text
}
