package web

import (
	"context"
	"net/http"
	"strconv"

	"countersign/internal/planning"
	"countersign/web/templates"

	"github.com/labstack/echo/v4"
)

// What a page of changes shows in full, before it folds the rest: reading and
// comparing all files of a long session would make everybody wait for what
// nobody looks at.
var inFull = most{files: 20, lines: 1000}

// most is how much is shown; what reaches one of the two comes still.
type most struct{ files, lines int }

// changesPage shows what became of the files, by file or by what was being
// done (R11).
func (s *server) changesPage(c echo.Context) error {
	return s.changesWith(c, http.StatusOK, askedNote(c), c.QueryParam("by") == "step")
}

func (s *server) changesWith(c echo.Context, status int, note templates.LineNote, byStep bool) error {
	st, err := s.canView(c)
	if err != nil {
		return err
	}
	p := templates.ChangesPage{
		Page: s.sessionBase(c, st), State: st, ByStep: byStep, Sent: c.QueryParam("sent") != "", Note: note,
	}
	p.Open, _ = strconv.ParseInt(c.QueryParam("open"), 10, 64)
	only, _ := strconv.ParseInt(c.QueryParam("only"), 10, 64)
	if p.Groups, err = s.changeGroups(c.Request().Context(), p, only, inFull); err != nil {
		return err
	}
	return render(c, status, templates.Changes(p))
}

// askedNote is the line that the address opens for a comment.
func askedNote(c echo.Context) templates.LineNote {
	line, err := strconv.Atoi(c.QueryParam("line"))
	record, bad := strconv.ParseInt(c.QueryParam("record"), 10, 64)
	if err != nil || bad != nil {
		return templates.LineNote{}
	}
	return templates.LineNote{Record: record, Line: line, Old: c.QueryParam("side") == "old"}
}

// changeGroups puts the page together. If only is a file's first record, that
// one is read and no other.
func (s *server) changeGroups(ctx context.Context, p templates.ChangesPage, only int64, most most) ([]templates.ChangeGroup, error) {
	groups := changesByFile(p.State)
	if p.ByStep {
		groups = changesByStep(p.State)
	}
	files, lines := 0, 0
	for g := range groups {
		kept := groups[g].Files[:0]
		for _, f := range groups[g].Files {
			asked := f.Covers(p.Open) || f.First == only || f.Covers(p.Note.Record) || only == 0 && f.Noted(p.State)
			if only == 0 && files < most.files && lines < most.lines || asked {
				if err := s.load(ctx, p.State, &f); err != nil {
					return nil, err
				}
				if f.Same && !asked {
					continue
				}
				files++
				lines += f.Lines()
			}
			kept = append(kept, f)
		}
		groups[g].Files = kept
	}
	return groups, nil
}

// load compares a file, and finds the comments on its lines.
func (s *server) load(ctx context.Context, st planning.State, f *templates.FileDiff) error {
	change, same, err := compareSpan(ctx, s.store, st.ID, f.Path, f.ChangeSpan)
	if err != nil {
		return err
	}
	f.Loaded, f.Same = true, same
	f.Added, f.Removed, f.Omitted = change.Added, change.Removed, change.Omitted
	for _, h := range change.Hunks {
		var hunk templates.DiffHunk
		for _, l := range h.Lines {
			hunk.Lines = append(hunk.Lines, templates.DiffLine(l))
		}
		f.Hunks = append(f.Hunks, hunk)
	}
	f.Notes, err = s.notes(ctx, st, *f)
	return err
}
