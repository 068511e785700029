package templates

import (
	"context"
	"fmt"

	"countersign/internal/planning"
	"countersign/web/lang"
)

// usageWords is what a session has used up, in one line: tokens in and out, how
// much of the input the provider had in its cache, and what it cost where that
// is known.
func usageWords(ctx context.Context, u planning.Usage) string {
	l := lang.Of(ctx)
	in, out := l.Short(u.Input), l.Short(u.Output)
	share := fmt.Sprintf("%d%%", u.CachedShare())
	cost, priced := costWords(u)
	switch {
	case u.Tokens() == 0:
		return l.Short(0)
	case u.Cached > 0 && priced:
		return tr(ctx, "%s in (%s cached), %s out · %s", in, share, out, cost)
	case u.Cached > 0:
		return tr(ctx, "%s in (%s cached), %s out", in, share, out)
	case priced:
		return tr(ctx, "%s in, %s out · %s", in, out, cost)
	}
	return tr(ctx, "%s in, %s out", in, out)
}

// cardUsage is the same for a row of the board, in fewer words.
func cardUsage(ctx context.Context, s planning.Summary) string {
	tokens := lang.Of(ctx).Short(s.Tokens)
	if cost, priced := costWords(s.Usage); priced {
		return tr(ctx, "%s tokens · %s", tokens, cost)
	}
	return tr(ctx, "%s tokens", tokens)
}

// costWords is the cost in US dollars, with as many digits as say something. It
// is not shown where there was nothing to pay for, or no price is known.
func costWords(u planning.Usage) (string, bool) {
	usd, known := u.USD()
	switch {
	case !known || u.Tokens() == 0:
		return "", false
	case usd > 0 && usd < 0.0001:
		return "< $0.0001", true
	case usd < 0.1:
		return fmt.Sprintf("$%.4f", usd), true
	}
	return fmt.Sprintf("$%.2f", usd), true
}
