package web

import (
	"context"
	"strings"

	"countersign/internal/planning"
	"countersign/web/templates"

	"github.com/aymanbagabas/go-udiff"
)

// notes are the comments on lines of the file between the two records of f,
// each with the place where its line is now.
func (s *server) notes(ctx context.Context, st planning.State, f templates.FileDiff) ([]templates.ShownNote, error) {
	var list []templates.ShownNote
	for _, c := range st.LineComments {
		if !f.About(c) {
			continue
		}
		n := templates.ShownNote{LineComment: c, Delivered: st.Delivered(c.Seq)}
		var err error
		if n.At, err = s.lineNow(ctx, st.ID, c, f.ChangeSpan); err != nil {
			return nil, err
		}
		if n.Answered, err = s.answerTo(ctx, st.ID, c); err != nil {
			return nil, err
		}
		list = append(list, n)
	}
	return list, nil
}

// answerTo reads what the agent wrote; the zero value is no answer yet.
func (s *server) answerTo(ctx context.Context, session string, c planning.LineComment) (templates.NoteAnswer, error) {
	if c.Answer == 0 {
		return templates.NoteAnswer{}, nil
	}
	records, err := s.store.Records(ctx, session, c.Answer-1, 1)
	if err != nil || len(records) == 0 {
		return templates.NoteAnswer{}, err
	}
	payload, err := records[0].Payload()
	m, _ := payload.(planning.ModelMessage)
	return templates.NoteAnswer{By: records[0].Actor, At: records[0].At, Text: m.Text}, err
}

// lineNow is the number of a comment's line in the text that the page shows: of
// a removed line in the text before the span, of another in the one after it.
// It is 0 if the line is not in that text.
func (s *server) lineNow(ctx context.Context, session string, c planning.LineComment, span planning.ChangeSpan) (int, error) {
	end := span.Last
	if c.Old {
		end = span.First
	}
	if c.Record == end {
		return c.Line, nil
	}
	then, err := fileChanged(ctx, s.store, session, c.Record)
	if err != nil {
		return 0, err
	}
	now, err := fileChanged(ctx, s.store, session, end)
	if err != nil || then.Omitted != "" || now.Omitted != "" {
		return 0, err
	}
	if c.Old {
		return sameLine(then.Before, now.Before, c.Line), nil
	}
	return sameLine(then.After, now.After, c.Line), nil
}

// sameLine is the number that a line of one text has in another, 0 if it isn't
// there. Lines count from 1.
func sameLine(from, to string, line int) int {
	start := 0
	for range line - 1 {
		end := strings.IndexByte(from[start:], '\n')
		if end < 0 {
			return 0
		}
		start += end + 1
	}
	shift := 0
	for _, e := range udiff.Lines(from, to) {
		if e.Start > start {
			break
		}
		if e.End > start {
			return 0
		}
		shift += strings.Count(e.New, "\n") - strings.Count(from[e.Start:e.End], "\n")
	}
	return line + shift
}
