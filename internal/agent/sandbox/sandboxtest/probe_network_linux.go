package sandboxtest

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// networkProbes knock at an address.
var networkProbes = attempts{
	"tcp":      func(arg func(int) string) error { return dial("tcp", arg(0)) },
	"udp":      func(arg func(int) string) error { return dial("udp", arg(0)) },
	"unix":     func(arg func(int) string) error { return dial("unix", arg(0)) },
	"unixgram": func(arg func(int) string) error { return dial("unixgram", arg(0)) },
	"abstract": func(arg func(int) string) error { return dial("unix", "@"+arg(0)) },
	// The two ends of a pair are sockets like others, and a datagram can be sent
	// from one to whom one likes.
	"pair": func(arg func(int) string) error {
		pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
		if err != nil {
			return err
		}
		return unix.Sendto(pair[0], []byte(Effect), 0, &unix.SockaddrUnix{Name: arg(0)})
	},
	"bind-unix": func(arg func(int) string) error {
		_, err := net.Listen("unix", arg(0))
		return err
	},
	"mptcp": func(arg func(int) string) error {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_MPTCP)
		if err != nil {
			return err
		}
		return unix.Connect(fd, inet(arg(0)))
	},
	"fastopen": func(arg func(int) string) error {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		return unix.Sendto(fd, []byte(Effect), unix.MSG_FASTOPEN, inet(arg(0)))
	},
	"udp-connect": func(arg func(int) string) error {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, unix.IPPROTO_UDP)
		if err != nil {
			return err
		}
		if err := unix.Connect(fd, inet(arg(0))); err != nil {
			return err
		}
		_, err = unix.Write(fd, []byte(Effect))
		return err
	},
	"raw": func(func(int) string) error {
		_, err := unix.Socket(unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_TCP)
		return claim(err)
	},
	"dns":     func(arg func(int) string) error { return ask("udp", arg(0)) },
	"dns-tcp": func(arg func(int) string) error { return ask("tcp", arg(0)) },
	"vsock": func(func(int) string) error {
		_, err := unix.Socket(unix.AF_VSOCK, unix.SOCK_STREAM, 0)
		return claim(err)
	},
	"packet": func(func(int) string) error {
		_, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW, 0)
		return claim(err)
	},
	"netlink": func(func(int) string) error {
		_, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_KOBJECT_UEVENT)
		return claim(err)
	},
	"alg": func(func(int) string) error {
		_, err := unix.Socket(unix.AF_ALG, unix.SOCK_SEQPACKET, 0)
		return claim(err)
	},
	"tiocsti": func(func(int) string) error {
		tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
		if err != nil {
			tty = os.Stdin
		}
		return claim(unix.IoctlSetPointerInt(int(tty.Fd()), unix.TIOCSTI, 'x'))
	},
}

// harmless are what a program may do all the same.
var harmless = attempts{
	"loopback": func(func(int) string) error {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		_, err = net.Dial("tcp", l.Addr().String())
		return claim(err)
	},
	"pairs": func(func(int) string) error {
		_, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		return claim(err)
	},
	"own-limits": func(func(int) string) error {
		var now unix.Rlimit
		if err := unix.Prlimit(0, unix.RLIMIT_NOFILE, nil, &now); err != nil {
			return err
		}
		return claim(unix.Prlimit(0, unix.RLIMIT_NOFILE, &now, nil))
	},
	"eat": func(func(int) string) error {
		var hoard [][]byte
		for range 256 { // 2 GiB at most, should nobody stop it
			hoard = append(hoard, bytes.Repeat([]byte{1}, 8<<20))
		}
		fmt.Println(len(hoard))
		return nil
	},
}

func inet(address string) unix.Sockaddr {
	_, port, _ := strings.Cut(address, ":")
	return &unix.SockaddrInet4{Port: number(port), Addr: [4]byte{127, 0, 0, 1}}
}

func dial(network, address string) error {
	c, err := net.Dial(network, address)
	if err != nil {
		return err
	}
	_, err = c.Write([]byte(Effect))
	return err
}

func ask(network, server string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	r := net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, network, server)
	}}
	_, err := r.LookupHost(ctx, "secret.example.com.")
	return err
}
