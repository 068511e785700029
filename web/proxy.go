package web

import (
	"net/http"
	"net/netip"
	"strings"

	"github.com/labstack/echo/v4"
)

// fromProxy leaves in a request only what a trusted proxy says about who sent
// it: whether the browser spoke TLS to the proxy, and from which address. From
// everybody else the headers that say so are taken out, because anybody can
// write them.
func (s *server) fromProxy(r *http.Request) {
	said := strings.Join(r.Header.Values(echo.HeaderXForwardedFor), ",")
	proto := strings.Join(r.Header.Values(echo.HeaderXForwardedProto), ",")
	for name := range r.Header {
		if name == "Forwarded" || strings.HasPrefix(name, "X-Forwarded-") || name == echo.HeaderXRealIP {
			r.Header.Del(name)
		}
	}
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || !s.trusted(at.Addr()) {
		return
	}
	if proto = last(proto); proto != "" {
		r.Header.Set(echo.HeaderXForwardedProto, strings.ToLower(proto))
	}
	// The nearest proxy has written the last address. One that is a trusted proxy
	// itself has been told the one before.
	for said != "" {
		addr, err := netip.ParseAddr(last(said))
		if err != nil {
			return
		}
		r.RemoteAddr = netip.AddrPortFrom(addr.Unmap(), 0).String()
		if !s.trusted(addr) {
			return
		}
		said = said[:max(strings.LastIndexByte(said, ','), 0)]
	}
}

func (s *server) trusted(addr netip.Addr) bool {
	for _, p := range s.cfg.Proxies {
		if p.Contains(addr.Unmap()) {
			return true
		}
	}
	return false
}

// last is the last entry of a list that is separated by commas.
func last(list string) string { return strings.TrimSpace(list[strings.LastIndexByte(list, ',')+1:]) }
