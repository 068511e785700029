package main

import (
	"flag"
	"net/url"
	"strings"
	"time"

	"countersign/internal/fault"
	"countersign/internal/review"
)

// oidcTable is the table of a settings file that names an OpenID Connect issuer.
const oidcTable = "oidc"

// Bounds of how long a browser stays signed in that is not used.
const (
	defaultIdle  = 30 * 24 * time.Hour
	shortestIdle = 10 * time.Minute
	longestIdle  = 366 * 24 * time.Hour
)

// signInFlags adds the settings about how people sign in.
func signInFlags(fset *flag.FlagSet, c *config) {
	fset.DurationVar(&c.signInIdle, "sign-in-idle", defaultIdle, "sign a browser out that was not used for so long")
	fset.StringVar(&c.openID.Issuer, "oidc-issuer", "", "OpenID Connect issuer that people can sign in with")
	fset.StringVar(&c.openID.ClientID, "oidc-client-id", "", "what the issuer calls this server")
	// A plain string for the flag; everywhere else it does not show itself.
	fset.StringVar((*string)(&c.openID.Secret), "oidc-client-secret", "", "the secret that the issuer gave this server")
	fset.StringVar((*string)(&c.openID.Role), "oidc-role", "", "role of people from the issuer whom nobody invited (default: they are not let in)")
}

// checkSignIn checks the settings about how people sign in.
func (c *config) checkSignIn() error {
	if c.signInIdle < shortestIdle || c.signInIdle > longestIdle {
		return fault.New(fault.Invalid, "--sign-in-idle is %s; it can be 10m to 8784h", c.signInIdle)
	}
	o := c.openID
	if o.Issuer == "" {
		if o.ClientID != "" || o.Secret != "" || o.Role != "" {
			return fault.New(fault.Invalid, "--oidc-client-id, --oidc-client-secret and --oidc-role need --oidc-issuer")
		}
		return nil
	}
	u, err := url.Parse(o.Issuer)
	switch {
	case err != nil || u.Host == "" || u.User != nil || strings.ContainsAny(o.Issuer, "?#") ||
		u.Scheme != "https" && (u.Scheme != "http" || !ownMachine(u.Hostname())):
		return fault.New(fault.Invalid, "--oidc-issuer is %q; it is to be the issuer's address as it gives it itself, with https:// (http:// only on this machine)", o.Issuer)
	case o.ClientID == "":
		return fault.New(fault.Invalid, "--oidc-issuer needs --oidc-client-id, which the issuer gives to this server")
	case o.Role == review.RoleOwner:
		return fault.New(fault.Invalid, "--oidc-role can't be owner: everybody at the issuer could remove everybody here")
	case o.Role != "" && !o.Role.Valid():
		return fault.New(fault.Invalid, "--oidc-role is %q; it can be viewer, reviewer or approver", o.Role)
	}
	return nil
}
