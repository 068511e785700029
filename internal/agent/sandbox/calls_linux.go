package sandbox

import (
	"slices"

	"golang.org/x/sys/unix"
)

// newestCall is the last system call that this list was made against, in the
// numbering that all architectures share since Linux 5.1. Later ones don't
// exist for a command, whatever they do.
const newestCall = unix.SYS_FILE_SETATTR

// refusedCalls are refused whatever the layers: doors to the kernel that no
// build or search needs.
var refusedCalls = slices.Concat(oldRefusedCalls, []uint32{
	// a second way to do everything, past the filter
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
	// other processes
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PROCESS_MADVISE, unix.SYS_PIDFD_GETFD, unix.SYS_KCMP,
	// mounts and namespaces
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE, unix.SYS_OPEN_TREE_ATTR,
	unix.SYS_FSOPEN, unix.SYS_FSMOUNT, unix.SYS_FSCONFIG, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR, unix.SYS_UNSHARE, unix.SYS_SETNS,
	// the kernel's own machinery
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY,
	unix.SYS_FANOTIFY_INIT, unix.SYS_FANOTIFY_MARK, unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_NAME_TO_HANDLE_AT,
	unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_REBOOT, unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD,
	unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD, unix.SYS_ACCT,
	unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_CLOCK_ADJTIME, unix.SYS_ADJTIMEX,
	unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME, unix.SYS_SYSLOG, unix.SYS_VHANGUP,
})

// metadataCalls change files in ways that Landlock doesn't know of. Read-only
// mounts stop them; where there are none, or the workspace's is writable, this
// does.
var metadataCalls = slices.Concat(oldMetadataCalls, []uint32{
	unix.SYS_FCHMOD, unix.SYS_FCHMODAT, unix.SYS_FCHMODAT2, unix.SYS_FCHOWN, unix.SYS_FCHOWNAT, unix.SYS_UTIMENSAT,
	unix.SYS_SETXATTR, unix.SYS_LSETXATTR, unix.SYS_FSETXATTR, unix.SYS_SETXATTRAT,
	unix.SYS_REMOVEXATTR, unix.SYS_LREMOVEXATTR, unix.SYS_FREMOVEXATTR, unix.SYS_REMOVEXATTRAT, unix.SYS_FILE_SETATTR,
})

// sharedCalls reach message queues, shared memory and semaphores of the whole
// machine where there is no ipc namespace.
var sharedCalls = []uint32{unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_SHMCTL, unix.SYS_MSGGET, unix.SYS_SEMGET, unix.SYS_MQ_OPEN, unix.SYS_MQ_UNLINK}

// signalCalls reach every process of the same person where neither a pid
// namespace nor Landlock keeps them in.
var signalCalls = []uint32{unix.SYS_KILL, unix.SYS_TKILL, unix.SYS_TGKILL, unix.SYS_RT_SIGQUEUEINFO, unix.SYS_RT_TGSIGQUEUEINFO, unix.SYS_PIDFD_SEND_SIGNAL}

// memoryCalls move the memory of other processes about, or take it away.
var memoryCalls = []uint32{unix.SYS_MIGRATE_PAGES, unix.SYS_MOVE_PAGES, unix.SYS_PROCESS_MRELEASE}

// callsOnOne and callsOnSome change limits, priority and processors of any
// process of the same person, where no pid namespace keeps them in.
var (
	callsOnOne  = []uint32{unix.SYS_PRLIMIT64, unix.SYS_SCHED_SETAFFINITY, unix.SYS_SCHED_SETSCHEDULER, unix.SYS_SCHED_SETPARAM, unix.SYS_SCHED_SETATTR}
	callsOnSome = []uint32{unix.SYS_SETPRIORITY, unix.SYS_IOPRIO_SET}
	// everyProcessOf is how these two name all processes of a person.
	everyProcessOf = []uint32{unix.PRIO_USER, ioprioUser}
)

const (
	ioprioUser = 3 // IOPRIO_WHO_USER
	setOwn     = 8 // F_SETOWN
	setOwnEx   = 15
)

// ownerControls do as F_SETOWN does.
var ownerControls = []uint32{0x8901, 0x8902} // FIOSETOWN, SIOCSPGRP

// refusedControls are requests of ioctl(2): typing into a terminal, and the
// attributes that chattr sets.
var refusedControls = []uint32{unix.TIOCSTI, unix.TIOCLINUX, unix.FS_IOC_SETFLAGS, fsSetXattr}

// fsSetXattr is FS_IOC_FSSETXATTR.
const fsSetXattr = 0x401c5820
