package tool

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// line is one line of a file.
type line struct {
	text []byte // without its end, and no more of it than is shown
	end  string // "\n", "\r\n", or "" for a last line without one
	size int    // bytes, with the end
}

// nextLine reads one line. It keeps one byte more than is shown of a long one.
func nextLine(in *bufio.Reader) (l line, err error) {
	var tail [2]byte // of the line so far
	for {
		part, err := in.ReadSlice('\n')
		l.size += len(part)
		for _, b := range part[max(0, len(part)-2):] {
			tail[0], tail[1] = tail[1], b
		}
		if room := maxLine + 3 - len(l.text); room > 0 {
			l.text = append(l.text, part[:min(room, len(part))]...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		switch {
		case tail == [2]byte{'\r', '\n'}:
			l.end = "\r\n"
		case tail[1] == '\n':
			l.end = "\n"
		}
		l.text = l.text[:min(len(l.text), l.size-len(l.end))]
		return l, err
	}
}

// page is a range of lines as they are told to the model.
type page struct {
	text    strings.Builder
	first   int
	shown   int
	total   int
	atLeast bool  // total was not counted to the end
	cut     bool  // the answer was full before the range was
	lf      int   // lines of the whole file that end with LF alone
	crlf    int   // and with CR LF, as far as the file was read
	ends    []int // the lines shown that end with CR LF
	repair  bool  // something was not UTF-8
}

// readLines reads the lines from first to last; last 0 means to the end.
func readLines(r io.Reader, first, last int) (*page, error) {
	p := &page{first: first}
	in := bufio.NewReaderSize(r, 64<<10)
	for read := 0; ; {
		line, err := nextLine(in)
		if line.size > 0 {
			p.total++
			p.count(line.end)
			read += line.size
			if p.total >= first && (last == 0 || p.total <= last) && !p.cut {
				p.add(line)
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return p, nil
		case err != nil:
			return p, err
		case read > maxCounted:
			p.atLeast = true
			return p, nil
		}
	}
}

// count keeps the tally of line ends in the whole file.
func (p *page) count(end string) {
	switch end {
	case "\n":
		p.lf++
	case "\r\n":
		p.crlf++
	}
}

func (p *page) add(line line) {
	text := string(line.text)
	if shown := strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD"); shown != text && line.size <= maxLine {
		text, p.repair = shown, true
	}
	if short, cut := cutText(strings.ToValidUTF8(text, ""), maxLine); cut || line.size-len(line.end) > maxLine {
		text = fmt.Sprintf("%s… [line cut here; it has %d bytes]", short, line.size)
	}
	if p.text.Len()+len(text)+1 > maxAnswer-1<<10 {
		p.cut = true
		return
	}
	if line.end == "\r\n" {
		p.ends = append(p.ends, p.total)
	}
	p.text.WriteString(text)
	p.text.WriteByte('\n')
	p.shown++
}

func (p *page) render(name string) string {
	total := fmt.Sprint(p.total)
	if p.atLeast {
		total = "more than " + total
	}
	head := fmt.Sprintf("[%s: lines %d–%d of %s", name, p.first, p.first+p.shown-1, total)
	if p.total == 0 {
		head = fmt.Sprintf("[%s: empty", name)
	}
	head += p.endings()
	if p.repair {
		head += "; bytes that are no text are shown as \uFFFD"
	}
	if p.cut {
		head += fmt.Sprintf("; the answer was full, go on with start_line %d", p.first+p.shown)
	}
	return head + "]\n" + p.text.String()
}

// maxRanges is how many ranges of lines a note lists.
const maxRanges = 12

// endings says which line ends are not shown. In a file that has only one sort
// edit_file sees to them; in a mixed one it takes them as they stand.
func (p *page) endings() string {
	switch {
	case p.crlf == 0:
		return ""
	case p.lf == 0:
		return "; lines end with CR LF, shown without the CR"
	case len(p.ends) == 0:
		return "; line ends are mixed in this file, those shown are LF"
	case len(p.ends) == p.shown:
		return "; line ends are mixed in this file, those shown are CR LF, shown without the CR; edit_file needs \\r\\n there"
	default:
		return fmt.Sprintf("; line ends are mixed: CR LF at %s, shown without the CR, and LF at the others; edit_file needs \\r\\n there", ranges(p.ends))
	}
}

// ranges writes line numbers, which go up, as "lines 1–3, 7".
func ranges(lines []int) string {
	var parts []string
	for i := 0; i < len(lines); {
		if len(parts) == maxRanges {
			parts = append(parts, "and more")
			break
		}
		j := i
		for j+1 < len(lines) && lines[j+1] == lines[j]+1 {
			j++
		}
		part := fmt.Sprint(lines[i])
		if j > i {
			part = fmt.Sprintf("%d–%d", lines[i], lines[j])
		}
		parts = append(parts, part)
		i = j + 1
	}
	if len(lines) == 1 {
		return "line " + parts[0]
	}
	return "lines " + strings.Join(parts, ", ")
}
