//go:build !linux

package tool

import (
	"io/fs"
	"time"
)

// changedAt is the nearest to it: commands run only on Linux, and nothing else
// needs more.
func changedAt(info fs.FileInfo) time.Time { return info.ModTime() }
