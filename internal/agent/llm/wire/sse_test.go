package wire

import (
	"bufio"
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

func readFrames(r io.Reader) (data []string, complete bool, err error) {
	f := NewFrames(bufio.NewReaderSize(r, 16))
	for {
		d, whole, err := f.Next()
		if err == io.EOF {
			return data, complete, nil
		} else if err != nil {
			return data, complete, err
		}
		data, complete = append(data, string(d)), whole
	}
}

func TestFrames(t *testing.T) {
	tests := map[string]struct {
		stream string
		want   []string
	}{
		"empty":                {"", nil},
		"one":                  {"data: a\n\n", []string{"a"}},
		"no space":             {"data:a\n\n", []string{"a"}},
		"one space is dropped": {"data:  a\n\n", []string{" a"}},
		"several lines":        {"data: a\ndata: b\ndata\n\n", []string{"a\nb\n"}},
		"CRLF, several lines":  {"data: a\r\ndata: b\r\n\r\ndata: c\r\n\r\n", []string{"a\nb", "c"}},
		"CR":                   {"data: a\rdata: b\r\rdata: c\r\r", []string{"a\nb", "c"}},
		"mixed line ends":      {"data: a\r\ndata: b\n\r\ndata: c\r\r\n", []string{"a\nb", "c"}},
		"other fields":         {"event: x\nid: 1\nretry: 5\ndata: a\n: comment\n\n", []string{"a"}},
		"fields without data":  {"event: x\n\n\n\n", nil},
		"a field like data":    {"database: a\n\ndata2: b\n\n", nil},
		"no end":               {"data: a\n\ndata: b", []string{"a", "b"}},
		"a line end, no blank": {"data: a\n", []string{"a"}},
		"empty data":           {"data:\n\n", []string{""}},
		"bare object":          {`{"a":"b: c"}` + "\n\n", []string{`{"a":"b: c"}`}},
		"the field error":      {`error: {"a":1}` + "\n\n", []string{`{"a":1}`}},
	}
	for name, test := range tests {
		for kind, wrap := range map[string]func(io.Reader) io.Reader{
			"whole": func(r io.Reader) io.Reader { return r }, "bytes": iotest.OneByteReader, "halves": iotest.HalfReader, "data with EOF": iotest.DataErrReader,
		} {
			have, _, err := readFrames(wrap(strings.NewReader(test.stream)))
			if err != nil {
				t.Errorf("%s, %s: %v", name, kind, err)
			}
			if d := cmp.Diff(test.want, have); d != "" {
				t.Errorf("%s, %s: %s", name, kind, d)
			}
		}
	}
}

func TestFrames_SaysWhichIsCut(t *testing.T) {
	for stream, want := range map[string]bool{"data: a\n\n": true, "data: a\n": false, "data: a": false} {
		if _, complete, _ := readFrames(strings.NewReader(stream)); complete != want {
			t.Errorf("%q: complete is %v", stream, complete)
		}
	}
}

// An event is handed out when its blank line is there; the reader does not
// wait for what comes behind it.
func TestFrames_DoesNotWaitForMore(t *testing.T) {
	for _, end := range []string{"\n\n", "\r\n\r\n", "\r\r"} {
		r, w := io.Pipe()
		written := make(chan error, 1)
		go func() {
			_, err := io.WriteString(w, "data: a"+end)
			written <- err
		}()
		data, _, err := NewFrames(bufio.NewReader(r)).Next()
		if err != nil || string(data) != "a" {
			t.Errorf("%q: got %q, %v", end, data, err)
		}
		r.Close()
		<-written
	}
}

func TestFrames_Error(t *testing.T) {
	_, _, err := readFrames(io.MultiReader(strings.NewReader("data: a\n"), iotest.ErrReader(io.ErrClosedPipe)))
	if err != io.ErrClosedPipe {
		t.Errorf("got %v", err)
	}
}

// However the bytes come, the events are the same; and what a server writes as
// an event is read as it was written.
func FuzzFrames(f *testing.F) {
	f.Add([]byte("data: a\r\ndata: b\r\n\r\n"), uint8(3))
	f.Add([]byte("data:\r\r\n\n: x\nevent: y\ndata: {}\n\ndata: z"), uint8(1))
	f.Add([]byte("{\"error\":1}\n\nerror: x\n"), uint8(5))
	f.Fuzz(func(t *testing.T, stream []byte, size uint8) {
		whole, cut, err := readFrames(bytes.NewReader(stream))
		pieces, cutToo, errToo := readFrames(&chunks{stream, int(size)%7 + 1})
		if cmp.Diff(whole, pieces) != "" || cut != cutToo || err != errToo {
			t.Errorf("whole %q %v, in pieces %q %v", whole, err, pieces, errToo)
		}
		text := strings.NewReplacer("\r", "", "\n", "").Replace(string(stream))
		again, _, err := readFrames(strings.NewReader("data: " + text + "\n\ndata: end\n\n"))
		if d := cmp.Diff([]string{text, "end"}, again); d != "" || err != nil {
			t.Error(d, err)
		}
	})
}

// chunks hands out n bytes a time.
type chunks struct {
	left []byte
	n    int
}

func (c *chunks) Read(p []byte) (int, error) {
	if len(c.left) == 0 {
		return 0, io.EOF
	}
	n := copy(p, c.left[:min(c.n, len(c.left))])
	c.left = c.left[n:]
	return n, nil
}
