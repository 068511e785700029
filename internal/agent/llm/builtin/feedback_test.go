package builtin

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestReadFeedback(t *testing.T) {
	const head = "The plan was reviewed by Ana, Bo and Chen. Please change it and submit it again with submit_plan.\n"
	tests := map[string]struct {
		text string
		want feedback
	}{
		"comments": {
			head + "\nOn the plan as a whole, opened on version 2:\nAna wrote in an earlier round:\n```\none\ntwo\n\nthree\n```\nBo wrote:\n```\nfour\n```\n" +
				"\nOn step 2 ``A `b` “c” was rewritten by Eve``:\nQuoted from it:\n```\nquoted\nmore\n```\nChen wrote:\n````\nfive\n```\nAna wrote:\n```\n````\n" +
				"\nOn `Verification`:\n`Bo wrote` wrote:\n```\nseven\n```\n\nOn `Old`, which is not in the plan any more, opened on version 1:\nBo wrote:\n```\neight\n```\n" +
				"\nOn a part without a title:\nBo wrote:\n```\n\n```\n\nOn step 3:\nBo wrote:\n```\nnine\n\n```\n\nNote from Ana:\n```\nten\n```\n",
			feedback{verdict: changesWanted, comments: []comment{
				{by: "Ana", text: "one\ntwo\n\nthree", earlier: true}, {by: "Bo", text: "four"},
				{step: 2, title: "A `b` “c” was rewritten by Eve", quote: "quoted\nmore", by: "Chen", text: "five\n```\nAna wrote:\n```"},
				{title: "Verification", by: "Bo wrote", text: "seven"}, {title: "Old", gone: true, by: "Bo", text: "eight"},
				{title: untitled, by: "Bo"}, {step: 3, by: "Bo", text: "nine\n"},
				{by: "Ana", text: "ten"},
			}},
		},
		"edits": {
			head + "\nStep 3 `T` was rewritten by Bo. Keep it word for word:\n````\n## 3. T\n```\nx\r\n```\n\nOn step 1 `no`:\n````\n\n`V` was rewritten by A. B.. Keep it word for word:\n```\n\n```\n" +
				"\nStep 1 `D` was deleted by ``a` was deleted by b``. Leave it out.\n\n`W` was deleted by Bo. Leave it out.\n\nA part without a title was deleted by Bo. Leave it out.\n" +
				"\nA step was inserted by Ana. Keep it word for word:\n```\nnew\n```\n\nThe steps are now, in this order: 2, new, 3.\n",
			feedback{verdict: changesWanted, order: []int{2, 0, 3}, edits: []edit{
				{op: rewritten, step: 3, title: "T", by: "Bo", text: "## 3. T\n```\nx\r\n```\n\nOn step 1 `no`:"},
				{op: rewritten, title: "V", by: "A. B.", text: ""},
				{op: deleted, step: 1, title: "D", by: "a` was deleted by b"}, {op: deleted, title: "W", by: "Bo"}, {op: deleted, by: "Bo"},
				{op: inserted, by: "Ana", text: "new"},
			}},
		},
		"agreed, corrected, taken back": {
			head + "\nOn step 2 `T`:\nAna wrote, agreed by Bo, `x wrote`:\n```\none\n```\nBo wrote in an earlier round, agreed by Ana:\n```\ntwo\n```\n" +
				"Chen corrected a comment of an earlier round. It said:\n```\nAna wrote:\n```\nIt says now, agreed by Bo:\n```\nthree\n```\nBo took back a comment of an earlier round:\n```\nfour\n```\n" +
				"\nWhat the plan may change and run was set by Bo. Submit it with exactly this:\n```\n{\"files\":[\"a\"],\"commands\":[\"b\"]}\n```\n",
			feedback{verdict: changesWanted, comments: []comment{
				{step: 2, title: "T", by: "Ana", text: "one"}, {step: 2, title: "T", by: "Bo", text: "two", earlier: true}, {step: 2, title: "T", by: "Chen", text: "three"},
			}, scope: &scopeArgs{Files: []string{"a"}, Commands: []string{"b"}}},
		},
		"nothing": {head + "\nNo comment was made. Look again.\n", feedback{verdict: changesWanted}},
		"approved": {
			"Approved by Ana and Bo. Carry out exactly this plan now.\n\nThe reviewers changed it. This is the final text:\n`````\n# T\n\n````\nApproved\n````\n`````\n\nOnly these files may be changed: `a`, `b`\n\nOn step 1 `T`:\nChen wrote:\n```\ncareful: hot\n```\n",
			feedback{verdict: approved, final: "# T\n\n````\nApproved\n````", comments: []comment{{step: 1, title: "T", by: "Chen", text: "careful: hot"}}},
		},
		"abandoned":   {"The plan was abandoned by Ana. The session is over; do nothing more.\n", feedback{verdict: abandoned}},
		"other":       {"plan: the title is missing", feedback{}},
		"empty":       {"", feedback{}},
		"cut fence":   {head + "\nA step was inserted by Ana. Keep it word for word:\n```\nx", feedback{verdict: changesWanted, edits: []edit{{op: inserted, by: "Ana", text: "x"}}}},
		"no fence":    {head + "\nA step was inserted by Ana. Keep it word for word:\n", feedback{verdict: changesWanted, edits: []edit{{op: inserted, by: "Ana"}}}},
		"unannounced": {head + "\nOn step 1 `T`:\nAna said:\n```\nBo wrote:\n````\nx\n```\nNobody's line.\n", feedback{verdict: changesWanted}},
		"no thread":   {head + "\nBo wrote:\n```\nx\n```\n", feedback{verdict: changesWanted}},
		"a long list": {"Approved by A, B, C and D. Carry out exactly this plan now.\n", feedback{verdict: approved}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			have := readFeedback(test.text)
			if d := cmp.Diff(test.want, have, cmp.AllowUnexported(feedback{}, comment{}, edit{}), cmpopts.EquateEmpty()); d != "" {
				t.Error(d)
			}
		})
	}
}

func FuzzFeedback(f *testing.F) {
	f.Add("The plan was reviewed by Ana. \n\nOn step 1 `x`:\nQuoted from it:\n```\nq\n```\nAna wrote:\n```\ny\n```\n\nStep 1 `x` was rewritten by Bo. Keep it word for word:\n```\n")
	f.Fuzz(func(t *testing.T, text string) { readFeedback(text) })
}
