// Package sandbox runs shell commands so that they can change nothing but what
// they were allowed to, read nothing but what they need, and reach nobody.
//
// The program that uses it starts itself a second time as the supervisor of a
// command. The supervisor prepares what the kernel offers (Landlock, seccomp,
// namespaces), starts the command under it, and ends every process that the
// command leaves behind. Main and TestMain therefore call Init first.
//
// What is required, never "as much as there is":
//
//   - With user, mount, net, pid and ipc namespaces: Landlock of any version.
//     Everything outside is mounted read-only, so truncating (Landlock 3) and
//     ioctl (5) need no rule of their own; the network is a net namespace with
//     nothing but its own loopback; signals end at the pid namespace.
//   - Without namespaces: Landlock 4 (Linux 6.7) or later. Sockets and changes of
//     metadata are refused by seccomp, and TCP by Landlock besides. Before
//     Landlock 6 (Linux 6.12) nothing else keeps signals in, so commands can't
//     send any.
//   - On macOS sandbox-exec, for commands that only look, if ten ways out of it
//     come to nothing when the program starts.
//   - Anything less, another processor than amd64 and arm64, or another system:
//     no commands at all.
package sandbox

import (
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"countersign/internal/fault"
)

// Support says what this machine can do.
type Support struct {
	OK         bool
	Stack      string // one of the stacks below
	Landlock   int    // version of the kernel's Landlock interface, 0 if none
	Namespaces bool
	Overlay    bool   // commands work in a throw-away layer over the workspace
	Reason     string // a sentence for people: why not more; empty if everything is there
}

// The stacks.
const (
	StackFull     = "landlock+namespaces"
	StackLandlock = "landlock"
	StackMac      = "sandbox-exec"
	StackNone     = "none"
)

// Access is what a command may change. The zero value is the strictest.
type Access int

const (
	// LookOnly lets the command change nothing but its private temporary
	// directory. With Support.Overlay it may write as it likes, into a layer
	// that is thrown away.
	LookOnly Access = iota
	// Approved lets it change what Command.Writable says.
	Approved
	// Workspace lets it change the whole workspace except what is protected.
	Workspace
	// Unconfined lets it do what the person may do who runs the server, but not
	// reach what is protected, make Unix sockets, or leave processes behind. It
	// writes straight to the disk.
	Unconfined
)

// Command is a command to be run.
type Command struct {
	Dir    string // the workspace: absolute; the command starts there
	Shell  string // what sh -c gets
	Access Access
	// Writable tells, for Approved, whether the command may change this path
	// below Dir, slash-separated. Nil means nothing.
	Writable func(path string) bool
	// Folders are, for Approved, folders below Dir of which Writable allows
	// everything. Where there is no layer over the workspace, new files can be
	// made only in them.
	Folders []string
	// Direct is called before the command starts if it is to write into the
	// workspace itself. That is so for Approved and Workspace where there is no
	// layer; only what was allowed is writable then.
	Direct func() error
	// Layer is called after the command has ended of itself if it wrote into a
	// layer, with all that it wrote, allowed or not. Nothing of it is in the
	// workspace, and nothing will be unless Layer puts it there. Started is when
	// the command was started, by the clock of the file system. Not called for
	// LookOnly.
	Layer func(changes []Change, started time.Time) error
	// Env, unless it is nil, is all that the command finds in its environment
	// besides PATH, HOME, TMPDIR and LANG. One that is named twice has the value
	// given here.
	Env []string
	// Stdin and Stdout are given to the command as they are; what it writes there
	// is neither kept nor limited. Without Stdin it reads nothing; without Stdout
	// it prints to Result.Output, as it always does what goes to standard error.
	Stdin, Stdout *os.File
	Network       bool          // may open connections
	Timeout       time.Duration // 0 means DefaultTimeout
	MaxOutput     int           // bytes of output that are kept; 0 means DefaultOutput
	// Output receives what the command prints, as it comes, from one goroutine
	// that Run waits for. What it is given is its own.
	Output func([]byte)
	// ReadOnly are absolute paths that the command may read besides the
	// workspace and the system: caches, toolchains.
	ReadOnly []string
	// Cache is a folder that keeps build caches from one command to the next. It
	// is made if need be, and commands write into it, so one that planning and
	// execution share lets the first leave something for the second; nothing that
	// is not a sandboxed command should read it. It is used where there are no
	// namespaces; with a layer the person's own build cache serves, unchanged.
	Cache string
	// Protected are absolute paths that it may neither read nor write: the
	// server's own data. .git is protected against writing without being named.
	Protected []string
}

