package review

import (
	"testing"

	"countersign/internal/planning"
)

// What a comment quotes may be gone before the agent gets it: the letter says
// so, and does not let it look for words that are not there.
func TestReview_R4_TheLetterSaysThatAQuoteIsGone(t *testing.T) {
	d := newDesk(t, 1)
	d.submit(firstPlan)
	step := d.step(4)
	d.ok(Comment(d.s, bo, NewComment{Thread: "t", Version: 1, Step: step.ID, Quote: "Write tests", Body: "For what?"}))
	d.has("Quoted from it:\n```\nWrite tests\n```\n")
	d.ok(d.edit(ana, NewEdit{Op: planning.EditRewrite, Step: step.ID, Markdown: "4. Test the queue"}))
	d.has("Quoted from it, as it was before; these words are not in it any more:\n```\nWrite tests\n```\n")
}
