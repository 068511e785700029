package builtin

import "testing"

// A quote that is not in its step any more is read like any other one.
func TestFeedback_R4_AQuoteThatIsGone(t *testing.T) {
	got := readFeedback("The plan was reviewed by Ana. Please submit a new version.\n\n" +
		"On step 1 `Read`:\nQuoted from it, as it was before; these words are not in it any more:\n```\ntwice\n```\nBo wrote:\n```\nOnce.\n```\n")
	if len(got.comments) != 1 || got.comments[0].quote != "twice" || got.comments[0].text != "Once." {
		t.Errorf("%+v", got.comments)
	}
}
