package review

import "time"

// Look is what a person saw of a plan, and when. The zero Look stands for
// nothing.
type Look struct {
	Version int
	SHA256  string // of the text; empty for how the version stands
	At      time.Time
}
