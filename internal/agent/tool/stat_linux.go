package tool

import (
	"io/fs"
	"syscall"
	"time"
)

// changedAt is when a file was last changed in any way. Unlike the time of
// modification no program can set it.
func changedAt(info fs.FileInfo) time.Time {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return time.Unix(s.Ctim.Unix())
	}
	return info.ModTime()
}
