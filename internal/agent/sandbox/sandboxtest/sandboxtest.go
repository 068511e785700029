// Package sandboxtest attacks a sandbox. It has a table of attempts to change,
// read or reach what must not be, and a small world for them in which every
// effect can be seen from outside. Only tests use it.
//
// Whatever a shell can't do, such as a single system call, the test program does
// itself: its TestMain calls Main, which becomes that attempt when it was
// started for one. So nothing but a base system has to be installed.
package sandboxtest

// Attack is an attempt that must come to nothing.
type Attack struct {
	Kind  string // what the table of counts calls it
	Name  string
	Shell string // what sh runs, with the names of World.Fill in braces
	// Needs is a program beyond the base system, without which the attempt is
	// not made and counts as not made.
	Needs string
	// Tame says that it has no effect, or only a dangerous one, on an
	// unprotected machine, so that it can't be shown to bite.
	Tame bool
}

// Secret must never come out of a command.
const Secret = "s3cr3t-0f-the-server"

// Effect is printed by an attempt whose success can't be seen from outside.
const Effect = "EFFECT"
