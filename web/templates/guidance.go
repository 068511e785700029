package templates

import "context"

type guidedKey struct{}

// WithGuidance says to the pages of a request that nothing but the planning
// prompt keeps the agent from writing while it plans, so that none of them
// calls that read-only (P23).
func WithGuidance(ctx context.Context) context.Context {
	return context.WithValue(ctx, guidedKey{}, true)
}

// guided tells whether that is so.
func guided(ctx context.Context) bool {
	is, _ := ctx.Value(guidedKey{}).(bool)
	return is
}
