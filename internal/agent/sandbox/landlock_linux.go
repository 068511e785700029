package sandbox

import (
	"fmt"
	"os"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// Versions of Landlock that matter here.
const (
	landlockNetwork = 4 // restricts TCP
	landlockScoped  = 6 // keeps signals and abstract sockets in
)

// versions are the sets of rights, by version.
var versions = []landlock.Config{
	{}, landlock.V1, landlock.V2, landlock.V3, landlock.V4, landlock.V5, landlock.V6,
	landlock.V7, landlock.V8, landlock.V9, landlock.V10, landlock.V11,
}

// signalsKept is the erratum without whose fix version 6 does not keep in the
// signals that one thread sends to another.
const signalsKept = 1 << 1

// landlockVersion is what the kernel offers, 0 if nothing.
func landlockVersion() int {
	v, err := ll.LandlockGetABIVersion()
	if err != nil {
		return 0
	}
	if v >= landlockScoped {
		if errata, err := ll.LandlockGetErrata(); err != nil || errata&signalsKept == 0 {
			v = landlockScoped - 1
		}
	}
	return min(v, len(versions)-1)
}

// ruleset makes the set of rules: all rights of the version are restricted,
// and exactly these are given back. It fails rather than restrict less.
func (o confinement) ruleset() (fd int, flags uint32, err error) {
	if o.Landlock < 1 || o.Landlock >= len(versions) {
		return -1, 0, fmt.Errorf("landlock version %d", o.Landlock)
	}
	config := versions[o.Landlock]
	if o.Namespaces || o.Network {
		// TCP inside a net namespace reaches nobody, and tests need it.
		config = landlock.Config{HandledAccessFS: config.HandledAccessFS, Scoped: config.Scoped}
	}
	rules := pathRules(o.Read, landlock.RODirs, landlock.ROFiles)
	rules = append(rules, pathRules(o.Write, o.folder, landlock.RWFiles)...)
	rules = append(rules, o.folder(o.Scratch...))
	if len(o.Names) > 0 {
		rules = append(rules, landlock.PathAccess(ll.AccessFSReadDir, o.Names...))
	}
	return config.NewRulesetFD(rules...)
}

// folder is full access below a folder, moving between its folders included
// where the version knows of that.
func (o confinement) folder(paths ...string) landlock.FSRule {
	r := landlock.RWDirs(paths...)
	if o.Landlock >= 2 {
		r = r.WithRefer()
	}
	return r
}

// pathRules picks the rights by what each path is; a folder's rights on a file
// are an error to the kernel. What doesn't exist, or can't be reached anyway,
// gets no rule.
func pathRules(paths []string, folder, file func(...string) landlock.FSRule) []landlock.Rule {
	var rules []landlock.Rule
	for _, path := range paths {
		switch info, err := os.Stat(path); {
		case err != nil:
		case info.IsDir():
			rules = append(rules, folder(path).IgnoreIfMissing())
		default:
			rules = append(rules, file(path).IgnoreIfMissing())
		}
	}
	return rules
}

// restrict puts the calling thread under a set of rules.
func restrict(ruleset int, flags uint32) error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no_new_privs: %w", err)
	}
	if err := ll.LandlockRestrictSelf(ruleset, flags); err != nil {
		return fmt.Errorf("landlock: %w", err)
	}
	return nil
}
