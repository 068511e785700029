package main

import (
	"crypto/tls"
	"net"
	"net/netip"
	"strings"

	"countersign/internal/fault"
)

// proxies is a flag that takes addresses or networks, one by one or separated
// by commas.
type proxies []netip.Prefix

func (p *proxies) String() string {
	var list []string
	for _, prefix := range *p {
		list = append(list, prefix.String())
	}
	return strings.Join(list, ",")
}

// Set implements flag.Value.
func (p *proxies) Set(v string) error {
	for text := range strings.SplitSeq(v, ",") {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		prefix, err := netip.ParsePrefix(text)
		if addr, e := netip.ParseAddr(text); e == nil {
			prefix, err = netip.PrefixFrom(addr.Unmap(), addr.Unmap().BitLen()), nil
		}
		if err != nil {
			return fault.New(fault.Invalid, "%q is neither an address nor a network such as 10.0.0.0/8", text)
		}
		*p = append(*p, prefix.Masked())
	}
	return nil
}

// certificate is what the server speaks TLS with, or nil if it is to speak
// plain HTTP.
func (c *config) certificate() (*tls.Config, error) {
	switch {
	case c.tlsCert == "" && c.tlsKey == "":
		return nil, nil
	case c.tlsCert == "" || c.tlsKey == "":
		return nil, fault.New(fault.Invalid, "--tls-cert and --tls-key belong together: the file with the certificate and the file with its private key, both in PEM")
	}
	pair, err := tls.LoadX509KeyPair(c.tlsCert, c.tlsKey)
	if err != nil {
		return nil, fault.New(fault.Invalid, "--tls-cert and --tls-key: TLS does not work with these files: %v", err)
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}, nil
}

// checkTLS reads the certificate. It also makes sure that passwords of a kind, the cookies, do not cross a
// network in the clear unless somebody has said that they may.
func (c *config) checkTLS() error {
	var err error
	c.tls, err = c.certificate()
	switch {
	case err != nil:
		return err
	case c.tls == nil && len(c.proxies) == 0 && !c.insecureHTTP && !isLoopback(c.addr):
		return fault.New(fault.Invalid, "--addr %s lets other machines in, and without TLS everybody on the way could read along and sign in as others; set --tls-cert and --tls-key, or --trusted-proxy for a proxy that speaks TLS, or --insecure-http if the network is to be trusted", c.addr)
	}
	return nil
}

// secured is the listener with TLS, if there is a certificate.
func (c *config) secured(plain net.Listener) net.Listener {
	if c.tls == nil {
		return plain
	}
	return tls.NewListener(plain, c.tls)
}
