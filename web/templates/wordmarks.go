package templates

import (
	"regexp"
	"strings"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// marker writes the tokens out. Words that are gone are held until a place
// comes where text may stand.
type marker struct {
	mark [2]string // the tags around words that came
	out  strings.Builder
	open []string // names of the open elements
	gone strings.Builder
	ins  bool   // an <ins> is open
	gap  string // blanks after the last word in it, which may be outside of it
}

func (m *marker) token(kind diffmatchpatch.Operation, t string) {
	tag := t[0] == '<'
	switch kind {
	case diffmatchpatch.DiffDelete:
		if !tag {
			m.gone.WriteString(t)
		} else if blockInside.MatchString(t) || strings.HasPrefix(t, "<li") {
			m.gone.WriteString(" ")
		}
	case diffmatchpatch.DiffInsert:
		m.write(t, tag, !tag && strings.TrimSpace(t) != "")
	default:
		m.write(t, tag, false)
	}
}

// write puts out a token of the new text. Blanks neither begin an <ins> nor
// end one; a tag always ends it.
func (m *marker) write(t string, tag, inserted bool) {
	switch {
	case m.ins && inserted:
		m.out.WriteString(m.gap + t)
		m.gap = ""
		return
	case m.ins && !tag && strings.TrimSpace(t) == "":
		m.gap += t
		return
	}
	m.endInsert()
	m.deleted()
	if inserted {
		m.out.WriteString(m.mark[0])
		m.ins = true
	}
	m.out.WriteString(t)
	if tag {
		m.track(t)
	}
}

func (m *marker) endInsert() {
	if m.ins {
		m.out.WriteString(m.mark[1] + m.gap)
		m.ins, m.gap = false, ""
	}
}

// deleted puts out what is held, in the form that fits where it stands.
func (m *marker) deleted() {
	text := m.gone.String()
	if strings.TrimSpace(text) == "" {
		m.gone.Reset()
		return
	}
	marked := deleted[0] + text + deleted[1]
	parent := ""
	if n := len(m.open); n > 0 {
		parent = m.open[n-1]
	}
	switch parent {
	case "table", "thead", "tbody", "tr":
		return // text here would be moved out of the table; it waits for a cell
	case "ul", "ol":
		marked = `<li class="gone">` + marked + `</li>`
	case "", "blockquote":
		marked = `<p class="gone">` + marked + `</p>`
	}
	m.out.WriteString(marked)
	m.gone.Reset()
}

func (m *marker) flush() {
	m.endInsert()
	m.open = nil
	m.deleted()
}

var tagName = regexp.MustCompile(`^</?([a-z0-9]+)`)

// track follows which elements are open.
func (m *marker) track(tag string) {
	name := tagName.FindStringSubmatch(tag)
	if name == nil {
		return
	}
	switch {
	case strings.HasPrefix(tag, "</"):
		if n := len(m.open); n > 0 {
			m.open = m.open[:n-1]
		}
	case name[1] == "br", name[1] == "hr", name[1] == "img", name[1] == "input", strings.HasSuffix(tag, "/>"):
	default:
		m.open = append(m.open, name[1])
	}
}
