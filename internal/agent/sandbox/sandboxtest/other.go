//go:build !linux

package sandboxtest

// Main runs the tests: there is nothing to attack here.
func Main(run func() int) int { return run() }
