//go:build unix

package db

import "os"

// syncOpen waits until a file, or the names in a folder, are on disk.
func syncOpen(f *os.File) error { return f.Sync() }
