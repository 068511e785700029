package sandbox

import (
	"encoding/binary"
	"encoding/json"
	"io"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// message is what the server says to a supervisor, over a pair of sockets. The
// end of the stream means that the command, if one runs, has to end, and that
// there will be no other.
type message struct {
	// Confine, unless it is nil, is to be put in place, instead of what was
	// prepared before.
	Confine *confinement `json:",omitempty"`
	// Run is a command to be run in what was prepared. Its input, output and
	// standard error come along as descriptors.
	Run *script `json:",omitempty"`
}

// script is what of a command does not matter before it starts.
type script struct {
	Shell string
	Env   []string
}

// standard is how many descriptors a command starts with.
const standard = 3

// send says something to the supervisor. Its length comes first, and with that
// the descriptors: what a stream carries along belongs to a place in it.
func send(to *net.UnixConn, m message, files ...*os.File) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	var rights []byte
	if len(files) > 0 {
		fds := make([]int, len(files))
		for i, f := range files {
			fds[i] = int(f.Fd())
		}
		rights = unix.UnixRights(fds...)
	}
	// In one piece: it would wake up for the first and wait for the second.
	all := append(binary.BigEndian.AppendUint32(nil, uint32(len(data))), data...)
	n, _, err := to.WriteMsgUnix(all, rights, nil)
	if err == nil && n < len(all) {
		_, err = to.Write(all[n:])
	}
	return err
}

// receive waits for a message. It reads by plain calls: a supervisor that waits
// needs no machinery for that.
func receive(fd int) (m message, files []int, err error) {
	var size [4]byte
	rights := make([]byte, unix.CmsgSpace(standard*4))
	n, with, _, _, err := unix.Recvmsg(fd, size[:], rights, unix.MSG_CMSG_CLOEXEC)
	for err == unix.EINTR {
		n, with, _, _, err = unix.Recvmsg(fd, size[:], rights, unix.MSG_CMSG_CLOEXEC)
	}
	if err != nil || n != len(size) {
		return m, nil, io.EOF
	}
	if parts, err := unix.ParseSocketControlMessage(rights[:with]); err == nil && len(parts) == 1 {
		files, _ = unix.ParseUnixRights(&parts[0])
	}
	data := make([]byte, binary.BigEndian.Uint32(size[:]))
	if _, err := io.ReadFull(descriptor(fd), data); err != nil {
		return m, files, err
	}
	return m, files, json.Unmarshal(data, &m)
}

// descriptor reads and writes by plain calls.
type descriptor int

func (d descriptor) Read(p []byte) (n int, err error) {
	for {
		n, err = unix.Read(int(d), p)
		switch {
		case err == unix.EINTR:
		case n == 0 && err == nil:
			return 0, io.EOF
		default:
			return max(n, 0), err
		}
	}
}

func (d descriptor) Write(p []byte) (n int, err error) {
	for n < len(p) && err == nil {
		var m int
		if m, err = unix.Write(int(d), p[n:]); err == unix.EINTR {
			err = nil
		}
		n += max(m, 0)
	}
	return n, err
}

// line makes a pair of sockets, ours and the supervisor's.
func line() (ours *net.UnixConn, theirs *os.File, err error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	theirs = os.NewFile(uintptr(pair[1]), "supervisor")
	f := os.NewFile(uintptr(pair[0]), "server")
	defer f.Close()
	c, err := net.FileConn(f)
	if err != nil {
		theirs.Close()
		return nil, nil, err
	}
	return c.(*net.UnixConn), theirs, nil
}
