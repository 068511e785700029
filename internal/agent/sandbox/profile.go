package sandbox

import (
	"fmt"
	"slices"
	"strings"
)

// macFolders hold programs, libraries and the settings that programs read when
// they start. Nothing of a person is in them.
var macFolders = []string{
	"/usr", "/bin", "/sbin", "/System", "/opt/homebrew", "/opt/local", "/Library/Developer/CommandLineTools", "/Applications/Xcode.app",
	"/private/etc/ssl", "/private/etc/passwd", "/private/etc/group", "/private/etc/localtime", "/private/var/db/timezone", "/private/var/db/dyld", "/private/var/select",
	"/dev/null", "/dev/zero", "/dev/random", "/dev/urandom",
}

// profile says in the language of macOS's sandbox-exec what a planning command
// may do: read the workspace, the system and what the caller names, write to its
// own temporary folder, and nothing else. Of several rules about one path the
// last one holds. All paths are real ones, without links.
func profile(workspace, scratch string, readOnly, protected []string) string {
	var p strings.Builder
	p.WriteString("(version 1)\n(deny default)\n(import \"system.sb\")\n" +
		"(allow process-exec process-fork file-read-metadata)\n(allow signal (target same-sandbox))\n" +
		// By number, sysctl tells the environment of other processes.
		"(allow sysctl-read (sysctl-name-prefix \"hw.\") (sysctl-name \"kern.argmax\" \"kern.hostname\" \"kern.maxfilesperproc\" \"kern.osproductversion\" \"kern.osrelease\" \"kern.ostype\" \"kern.osversion\" \"kern.version\" \"sysctl.proc_translated\" \"vm.loadavg\"))\n")
	rule := func(verdict string, paths []string) {
		if len(paths) == 0 {
			return
		}
		fmt.Fprintf(&p, "(%s", verdict)
		for _, path := range paths {
			fmt.Fprintf(&p, " (subpath %s)", profileText(path))
		}
		p.WriteString(")\n")
	}
	inside, around := split(protected, workspace)
	rule("allow file-read*", slices.Concat(macFolders, readOnly))
	rule("deny file*", around)
	rule("allow file-read*", []string{workspace})
	rule("deny file*", inside)
	rule("allow file*", []string{scratch})
	p.WriteString("(allow file-write-data (literal \"/dev/null\") (literal \"/dev/zero\"))\n(deny network*)\n")
	return p.String()
}

// split tells what lies below a folder from the rest.
func split(paths []string, folder string) (inside, rest []string) {
	for _, path := range paths {
		if path != folder && within(path, folder) {
			inside = append(inside, path)
		} else {
			rest = append(rest, path)
		}
	}
	return inside, rest
}

// profileText is a text in the language of profiles.
func profileText(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
