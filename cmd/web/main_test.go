package main

import (
	"errors"
	"testing"

	"countersign/internal/fault"
)

// What an error quotes can't drive the terminal that it is shown on.
func TestSentence_ObeysNothing(t *testing.T) {
	hostile := "a\x1b[2Jb\x07\u009bc\u202ed\r"
	for _, err := range []error{errors.New(hostile), fault.New(fault.Invalid, "%s", hostile)} {
		if got := sentence(err); got != "a\uFFFD[2Jb\uFFFD\uFFFDc\uFFFDd\uFFFD" {
			t.Errorf("%q", got)
		}
	}
}
