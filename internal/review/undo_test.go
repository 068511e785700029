package review

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"countersign/internal/fault"
	"countersign/internal/planning"

	"github.com/google/go-cmp/cmp"
)

func (d *desk) lastEdit() planning.Edit {
	d.t.Helper()
	edits := d.plan().Edits
	if len(edits) == 0 {
		d.t.Fatal("no edit")
	}
	return edits[len(edits)-1]
}

func (d *desk) undo(by Person, e planning.Edit) ([]planning.Event, error) {
	return Undo(d.s, by, d.plan().Version, e.Seq)
}

// plansToEdit are of every form that steps can have.
var plansToEdit = map[string]string{
	"list":       firstPlan,
	"loose list": "# T\n\n1. One\n\n2. Two\n\n   more\n\n3. Three\n",
	"headings":   "# T\r\n\r\nWhy.\r\n\r\n## Step 1: One\r\n\r\na\r\n\r\n## Step 2: Two\r\n\r\nb\r\n\r\n## Step 3: Three\r\n\r\nc",
	"texts":      "# T\n\nIntro.\n\n1. Alpha\n\nBetween one.\n\n2. Beta\n\nBetween two.\n\n3. Gamma\n",
	"tasks":      "# T\n\n- [ ] One\n- [ ] Two\n- [ ] Three\n\nEnd.\n",
	"chinese":    "# 标题\n\n## 第一步：看\n\n读 a.go。\n\n## 第二步：改\n\n改 a.go。\n\n## 第三步：查\n\n测试。\n",
}

var editsToUndo = map[string]func(d *desk) NewEdit{
	"rewrite": func(d *desk) NewEdit {
		return NewEdit{Op: planning.EditRewrite, Step: d.step(2).ID, Markdown: "Another"}
	},
	"insert":          func(d *desk) NewEdit { return NewEdit{Op: planning.EditInsert, After: d.step(1).ID, Markdown: "New"} },
	"insert first":    func(d *desk) NewEdit { return NewEdit{Op: planning.EditInsert, Markdown: "New"} },
	"delete":          func(d *desk) NewEdit { return NewEdit{Op: planning.EditDelete, Step: d.step(2).ID} },
	"delete the last": func(d *desk) NewEdit { return NewEdit{Op: planning.EditDelete, Step: d.step(3).ID} },
	"move":            func(d *desk) NewEdit { return NewEdit{Op: planning.EditMove, Step: d.step(1).ID, After: d.step(3).ID} },
	"move to the top": func(d *desk) NewEdit { return NewEdit{Op: planning.EditMove, Step: d.step(3).ID} },
	"rewrite the lead": func(d *desk) NewEdit {
		return NewEdit{Op: planning.EditRewrite, Step: d.plan().Blocks[0].ID, Markdown: "# Other"}
	},
}

// What was there before an edit is there again, byte for byte, with every
// step's identity and every thread in its place. So is its hash, and with it an
// approval that stood on it.
func TestReview_R6_UndoPutsBackWhatWasThere(t *testing.T) {
	for form, markdown := range plansToEdit {
		for name, edit := range editsToUndo {
			t.Run(form+"/"+name, func(t *testing.T) {
				d := newDesk(t, 2)
				d.submit(markdown, "a.go")
				d.comment(chen, "t", 2, "on two")
				d.ok(d.verdict(ana, planning.VerdictApprove, ""))
				before := d.plan()
				d.ok(d.edit(bo, edit(d)))
				if d.plan().SHA256 == before.SHA256 || len(d.plan().ValidApprovals()) != 0 {
					t.Fatal("the edit changed nothing")
				}
				d.ok(d.undo(bo, d.lastEdit()))
				after := d.plan()
				if after.Markdown != before.Markdown || after.SHA256 != before.SHA256 || after.Title != before.Title {
					t.Fatalf("the plan is\n%q\nand was\n%q", after.Markdown, before.Markdown)
				}
				if diff := cmp.Diff(before.Blocks, after.Blocks); diff != "" {
					t.Errorf("blocks: %s", diff)
				}
				if th, _ := d.s.Thread("t"); th.Detached || th.OldText != "" {
					t.Errorf("the thread is detached: %+v", th)
				}
				if len(after.ValidApprovals()) != 1 {
					t.Error("an approval of exactly this text does not stand")
				}
				if e := d.lastEdit(); e.Undone == nil || e.Undone.By.Name != "Bo" || len(after.Standing()) != 0 {
					t.Errorf("the edit: %+v", e)
				}
			})
		}
	}
}

// Undoing one of several leaves the others as they are.
func TestReview_R6_UndoLeavesWhatOthersDid(t *testing.T) {
	d := newDesk(t, 1)
	d.submit(firstPlan)
	d.ok(d.edit(bo, NewEdit{Op: planning.EditDelete, Step: d.step(2).ID}))
	deleted := d.lastEdit()
	d.ok(d.edit(chen, NewEdit{Op: planning.EditRewrite, Step: d.step(1).ID, Markdown: "1. Store the state in a file"}))
	d.ok(d.edit(chen, NewEdit{Op: planning.EditInsert, After: d.step(3).ID, Markdown: "Announce it"}))
	d.ok(d.undo(bo, deleted))
	var titles []string
	for _, b := range d.plan().Steps() {
		titles = append(titles, b.Title)
	}
	want := []string{"Store the state in a file", "Skip paused jobs", "Add commands", "Write tests", "Announce it"}
	if diff := cmp.Diff(want, titles); diff != "" {
		t.Error(diff)
	}
	d.has("Step 1 `Store the state` was rewritten by Chen", "A step was inserted by Chen")
	d.lacks("deleted", "Bo")
}

