package gitcli

import (
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"

	"github.com/holdpoint/holdpoint/internal/loopback"
)

// Address is where a remote is.
type Address struct {
	Text   string // as git takes it
	Scheme string // the one transport that git may use for it
	Host   string // for people, with the port if there is one; "" for a path
}

var (
	// helperAddress is git's form "<helper>::<address>", which runs a program
	// of that name: ext::sh runs any.
	helperAddress = regexp.MustCompile(`^[A-Za-z0-9+.-]*::`)
	// secureCopyAddress is git's form "[user@]host:path", which is ssh. A path
	// has no colon before its first slash.
	secureCopyAddress = regexp.MustCompile(`^(?:[A-Za-z0-9_][A-Za-z0-9._-]*@)?([A-Za-z0-9][A-Za-z0-9.-]*|\[[0-9A-Fa-f:.]+\]):(.+)$`)
	// anyURL is a URL within a text of git's.
	anyURL = regexp.MustCompile(`([a-z][a-z0-9+.-]*)://[^\s'"]*`)
)

// ParseAddress reads a remote as the configuration names it, or says what is
// wrong with it. It does not repeat the text, which may hold what it must not.
func ParseAddress(text string) (_ Address, wrong string) {
	switch {
	case text == "":
		return Address{}, ""
	case strings.ContainsFunc(text, unicode.IsControl):
		return Address{}, "has a control character in it"
	case strings.HasPrefix(text, "-"):
		return Address{}, `begins with "-"`
	case helperAddress.MatchString(text):
		return Address{}, "names a program, and none is run"
	case strings.Contains(text, "://"):
		return parseURL(text)
	}
	if host, _, ok := strings.Cut(text, ":"); ok && !strings.Contains(host, "/") || strings.HasPrefix(text, "[") {
		parts := secureCopyAddress.FindStringSubmatch(text)
		if parts == nil {
			return Address{}, "is neither a URL, nor user@host:path, nor a path"
		}
		return Address{Text: text, Scheme: "ssh", Host: parts[1]}, ""
	}
	path, err := filepath.Abs(text)
	if err != nil {
		return Address{}, "is a path without an absolute form"
	}
	return Address{Text: path, Scheme: "file"}, ""
}

func parseURL(text string) (_ Address, wrong string) {
	u, err := url.Parse(text)
	if err != nil {
		return Address{}, "is no URL"
	}
	_, hasPassword := u.User.Password()
	switch {
	case hasPassword:
		return Address{}, "has a password in it; give git a credential helper or GIT_ASKPASS instead"
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return Address{}, "has a query or a fragment"
	case strings.HasPrefix(u.Host, "-"):
		return Address{}, `has a host that begins with "-"`
	case !strings.HasPrefix(text, u.Scheme+"://"):
		return Address{}, "has a scheme that is not in lower case, which git does not know"
	}
	switch u.Scheme {
	case "file":
		if u.Host != "" || !strings.HasPrefix(u.Path, "/") {
			return Address{}, "is a file URL without an absolute path, or with a host; write file:///path"
		}
	case "https", "ssh":
		if u.Hostname() == "" {
			return Address{}, "has no host"
		}
	case "http", "git":
		// Neither keeps a credential, or the pages, from being read or changed
		// on the way.
		if !loopback.Is(u.Hostname()) {
			return Address{}, "is not encrypted, which is for a loopback address only; use https or ssh"
		}
	default:
		return Address{}, "has another scheme than https, ssh and file"
	}
	return Address{Text: text, Scheme: u.Scheme, Host: u.Host}, ""
}

// Redact takes out of a text of git's what belongs into no error: of a URL it
// leaves scheme and host, of the address itself nothing.
func (a Address) Redact(text string) string {
	text = strings.ReplaceAll(text, a.Text, a.String())
	text = anyURL.ReplaceAllStringFunc(text, redactURL)
	for _, path := range a.paths() {
		text = strings.ReplaceAll(text, path, a.String())
	}
	return text
}

// redactURL works on what was not parsed yet: git also prints what it made of
// a URL, and what a server redirected it to.
func redactURL(text string) string {
	scheme, rest, _ := strings.Cut(text, "://")
	rest, _, _ = strings.Cut(rest, "?")
	host, _, _ := strings.Cut(rest, "/")
	return scheme + "://" + host[strings.LastIndexByte(host, '@')+1:]
}

// paths are the forms in which git may name the repository on its host.
func (a Address) paths() []string {
	if u, err := url.Parse(a.Text); err == nil && len(u.Path) > 1 {
		return []string{u.Path}
	}
	if _, path, ok := strings.Cut(a.Text, ":"); ok && len(path) > 1 {
		return []string{path}
	}
	return nil
}

// String is the address for people.
func (a Address) String() string {
	if a.Host == "" {
		return "the remote"
	}
	return a.Scheme + "://" + a.Host
}

// Public is the address without a user: what may be told to everybody who may
// know where things lie. It is empty for a path of this machine.
func (a Address) Public() string {
	if a.Scheme == "file" {
		return ""
	}
	if u, err := url.Parse(a.Text); err == nil && u.Host != "" {
		u.User = nil
		return u.String()
	}
	_, rest, found := strings.Cut(a.Text, "@")
	if !found {
		return a.Text
	}
	return rest
}
