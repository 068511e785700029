package sandbox

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"
)

// order is a command for a supervisor.
type order struct {
	confinement
	Shell string
	Env   []string
}

// confinement is what a command is confined to. It can be put in place before
// there is a command.
type confinement struct {
	Dir        string
	Server     int // its process number
	Landlock   int
	Namespaces bool
	Network    bool
	Open       bool // everything that is not hidden is writable
	Overlays   []overlay

	Scratch []string // folders of this command's own, readable and writable
	Read    []string // files and folders, readable
	Names   []string // folders whose names may be listed, and nothing else
	Write   []string // files and folders, readable and writable
	Hide    []string // covered where namespaces allow it

	CPUSeconds uint64
	Tasks      int   // processes and threads at once
	Memory     int64 // bytes of private memory, all processes together

	// Files tells which files the paths above stand for, so that a confinement
	// made before can be told from one of the same paths and other files.
	Files []uint64
}

// identify fills in Files. The numbers of a file that is not there are zeros.
func (o *confinement) identify() {
	paths := slices.Concat([]string{o.Dir}, o.Read, o.Names, o.Write, o.Hide)
	for _, l := range o.Overlays {
		paths = append(paths, l.Lower)
	}
	o.Files = make([]uint64, 0, 2*len(paths))
	for _, path := range paths {
		var s unix.Stat_t
		_ = unix.Stat(path, &s)
		o.Files = append(o.Files, uint64(s.Dev), s.Ino)
	}
}

// inPlace tells whether the command can write in the workspace itself. Its mount
// is writable then, and which files are is Landlock's to say, which knows nothing
// of modes, times and attributes.
func (o confinement) inPlace() bool {
	return !slices.ContainsFunc(o.Overlays, func(l overlay) bool { return l.At == o.Dir }) &&
		slices.ContainsFunc(o.Write, func(p string) bool { return within(p, o.Dir) })
}

// overlay is a layer over a folder: what the command writes goes to Upper.
type overlay struct {
	At, Lower   string
	Upper, Work string
}

// systemFolders hold programs and libraries.
var systemFolders = []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store"}

// systemFiles are what ordinary programs read when they start, and nothing
// that says much about the machine or its people.
var systemFiles = []string{
	"/etc/alternatives", "/etc/group", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d",
	"/etc/localtime", "/etc/mime.types", "/etc/nsswitch.conf", "/etc/os-release", "/etc/passwd",
	"/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/dev/random", "/dev/urandom",
	"/sys/devices/system/cpu", "/sys/kernel/mm/transparent_hugepage/hpage_pmd_size",
}

// networkFiles are needed on top to reach somebody.
var networkFiles = []string{"/etc/hosts", "/etc/host.conf", "/etc/resolv.conf", "/run/systemd/resolve", "/etc/gai.conf", "/etc/services", "/etc/protocols", "/etc/pki", "/etc/ca-certificates"}

// publicProc is what is read of /proc where it can't be a fresh one. Command
// lines of other processes are not in it: they may hold a token.
var publicProc = []string{
	"/proc/cpuinfo", "/proc/filesystems", "/proc/loadavg", "/proc/meminfo", "/proc/stat", "/proc/uptime", "/proc/version",
	"/proc/sys/kernel", "/proc/sys/vm/overcommit_memory", "/proc/sys/net/core/somaxconn", "/proc/sys/fs/pipe-max-size",
}

// devices take writes that go nowhere.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full"}

