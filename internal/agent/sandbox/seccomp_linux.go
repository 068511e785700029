package sandbox

import (
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// filter says what the seccomp filter has to stop because no other layer does.
type filter struct {
	metadata bool // chmod, utime, xattr and the like
	others   bool // limits, priority, processors of processes by number
	shared   bool // System V and POSIX IPC
	group    int  // the process group that is not to be left; then no signals, either. 0: may be
	inet     bool // allow sockets of the internet families
}

func filterFor(o confinement, group int) filter {
	return filter{
		metadata: !o.Open && (!o.Namespaces || o.inPlace()), shared: !o.Namespaces && !o.Open, others: !o.Namespaces,
		group: group,
		inet:  o.Namespaces || o.Network,
	}
}

// Offsets in struct seccomp_data. Both architectures are little-endian, so
// this is the low half of each argument.
const (
	offNumber = 0
	offArch   = 4
	offArg0   = 16
	offArg1   = 24
	offArg2   = 32
)

// newNamespaces are the flags of clone(2) that make namespaces.
const newNamespaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC | unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET

const (
	allow  = unix.SECCOMP_RET_ALLOW
	ignore = unix.SECCOMP_RET_ERRNO // the call does nothing, and returns 0
	kill   = unix.SECCOMP_RET_KILL_PROCESS
	eperm  = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	enosys = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
)

// program is a classic BPF program in the making.
type program []unix.SockFilter

func (p *program) add(code uint16, jt, jf uint8, k uint32) {
	*p = append(*p, unix.SockFilter{Code: code, Jt: jt, Jf: jf, K: k})
}

func (p *program) load(offset uint32) { p.add(unix.BPF_LD|unix.BPF_W|unix.BPF_ABS, 0, 0, offset) }
func (p *program) give(verdict uint32) {
	p.add(unix.BPF_RET|unix.BPF_K, 0, 0, verdict)
}

// when gives the verdict if the loaded word is one of the values.
func (p *program) when(verdict uint32, values ...uint32) {
	for _, v := range values {
		p.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, 0, 1, v)
		p.give(verdict)
	}
}

// block runs body, which must end in a verdict, if the loaded word is one of
// the values.
func (p *program) block(values []uint32, body func(*program)) {
	var b program
	body(&b)
	for _, v := range values {
		p.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, 0, uint8(len(b)), v)
		*p = append(*p, b...)
	}
}

// build writes the filter.
func (f filter) build() program {
	var p program
	p.load(offArch)
	p.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, 1, 0, auditArch)
	p.give(kill)
	p.load(offNumber)
	if x32 != 0 {
		p.add(unix.BPF_JMP|unix.BPF_JGE|unix.BPF_K, 0, 1, x32)
		p.give(kill)
	}
	p.add(unix.BPF_JMP|unix.BPF_JGT|unix.BPF_K, 0, 1, newestCall)
	p.give(enosys)
	p.when(eperm, f.refused()...)
	// Its flags lie in memory, where a filter can't see them; the C library
	// falls back to clone.
	p.when(enosys, unix.SYS_CLONE3)
	p.block([]uint32{unix.SYS_CLONE}, func(p *program) {
		p.load(offArg0)
		p.add(unix.BPF_JMP|unix.BPF_JSET|unix.BPF_K, 0, 1, newNamespaces)
		p.give(eperm)
		p.give(allow)
	})
	if f.group != 0 {
		p.when(ignore, unix.SYS_SETSID)
		p.block([]uint32{unix.SYS_SETPGID}, func(p *program) {
			p.load(offArg1)
			p.when(allow, uint32(f.group))
			p.give(ignore)
		})
	}
	if f.others {
		p.block(callsOnOne, func(p *program) { // of whom, in the first argument; 0 is the caller
			p.load(offArg0)
			p.when(allow, 0)
			p.give(eperm)
		})
		p.block(callsOnSome, func(p *program) { // of what kind of whom, then of whom
			p.load(offArg0)
			p.when(eperm, everyProcessOf...)
			p.load(offArg1)
			p.when(allow, 0)
			p.give(eperm)
		})
	}
	if f.group != 0 { // whoever owns a descriptor is sent a signal of one's choice
		p.block([]uint32{unix.SYS_FCNTL}, func(p *program) {
			p.load(offArg1)
			p.when(eperm, setOwn, setOwnEx)
			p.give(allow)
		})
	}
	p.block([]uint32{unix.SYS_IOCTL}, func(p *program) {
		p.load(offArg1)
		p.when(eperm, f.controls()...)
		p.give(allow)
	})
	p.block([]uint32{unix.SYS_SOCKET}, f.socket)
	p.block([]uint32{unix.SYS_SOCKETPAIR}, pair)
	p.give(allow)
	return p
}

// controls are the requests of ioctl(2) that are refused.
func (f filter) controls() []uint32 {
	if f.group == 0 {
		return refusedControls
	}
	return slices.Concat(refusedControls, ownerControls)
}

// pair: both ends of a pair of datagram sockets can send to whatever socket has
// a name, those of other programs included. Those of streams can't.
func pair(p *program) {
	p.load(offArg1)
	p.add(unix.BPF_ALU|unix.BPF_AND|unix.BPF_K, 0, 0, 0xf) // without flags
	p.when(allow, unix.SOCK_STREAM, unix.SOCK_SEQPACKET)
	p.give(eperm)
}

func (f filter) refused() []uint32 {
	calls := slices.Clone(refusedCalls)
	if f.metadata {
		calls = append(calls, metadataCalls...)
	}
	if f.shared {
		calls = append(calls, sharedCalls...)
	}
	if f.others {
		calls = append(calls, memoryCalls...)
	}
	if f.group != 0 {
		calls = append(calls, signalCalls...)
	}
	return calls
}

// socket: Unix sockets are never made, because one with a path reaches a
// server such as docker's from every namespace. Pairs are another call. Of
// netlink only the list of interfaces and routes is open, which name lookups ask
// for.
func (f filter) socket(p *program) {
	if f.inet {
		p.load(offArg0)
		p.when(allow, unix.AF_INET, unix.AF_INET6)
		p.block([]uint32{unix.AF_NETLINK}, func(p *program) {
			p.load(offArg2)
			p.when(allow, unix.NETLINK_ROUTE)
			p.give(eperm)
		})
	}
	p.give(eperm)
}

// install puts the calling thread, and what it starts, under the filter.
func (f filter) install() error {
	code := f.build()
	prog := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	_, _, e := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&prog)))
	if e != 0 {
		return e
	}
	return nil
}
