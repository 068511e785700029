package sandbox

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_AARCH64

const x32 = 0 // there is no second interface here

var (
	oldMetadataCalls []uint32
	oldRefusedCalls  []uint32
)
