package templates

import (
	"context"
	"strconv"

	"countersign/internal/review"
)

// DeedsPage is who did what about accounts, the newest first.
type DeedsPage struct {
	Page
	Deeds []review.Deed
	Older int64 // where the page before this one begins, counted back; 0 if there is none
	Later bool  // there is a page after this one
}

// deedWords is a line of the record, in a whole sentence.
func deedWords(ctx context.Context, d review.Deed) string {
	by, name := deedName(ctx, d.ByName), deedName(ctx, d.Name)
	role := func(text string) string { return roleName(ctx, review.Role(text)) }
	switch d.Kind {
	case review.DeedAdded:
		return tr(ctx, "%s added %s as %s", by, name, role(d.Detail))
	case review.DeedJoined:
		if d.More == "" {
			return tr(ctx, "%s joined as %s", name, role(d.Detail))
		}
		return tr(ctx, "%s joined as %s, invited by %s", name, role(d.Detail), visible(d.More))
	case review.DeedReadmitted:
		return tr(ctx, "%s let %s in again as %s", by, name, role(d.Detail))
	case review.DeedRole:
		return tr(ctx, "%s made %s %s; before: %s", by, name, role(d.Detail), role(d.More))
	case review.DeedRemoved:
		return tr(ctx, "%s removed %s", by, name)
	case review.DeedInvited, review.DeedWithdrawn:
		return invitationWords(ctx, d, by, role(d.Detail))
	default:
		return signInWords(ctx, d, by, name)
	}
}

func invitationWords(ctx context.Context, d review.Deed, by, role string) string {
	made := d.Kind == review.DeedInvited
	switch {
	case made && d.More != "":
		return tr(ctx, "%s made an invitation as %s for %s", by, role, visible(d.More))
	case made:
		return tr(ctx, "%s made an invitation as %s", by, role)
	case d.More != "":
		return tr(ctx, "%s withdrew an invitation as %s for %s", by, role, visible(d.More))
	default:
		return tr(ctx, "%s withdrew an invitation as %s", by, role)
	}
}

func signInWords(ctx context.Context, d review.Deed, by, name string) string {
	switch d.Kind {
	case review.DeedLink:
		return tr(ctx, "%s made a sign-in link for %s", by, name)
	case review.DeedSignedIn:
		if words := viaWords(review.Via(d.Detail)); words != "" && d.More != "" {
			return tr(ctx, "%s signed in %s: %s", name, tr(ctx, words), browserName(ctx, d.More))
		}
		return tr(ctx, "%s signed in", name)
	case review.DeedSignOut:
		n, _ := strconv.Atoi(d.Detail)
		return tr(ctx, "%d sign-ins of %s were ended by %s", n, name, by)
	case review.DeedToken:
		return tr(ctx, "%s made the token “%s” as %s", by, visible(d.Detail), roleName(ctx, review.Role(d.More)))
	case review.DeedRevoked:
		return tr(ctx, "%s revoked the token “%s” of %s", by, visible(d.Detail), name)
	case review.DeedConnected:
		return tr(ctx, "%s connected an account at %s", name, visible(d.Detail))
	default:
		return visible(string(d.Kind))
	}
}

// deedName is a person as the record names them; nobody is the server.
func deedName(ctx context.Context, name string) string {
	if name == "" {
		return tr(ctx, "the server")
	}
	return visible(name)
}