func TestReview_R6_UndoSaysWhoseLaterChangeStandsInTheWay(t *testing.T) {
	for name, later := range map[string]func(d *desk) NewEdit{
		"a rewrite of the same": func(d *desk) NewEdit {
			return NewEdit{Op: planning.EditRewrite, Step: d.step(2).ID, Markdown: "2. Mine"}
		},
		"a deletion": func(d *desk) NewEdit { return NewEdit{Op: planning.EditDelete, Step: d.step(2).ID} },
		"a move":     func(d *desk) NewEdit { return NewEdit{Op: planning.EditMove, Step: d.step(2).ID, After: d.step(4).ID} },
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, 1)
			d.submit(firstPlan)
			d.ok(d.edit(bo, NewEdit{Op: planning.EditRewrite, Step: d.step(2).ID, Markdown: "2. Bo's"}))
			first := d.lastEdit()
			d.ok(d.edit(chen, later(d)))
			_, err := d.undo(bo, first)
			wantCode(t, "undo below a later change", err, fault.Conflict)
			f, _ := fault.As(err)
			now, _ := f.Current.(map[string]any)
			if !strings.Contains(f.Message, "Chen") || now["by"] != "Chen" || now["edit"] != d.lastEdit().Seq {
				t.Errorf("%q, %v", f.Message, now)
			}
			// With that one undone, nothing stands in the way.
			d.ok(d.undo(chen, d.lastEdit()))
			d.ok(d.undo(bo, first))
			if d.plan().Markdown != firstPlan {
				t.Errorf("the plan is\n%s", d.plan().Markdown)
			}
		})
	}
}

// Whoever writes on a step that an undo takes away hears of it as of a step that
// was deleted, so that what they typed comes back.
func TestReview_R6_AStepThatAnUndoTookAwayIsAConflict(t *testing.T) {
	d := newDesk(t, 1)
	d.submit(firstPlan)
	d.ok(d.edit(bo, NewEdit{Op: planning.EditInsert, After: d.step(1).ID, Markdown: "New"}))
	step := d.lastEdit().Step
	d.ok(d.undo(bo, d.lastEdit()))
	_, err := d.edit(chen, NewEdit{Op: planning.EditRewrite, Step: step, Markdown: "Newer"})
	wantCode(t, "a rewrite of the step that is gone", err, fault.Conflict)
	if f, _ := fault.As(err); f.Message != "Bo has deleted this step." {
		t.Errorf("%q", f.Message)
	}
	_, err = d.edit(chen, NewEdit{Op: planning.EditRewrite, Step: "b99", Markdown: "Newer"})
	wantCode(t, "a step that there never was", err, fault.NotFound)
}

func TestReview_R6_WhoMayUndo(t *testing.T) {
	d := newDesk(t, 1)
	d.submit(firstPlan)
	rewrite := func() planning.Edit {
		d.ok(d.edit(chen, NewEdit{Op: planning.EditRewrite, Step: d.step(1).ID, Markdown: fmt.Sprint("1. No. ", d.s.Seq)}))
		return d.lastEdit()
	}
	e := rewrite()
	_, err := d.undo(bo, e)
	wantCode(t, "an approver undoes somebody else's", err, fault.Forbidden)
	_, err = d.undo(guest, e)
	wantCode(t, "a viewer", err, fault.Forbidden)
	_, err = Undo(d.s, chen, 1, 999)
	wantCode(t, "no such edit", err, fault.NotFound)
	d.ok(d.undo(ana, e)) // an owner
	_, err = d.undo(chen, e)
	wantCode(t, "twice", err, fault.Conflict)
	if !strings.Contains(err.Error(), "Ana") {
		t.Errorf("it does not say who: %v", err)
	}
	e = rewrite()
	d.ok(d.verdict(bo, planning.VerdictApprove, ""))
	_, err = d.undo(chen, e)
	wantCode(t, "after the decision", err, fault.Conflict)
}

// Whatever is done and undone in whatever order, with all of it undone the plan
// is what the model submitted.
func TestReview_R6_UndoInAnyOrder(t *testing.T) {
	for form, markdown := range plansToEdit {
		for seed := range uint64(12) {
			t.Run(fmt.Sprintf("%s/%d", form, seed), func(t *testing.T) {
				d := newDesk(t, 1)
				first := d.submit(markdown, "a.go")
				r := rand.New(rand.NewPCG(seed, 1))
				for range 12 {
					if standing := d.plan().Standing(); len(standing) > 0 && r.IntN(3) == 0 {
						if events, err := d.undo(ana, standing[r.IntN(len(standing))]); err == nil {
							d.record(events...)
						}
						continue
					}
					if events, err := d.edit(bo, randomEdit(d, r)); err == nil {
						d.record(events...)
					}
				}
				for _, e := range slices.Backward(d.plan().Standing()) {
					d.ok(d.undo(ana, e))
				}
				if d.plan().Markdown != first.Markdown || d.plan().SHA256 != first.SHA256 {
					t.Errorf("the plan is\n%q\nand was\n%q", d.plan().Markdown, first.Markdown)
				}
				if diff := cmp.Diff(first.Blocks, d.plan().Blocks); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}

func randomEdit(d *desk, r *rand.Rand) NewEdit {
	steps := d.plan().Steps()
	pick := func() string { return steps[r.IntN(len(steps))].ID }
	text := fmt.Sprintf("Something else %d", r.IntN(100))
	switch r.IntN(4) {
	case 0:
		return NewEdit{Op: planning.EditRewrite, Step: pick(), Markdown: text}
	case 1:
		return NewEdit{Op: planning.EditInsert, After: pick(), Markdown: text}
	case 2:
		return NewEdit{Op: planning.EditDelete, Step: pick()}
	default:
		return NewEdit{Op: planning.EditMove, Step: pick(), After: pick()}
	}
}
