package templates

import "context"

// approvals counts them; a plan that needs one alone has no "of".
func approvals(ctx context.Context, n, needed int) string {
	if needed == 1 {
		return tr(ctx, "%d approvals", n)
	}
	return tr(ctx, "%d of %d approvals", n, needed)
}

// approveWords is the button for the nth approval of those needed.
func approveWords(ctx context.Context, n, needed int) string {
	if n < needed {
		return tr(ctx, "Approve (%d of %d)", n, needed)
	}
	return tr(ctx, "Approve & run")
}
