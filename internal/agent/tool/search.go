package tool

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"unicode/utf8"
)

// search collects the lines that match, up to a limit.
type search struct {
	re      *regexp.Regexp
	literal []byte // every match begins with it; a cheap test before the expression
	limit   int

	out     strings.Builder
	matches int
	files   int
	full    bool
	large   []string
	buffer  bytes.Buffer
}

func newSearch(re *regexp.Regexp, limit int) *search {
	literal, _ := re.LiteralPrefix()
	return &search{re: re, literal: []byte(literal), limit: limit}
}

// file searches one file. It returns errStop when there is no room for more;
// files that are binary or can't be read are left out.
func (s *search) file(dir *os.Root, base, name string) error {
	f, info, err := openIn(dir, base, name)
	if err != nil {
		return nil
	}
	defer f.Close()
	if info.Size() > maxSearched {
		if len(s.large) < 10 {
			s.large = append(s.large, name)
		}
		return nil
	}
	s.buffer.Reset()
	if _, err := s.buffer.ReadFrom(io.LimitReader(f, maxSearched)); err != nil {
		return nil
	}
	data := s.buffer.Bytes()
	if bytes.IndexByte(data[:min(len(data), sniffed)], 0) >= 0 || !bytes.Contains(data, s.literal) {
		return nil
	}
	before := s.matches
	err = s.lines(data, name)
	if s.matches > before {
		s.files++
	}
	return err
}

func (s *search) lines(data []byte, name string) error {
	for number := 1; len(data) > 0; number++ {
		line, rest, _ := bytes.Cut(data, []byte("\n"))
		data = rest
		line = bytes.TrimSuffix(line, []byte("\r"))
		if !bytes.Contains(line, s.literal) {
			continue
		}
		at := s.re.FindIndex(line)
		if at == nil {
			continue
		}
		if s.matches == s.limit || s.out.Len() > maxGrepAnswer {
			s.full = true
			return errStop
		}
		s.matches++
		fmt.Fprintf(&s.out, "%s:%d:%s\n", strings.ToValidUTF8(name, "\uFFFD"), number, excerpt(line, at[0]))
	}
	return nil
}

// excerpt is the line, or of a long line the part around the match.
func excerpt(line []byte, at int) string {
	if len(line) <= maxMatchLine {
		return strings.ToValidUTF8(string(line), "\uFFFD")
	}
	from := max(0, min(at-maxMatchLine/4, len(line)-maxMatchLine))
	for from > 0 && from < len(line) && !utf8.RuneStart(line[from]) {
		from++
	}
	text, cut := cutText(string(line[from:]), maxMatchLine)
	if from > 0 {
		text = "…" + text
	}
	if cut {
		text += "…"
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}
