//go:build !unix

package mcp

import "os/exec"

// ownGroup does nothing here: the program itself is all that can be ended.
func ownGroup(*exec.Cmd) {}

func endGroup(cmd *exec.Cmd) error { return cmd.Process.Kill() }
