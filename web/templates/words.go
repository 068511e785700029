package templates

import (
	"fmt"
)

// The sentences that depend on a number or a state. Each is whole, so that it
// can be put into another language as it stands.

func count(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return fmt.Sprintf(many, n)
}

func openComments(n int) string {
	return count(n, "1 open comment", "%d open comments")
}

func rewrites(n int) string {
	return count(n, "1 change by reviewers", "%d changes by reviewers")
}

func approvals(n, needed int) string {
	if needed == 1 {
		return count(n, "1 approval", "%d approvals")
	}
	return fmt.Sprintf("%d of %d approvals", n, needed)
}

// approveWords is the button for the nth approval of those needed.
func approveWords(n, needed int) string {
	if n < needed {
		return fmt.Sprintf("Approve (%d of %d)", n, needed)
	}
	return "Approve & run"
}

func filesInPlan(n int) string {
	return count(n, "May write · 1 file", "May write · %d files")
}

func lostFiles(n int) string {
	return count(n, "May write 1 file that no step names any more", "May write %d files that no step names any more")
}

func notKept(n int) string {
	return count(n, "The model did not keep 1 thing that reviewers wrote", "The model did not keep %d things that reviewers wrote")
}

func answersOf(answered, all, version int) string {
	return fmt.Sprintf("answers %d of %d comments on v%d", answered, all, version)
}
