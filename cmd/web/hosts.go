package main

import (
	"net"
	"net/url"
	"strings"

	"countersign/internal/fault"
)

// hosts is a flag that takes names one by one or separated by commas.
type hosts []string

func (h *hosts) String() string { return strings.Join(*h, ",") }

// Set implements flag.Value.
func (h *hosts) Set(v string) error {
	for name := range strings.SplitSeq(v, ",") {
		if name = strings.TrimSpace(name); name != "" {
			*h = append(*h, name)
		}
	}
	return nil
}

// checkHosts brings the names into the form in which requests carry them. A
// server that others can reach must know its name: it turns every other one
// away, so that no foreign site can pass itself off as this server.
func checkHosts(addr string, names hosts) error {
	for i, name := range names {
		bare := strings.TrimSuffix(strings.TrimPrefix(name, "["), "]")
		ip := net.ParseIP(bare)
		u, err := url.Parse("http://" + net.JoinHostPort(bare, "1"))
		if err != nil || u.Hostname() != bare || ip != nil && ip.IsUnspecified() || strings.ContainsAny(bare, "*/@ ") || ip == nil && strings.Contains(bare, ":") {
			return fault.New(fault.Invalid, "--host is %q; it is to be a name or an address without port, such as plans.example or 192.0.2.7", name)
		}
		names[i] = bare
	}
	if _, err := net.ResolveTCPAddr("tcp", portOf(addr)); err != nil {
		return fault.Wrap(err, fault.Invalid, "--addr is %q, where nothing can listen; it is to be HOST:PORT with a port of 0 to 65535, such as 127.0.0.1:7777", addr)
	}
	if len(names) == 0 && !isLoopback(addr) {
		return fault.New(fault.Invalid, "--addr %s lets other machines in, so the server must know the name they use; set --host, for example --host plans.example", addr)
	}
	return nil
}

// portOf is the address without its host, which is not to be looked up.
func portOf(addr string) string {
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		return addr
	}
	return ":" + port
}

// isLoopback tells whether only this machine reaches an address.
func isLoopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return true // listening will say what is wrong with it
	}
	return ownMachine(strings.ToLower(host))
}

// ownMachine tells whether a name or address always means this machine.
func ownMachine(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// baseURL is the address that is printed: where only this machine reaches the
// server its own, else the first of its names.
func (c *config) baseURL(listener net.Listener) string {
	at := listener.Addr().String()
	if _, port, err := net.SplitHostPort(at); err == nil && !isLoopback(at) && len(c.hosts) > 0 {
		at = net.JoinHostPort(c.hosts[0], port)
	}
	if c.tlsCert != "" {
		return "https://" + at
	}
	return "http://" + at
}