// newOrder decides what the command may reach.
func newOrder(c Command, l layers, s scratch) (order, error) {
	tools := toolchainOnce()
	o := order{Shell: c.Shell, confinement: confinement{
		Dir: c.Dir, Server: os.Getpid(),
		Landlock: l.landlock, Namespaces: l.namespaces, Network: c.Network,
		Scratch:    []string{s.home(), s.tmp(), s.goBuild()},
		Write:      slices.Clone(devices),
		CPUSeconds: l.cpuSeconds(c.Timeout), Tasks: l.maxTasks(), Memory: cmp.Or(l.memory, maxMemory()),
	}}
	if c.Network {
		o.Read = append(o.Read, networkFiles...)
	}
	closed := realPaths(c.Protected)
	for _, path := range slices.Concat(systemFolders, systemFiles, tools.folders, realPaths(c.ReadOnly)) {
		open, _ := carve(path, closed)
		o.Read = append(o.Read, open...)
	}
	// The workspace may itself lie in a protected folder, as a sample does that
	// the server keeps among its data; the rest of that folder stays closed.
	closed = slices.DeleteFunc(closed, func(p string) bool { return within(c.Dir, p) })
	o.Hide = closed
	if c.Access == Unconfined {
		o.openAll(closed)
		o.Env = environment(c, s, tools, s.goBuild())
		o.identify()
		return o, nil
	}
	if err := o.openWorkspace(c, l, s, closed); err != nil {
		return order{}, err
	}
	goBuild, err := o.openCache(c, l, s, tools)
	if err == nil && l.overlay && c.Network && tools.modules != "" && !overlaps(tools.modules, closed) {
		// Modules that it fetches go into a layer: the person's own cache is
		// trusted by everything that is built outside.
		var layer overlay
		layer, err = s.layer("modules", s.modules(), tools.modules)
		o.Overlays, o.Scratch = append(o.Overlays, layer), append(o.Scratch, s.modules())
		tools.modules = s.modules()
	}
	o.Env = environment(c, s, tools, goBuild)
	o.identify()
	return o, err
}

// openAll gives access to everything that is not closed. Where namespaces can
// cover what is, nothing has to be left out beside it; elsewhere no new files
// can be made in the folders above it, so what isn't there closes nothing.
func (o *order) openAll(closed []string) {
	o.Open = true
	if o.Namespaces {
		o.Write = append(o.Write, "/")
		return
	}
	closed = slices.DeleteFunc(slices.Clone(closed), func(path string) bool {
		_, err := os.Lstat(path)
		return err != nil
	})
	writable, names := carve("/", closed)
	o.Write, o.Names = append(o.Write, writable...), append(o.Names, names...)
}

// openCache makes a build cache available and returns its path: the person's
// own under a layer, one that the caller keeps, or an empty one.
func (o *order) openCache(c Command, l layers, s scratch, tools toolchain) (string, error) {
	switch {
	case l.overlay && tools.cache != "" && !overlaps(tools.cache, o.Hide):
		warm, err := s.layer("cache", s.goBuild(), tools.cache)
		o.Overlays = append(o.Overlays, warm)
		return s.goBuild(), err
	case !l.namespaces && c.Cache != "":
		dir := filepath.Join(c.Cache, "go-build")
		o.Scratch = append(o.Scratch, dir)
		return dir, os.MkdirAll(dir, 0o700)
	default:
		return s.goBuild(), nil
	}
}

// openWorkspace gives access to the workspace: through a layer where there is
// one, else directly, as much as was allowed.
func (o *order) openWorkspace(c Command, l layers, s scratch, closed []string) error {
	if l.overlay {
		layer, err := s.layer(workspaceLayer, c.Dir, c.Dir)
		if err != nil {
			return err
		}
		o.Overlays = append(o.Overlays, layer)
		o.Write = append(o.Write, c.Dir) // what is protected in it is covered by a mount
		return nil
	}
	readable, names := carve(c.Dir, closed)
	o.Names = append(o.Names, names...)
	o.Read = append(o.Read, readable...)
	o.Write = append(o.Write, writableIn(c, closed)...)
	return nil
}

// carve returns the paths that together cover root except what is closed.
// Landlock can only allow, and what it allows of a folder it allows of all
// that is below; so a folder with something closed in it is replaced by its
// entries. Names are the folders that were replaced.
func carve(root string, closed []string) (open, names []string) {
	if insideAny(root, closed) {
		return nil, nil
	}
	if !slices.ContainsFunc(closed, func(p string) bool { return within(p, root) }) {
		return []string{root}, nil
	}
	entries, err := os.ReadDir(root)
	if err != nil {
		return nil, nil
	}
	names = []string{root}
	for _, e := range entries {
		if e.Type()&os.ModeSymlink != 0 {
			continue // a rule would open what the link points to
		}
		o, n := carve(filepath.Join(root, e.Name()), closed)
		open, names = append(open, o...), append(names, n...)
	}
	return open, names
}

func insideAny(path string, dirs []string) bool {
	return slices.ContainsFunc(dirs, func(d string) bool { return within(path, d) })
}

// overlaps tells whether path is in one of dirs, or one of them in it.
func overlaps(path string, dirs []string) bool {
	return slices.ContainsFunc(dirs, func(d string) bool { return within(path, d) || within(d, path) })
}
