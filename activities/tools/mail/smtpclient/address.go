package smtpclient

import (
	"errors"
	"net/mail"
	"strings"
	"unicode"

	"golang.org/x/net/idna"
)

// Address is a mail address that SMTP can carry: ASCII, its domain in the
// resolver's form (RFC 5890).
type Address struct {
	Name    string // as people read it; may be empty
	Mailbox string // local@domain
	Domain  string
}

const (
	// maxMailbox is that of a path without its brackets (RFC 5321, section 4.5.3.1.3).
	maxMailbox = 254
	maxName    = 200
)

var errNoAddress = errors.New("a text is no mail address, or more than one")

// ParseAddress reads a text that is one address, with or without a name. Its
// error does not quote the text.
func ParseAddress(text string) (Address, error) {
	parsed, err := mail.ParseAddress(text)
	if err != nil {
		return Address{}, errNoAddress
	}
	return newAddress(parsed)
}

func newAddress(parsed *mail.Address) (Address, error) {
	// The name may have been an encoded word, which can hold anything.
	if strings.ContainsFunc(parsed.Name, unicode.IsControl) || len(parsed.Name) > maxName {
		return Address{}, errors.New("the name of a mail address is too long or holds control characters")
	}
	at := strings.LastIndex(parsed.Address, "@")
	local, domain := parsed.Address[:at], strings.ToLower(parsed.Address[at+1:])
	if !isASCII(domain) {
		ascii, err := idna.Lookup.ToASCII(domain)
		if err != nil {
			return Address{}, errors.New("the domain of a mail address is no domain")
		}
		domain = ascii
	}
	mailbox := local + "@" + domain
	switch {
	case !isASCII(local):
		return Address{}, errors.New("a mail address with letters beyond ASCII before its @ needs SMTPUTF8, which is not used here")
	case strings.ContainsFunc(mailbox, unicode.IsControl) || len(mailbox) > maxMailbox:
		return Address{}, errors.New("a mail address is too long or holds control characters")
	}
	return Address{Name: parsed.Name, Mailbox: mailbox, Domain: domain}, nil
}

// Path is the mailbox as commands and header fields have it: <local@domain>,
// the local part quoted where it must be.
func (a Address) Path() string { return (&mail.Address{Address: a.Mailbox}).String() }

// envelope is the mailboxes that the mail goes to, each once.
func envelope(lists ...[]Address) []string {
	var paths []string
	seen := map[string]bool{}
	for _, list := range lists {
		for _, a := range list {
			if !seen[a.Mailbox] {
				seen[a.Mailbox] = true
				paths = append(paths, a.Path())
			}
		}
	}
	return paths
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r > unicode.MaxASCII })
}
