package review

import (
	"io"

	"countersign/internal/fault"
	"countersign/internal/planning"
)

// Format is a form in which a session can be exported.
type Format string

// The formats, named as the ends of their files' names.
const (
	FormatMarkdown Format = "md"
	FormatJSON     Format = "json"
)

// ParseFormat reads the word for a format: "json", and "markdown" or "md". Any
// other is fault.Invalid at the field "format".
func ParseFormat(word string) (Format, error) {
	switch word {
	case "json":
		return FormatJSON, nil
	case "markdown", "md":
		return FormatMarkdown, nil
	}
	return "", fault.New(fault.Invalid, "The format is %q; it can be \"json\" or \"markdown\" (or \"md\").", word).At("format")
}

// MediaType is the Content-Type of a file in this format.
func (f Format) MediaType() string {
	if f == FormatJSON {
		return "application/json"
	}
	return "text/markdown; charset=utf-8"
}

// Write writes a session in this format. The records are the whole log up to
// the state.
func (f Format) Write(w io.Writer, s planning.State, records []planning.Record) error {
	if f == FormatJSON {
		return JSON(w, s, records)
	}
	_, err := io.WriteString(w, Markdown(s, records))
	return err
}