// The limits of a command that names none.
const (
	DefaultTimeout = 2 * time.Minute
	DefaultOutput  = 64 << 10
)

// Result is what a command came to.
type Result struct {
	ExitCode  int    // 128 + the signal's number if a signal ended it
	Output    string // what it printed; of a long text head and tail, valid UTF-8
	Truncated bool   // the middle of Output was cut out
	TimedOut  bool
	Cancelled bool
	Stopped   string // why the supervisor ended it, in a sentence; empty if it didn't
	Duration  time.Duration
	// Discarded are the paths, below the workspace, of what a LookOnly command
	// wrote into its layer and what was thrown away with it. A folder with a
	// slash at its end stands for everything in it.
	Discarded []string
	// Removed are paths that the command made in the workspace where nothing
	// could keep it from it, and that were removed when it had ended: a new .git.
	Removed []string
}

// Change is what a command did to one file, in its layer over the workspace.
type Change struct {
	Path string // below the workspace, slash-separated
	Kind ChangeKind
	Mode fs.FileMode // what it is now; 0 if it was deleted
	Size int64
	// Open reads what the file holds now. Only regular files can be opened.
	Open func() (io.ReadCloser, error)
}

// ChangeKind says what happened to a file. The zero value is none.
type ChangeKind string

// The kinds of change.
const (
	Created  ChangeKind = "created"
	Modified ChangeKind = "modified"
	Deleted  ChangeKind = "deleted"
)

// Run runs a command and waits until every process that it started is gone.
// That a command fails, times out or is cancelled is a Result, not an error.
// An error means that it was not run (fault.Unavailable where the machine has no
// sandbox, fault.Invalid where the command makes no sense), or is one of
// Direct's or Layer's own.
func Run(ctx context.Context, c Command) (Result, error) {
	s := Detect()
	if !s.OK {
		return Result{}, fault.New(fault.Unavailable, "Commands can't be run here. %s", s.Reason)
	}
	return run(ctx, c, layers{namespaces: s.Namespaces, overlay: s.Overlay, landlock: s.Landlock})
}

// layers says which of the optional layers are used, and the limits where they
// are not the usual ones. Tests take layers away; nothing else can.
type layers struct {
	namespaces bool
	overlay    bool
	landlock   int // version of the interface to use
	tasks      int
	memory     int64
	cpu        uint64 // seconds of one process
}

func (c *Command) check() error {
	switch info, err := os.Stat(c.Dir); {
	case !filepath.IsAbs(c.Dir):
		return fault.New(fault.Invalid, "The folder of a command is an absolute path, not %q.", c.Dir)
	case err != nil || !info.IsDir():
		return fault.Wrap(err, fault.Unavailable, "The workspace %s can't be opened.", c.Dir)
	case c.Shell == "":
		return fault.New(fault.Invalid, "The command is empty.").At("command")
	case len(c.Shell) > maxShell:
		return fault.New(fault.Invalid, "The command is longer than %d bytes.", maxShell).At("command")
	}
	dir, err := filepath.EvalSymlinks(c.Dir)
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "The workspace %s can't be opened.", c.Dir)
	}
	c.Dir = dir
	if c.Timeout <= 0 {
		c.Timeout = DefaultTimeout
	}
	if c.MaxOutput <= 0 {
		c.MaxOutput = DefaultOutput
	}
	return nil
}

// maxShell is below what the kernel takes as one argument (128 KiB).
const maxShell = 100 << 10
