package httpapi

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/holdpoint/holdpoint/activities/tools/template"
)

// urlTemplate is a URL with expressions in its path and its query. A value
// stays a value where it stands: it cannot change the host, add a segment to
// the path or a field to the query (RFC 3986, sections 2 and 3).
type urlTemplate struct {
	base        *url.URL // scheme and host, which are written out
	path, query template.Text
	hasQuery    bool
}

// UnmarshalYAML implements yaml.Unmarshaler.
func (t *urlTemplate) UnmarshalYAML(node *yaml.Node) error {
	var source string
	if err := node.Decode(&source); err != nil {
		return err
	}
	parsed, err := parseURL(source)
	if err != nil {
		return fmt.Errorf("line %d: %w", node.Line, err)
	}
	*t = parsed
	return nil
}

func (t urlTemplate) given() bool { return t.base != nil }

func parseURL(source string) (urlTemplate, error) {
	scheme, rest, _ := strings.Cut(source, "://")
	if scheme != "http" && scheme != "https" {
		return urlTemplate{}, errors.New("a url begins with http:// or https://")
	}
	end := len(rest)
	if at := strings.IndexAny(rest, "/?#"); at >= 0 {
		end = at
	}
	if strings.Contains(rest[:end], "{{") {
		return urlTemplate{}, errors.New("a url's host is written out: only path and query may hold {{ }}")
	}
	base, err := url.Parse(scheme + "://" + rest[:end])
	if err != nil || base.Hostname() == "" {
		return urlTemplate{}, errors.New("a url needs a host")
	}
	if base.User != nil {
		return urlTemplate{}, errors.New("a url holds no user and no password; use auth")
	}
	if _, _, fragment := cutOutside(rest[end:], '#'); fragment {
		return urlTemplate{}, errors.New("a url holds no fragment (#)")
	}
	path, query, hasQuery := cutOutside(rest[end:], '?')
	t := urlTemplate{base: base, hasQuery: hasQuery}
	if t.path, err = template.Parse(path); err != nil {
		return urlTemplate{}, err
	}
	if t.query, err = template.Parse(query); err != nil {
		return urlTemplate{}, err
	}
	if _, err := t.assemble(blank(path), blank(query)); err != nil {
		return urlTemplate{}, err
	}
	return t, nil
}

// cutOutside is strings.Cut at the first separator that is in no expression.
func cutOutside(s string, separator byte) (before, after string, found bool) {
	for at := 0; at < len(s); {
		if s[at] == separator {
			return s[:at], s[at+1:], true
		}
		if strings.HasPrefix(s[at:], "{{") {
			if end := strings.Index(s[at:], "}}"); end >= 0 {
				at += end + len("}}")
				continue
			}
		}
		at++
	}
	return s, "", false
}

// blank puts a harmless value in the place of each expression.
func blank(source string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(source, "{{")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		_, source, _ = strings.Cut(after, "}}")
		b.WriteByte('x')
	}
}

// render fills the expressions in.
func (t urlTemplate) render(v template.Vars) (*url.URL, error) {
	empty := false
	path, err := t.path.Render(v, func(value string) string {
		empty = empty || value == ""
		return url.PathEscape(value)
	})
	if err != nil {
		return nil, err
	}
	if empty {
		return nil, errors.New("an empty value stands in the url's path, and would lead elsewhere")
	}
	query, err := t.query.Render(v, url.QueryEscape)
	if err != nil {
		return nil, err
	}
	return t.assemble(path, query)
}

// assemble puts an escaped path and query behind the host, and makes sure that
// they are sent as they stand here: Go writes some forms anew.
func (t urlTemplate) assemble(path, query string) (*url.URL, error) {
	whole := t.base.Scheme + "://" + t.base.Host + path
	if t.hasQuery {
		whole += "?" + query
	}
	u, err := url.Parse(whole)
	if err != nil {
		return nil, errors.New("the url's path is not escaped as it must be")
	}
	switch {
	case u.Scheme != t.base.Scheme || u.Host != t.base.Host || u.User != nil || u.Fragment != "":
		return nil, errors.New("the url leads to another host")
	case u.EscapedPath() != path || u.RawQuery != query || !visibleASCII(query):
		return nil, errors.New("the url holds letters that must be escaped, such as blanks and those beyond ASCII")
	case slices.ContainsFunc(strings.Split(u.Path, "/"), isDots):
		return nil, errors.New("the url's path holds a segment . or .., which leads elsewhere")
	}
	return u, nil
}

// isDots reports a segment that servers take for a step in the path.
func isDots(segment string) bool { return segment == "." || segment == ".." }

func visibleASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
}

// allows reports whether a list of hosts holds the URL's. An entry without a
// port is the scheme's own.
func allows(hosts []string, u *url.URL) bool {
	address := hostPort(u)
	return slices.ContainsFunc(hosts, func(host string) bool {
		return address == strings.ToLower(host) || address == net.JoinHostPort(strings.ToLower(strings.Trim(host, "[]")), ownPort(u.Scheme))
	})
}

// hostPort is where a URL leads, with its port.
func hostPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = ownPort(u.Scheme)
	}
	return net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}

func ownPort(scheme string) string {
	if scheme == "https" {
		return "443"
	}
	return "80"
}
