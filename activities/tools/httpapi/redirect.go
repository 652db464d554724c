package httpapi

import (
	"net/http"
	"net/url"
)

// follow is the request that a redirect leads to, on the same scheme, host and
// port alone: whatever the request carries was meant for that host. nil when
// the answer is no such redirect.
func (o *outgoing) follow(a *answer) *outgoing {
	if o.method != http.MethodGet && o.method != http.MethodHead {
		return nil
	}
	switch a.status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	default:
		return nil
	}
	to, err := o.url.Parse(a.header.Get("Location"))
	if err != nil || a.header.Get("Location") == "" || !sameOrigin(to, o.url) || to.User != nil {
		return nil
	}
	to.Fragment, to.RawFragment = "", ""
	next := *o
	next.url = to
	return &next
}

// sameOrigin reports whether two URLs share scheme, host and port (RFC 6454).
func sameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && hostPort(a) == hostPort(b)
}
