package sandbox

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_X86_64

// x32 is where the system calls of the x32 interface begin, which would pass
// under other numbers.
const x32 = 0x40000000

// Calls that newer architectures don't have.
var (
	oldMetadataCalls = []uint32{unix.SYS_CHMOD, unix.SYS_CHOWN, unix.SYS_LCHOWN, unix.SYS_UTIME, unix.SYS_UTIMES, unix.SYS_FUTIMESAT}
	oldRefusedCalls  = []uint32{unix.SYS_USELIB, unix.SYS_USTAT, unix.SYS_SYSFS, unix.SYS_IOPL, unix.SYS_IOPERM, unix.SYS_CREATE_MODULE, unix.SYS_MODIFY_LDT}
)
