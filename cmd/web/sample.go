package main

import (
	"embed"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"countersign/internal/fault"
)

// sampleFiles is a small project to try things on. Its Go files carry a second
// ending, so that they are no package of this module.
//
//go:embed all:sample
var sampleFiles embed.FS

// writeSample puts the sample workspace into the data folder, unless it is
// there: what people have done to it stays.
func writeSample(data string) (string, error) {
	dir := filepath.Join(data, "sample")
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return "", fault.New(fault.Invalid, "the sample workspace can't be read: %v", err)
	}
	err := fs.WalkDir(sampleFiles, "sample", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		to := filepath.Join(data, filepath.FromSlash(strings.TrimSuffix(name, ".txt")))
		if d.IsDir() {
			return os.MkdirAll(to, 0o755)
		}
		text, err := sampleFiles.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(to, text, 0o644)
	})
	if err != nil {
		return "", fault.New(fault.Invalid, "the sample workspace can't be written: %v", err)
	}
	return dir, nil
}
