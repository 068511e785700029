package wire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
)

const (
	// MaxTurn is how long, in bytes, a single event, or line, of the stream may be, and
	// also how much text, reasoning and arguments a turn may come to.
	MaxTurn = 10 << 20
	// maxStream bounds the whole stream with its wrapping and comments; a short
	// piece of text costs some 300 bytes of JSON.
	maxStream = 512 << 20
)

// ErrTooLong is a turn that is longer than MaxTurn.
var ErrTooLong = errors.New("more than 10 MB in one turn")

// Frames reads a stream of server-sent events
// (https://html.spec.whatwg.org/multipage/server-sent-events.html) and hands
// out the data of each.
//
// More than the standard asks, it takes the field "error" and bare lines that
// begin with a brace as data, since servers write errors so, and hands out a
// last event that no blank line ends.
type Frames struct {
	r    *bufio.Reader
	data []byte
	some bool // data has at least one line
	buf  []byte
	cr   bool // the byte before was \r
	size int64
	eof  bool
}

// NewFrames reads from r.
func NewFrames(r *bufio.Reader) *Frames { return &Frames{r: r} }

// Next returns the data of the next event; it is good until the next call. At
// the end it returns io.EOF. complete is false for a last event that the end
// of the stream cut off, or that lacks its blank line.
func (f *Frames) Next() (data []byte, complete bool, err error) {
	f.data, f.some = f.data[:0], false
	for !f.eof {
		line, err := f.line()
		if err == io.EOF {
			f.eof = true
		} else if err != nil {
			return nil, false, err
		}
		if len(line) == 0 && !f.eof {
			if f.some {
				return f.data, true, nil
			}
			continue
		}
		if err := f.field(line); err != nil {
			return nil, false, err
		}
	}
	if f.some {
		f.some = false
		return f.data, false, nil
	}
	return nil, false, io.EOF
}

func (f *Frames) field(line []byte) error {
	if len(line) == 0 || line[0] == ':' {
		return nil
	}
	value := line
	if line[0] != '{' {
		name, after, _ := bytes.Cut(line, []byte(":"))
		if n := string(name); n != "data" && n != "error" {
			return nil
		}
		value = bytes.TrimPrefix(after, []byte(" "))
	}
	if len(f.data)+len(value) >= MaxTurn {
		return ErrTooLong
	}
	if f.some {
		f.data = append(f.data, '\n')
	}
	f.data = append(f.data, value...)
	f.some = true
	return nil
}

// line reads one line without its end, which may be \n, \r\n or \r; it is good
// until the next call. At the end of the stream it returns what is left
// together with io.EOF.
func (f *Frames) line() ([]byte, error) {
	f.buf = f.buf[:0]
	for {
		if _, err := f.r.Peek(1); err != nil {
			return f.buf, err
		}
		chunk, _ := f.r.Peek(f.r.Buffered())
		// The \n of an \r\n is skipped when it comes, instead of looked for at
		// once, which would wait for the server's next event.
		if f.cr && chunk[0] == '\n' {
			f.take(1)
			f.cr = false
			continue
		}
		end := bytes.IndexAny(chunk, "\r\n")
		f.cr = end >= 0 && chunk[end] == '\r'
		if end >= 0 {
			f.buf = append(f.buf, chunk[:end]...)
			f.take(end + 1)
			return f.buf, nil
		}
		f.buf = append(f.buf, chunk...)
		f.take(len(chunk))
		if len(f.buf) > MaxTurn || f.size > maxStream {
			return nil, ErrTooLong
		}
	}
}

func (f *Frames) take(n int) {
	f.r.Discard(n)
	f.size += int64(n)
}

// FirstByte returns the first byte that is neither white space nor part of a
// byte order mark, without reading it.
func FirstByte(r *bufio.Reader) (byte, error) {
	for {
		b, err := r.ReadByte()
		if err != nil {
			return 0, err
		}
		if strings.IndexByte(" \t\r\n\ufeff", b) < 0 {
			return b, r.UnreadByte()
		}
	}
}
