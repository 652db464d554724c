// Package loopback says which hosts are this machine. Where that decides,
// something may go out unencrypted, so a host that a resolver could lead
// elsewhere is none.
package loopback

import (
	"net"
	"net/netip"
	"strings"
)

const name = "localhost"

// Is reports whether a host, without a port and without brackets as in
// url.URL.Hostname, is this machine: localhost in any case of its letters, which
// every resolver takes from the machine's own table (RFC 6761, 6.3), or an
// address of 127.0.0.0/8 or ::1 (RFC 6890), also in IPv6's form of the former.
//
// "localhost." is not, because some resolvers ask a server for it; neither is
// 0.0.0.0, which means this machine on some systems only, nor an address with a
// zone.
func Is(host string) bool {
	if len(host) == len(name) && strings.EqualFold(host, name) { // of this length, all letters are ASCII
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Zone() == "" && ip.Unmap().IsLoopback()
}

// IsAddress is Is of an address with a port, or of a host without one. A host
// that is an IPv6 address has brackets where it has a port.
func IsAddress(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = address
	}
	return Is(host)
}
