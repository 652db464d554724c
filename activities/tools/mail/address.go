package mail

import (
	"errors"
	"fmt"
	"net/mail"
	"strings"
	"unicode"

	"golang.org/x/net/idna"

	"github.com/holdpoint/holdpoint/activities/tools/template"
)

// address is a mail address that SMTP can carry: ASCII, its domain in the
// resolver's form (RFC 5890).
type address struct {
	name    string // as people read it; may be empty
	mailbox string // local@domain
	domain  string
}

const (
	// maxMailbox is that of a path without its brackets (RFC 5321, section 4.5.3.1.3).
	maxMailbox = 254
	maxName    = 200
)

func newAddress(parsed *mail.Address) (address, error) {
	// The name may have been an encoded word, which can hold anything.
	if strings.ContainsFunc(parsed.Name, unicode.IsControl) || len(parsed.Name) > maxName {
		return address{}, errors.New("the name of a mail address is too long or holds control characters")
	}
	at := strings.LastIndex(parsed.Address, "@")
	local, domain := parsed.Address[:at], strings.ToLower(parsed.Address[at+1:])
	if !isASCII(domain) {
		ascii, err := idna.Lookup.ToASCII(domain)
		if err != nil {
			return address{}, errors.New("the domain of a mail address is no domain")
		}
		domain = ascii
	}
	mailbox := local + "@" + domain
	switch {
	case !isASCII(local):
		return address{}, errors.New("a mail address with letters beyond ASCII before its @ needs SMTPUTF8, which this tool does not use")
	case strings.ContainsFunc(mailbox, unicode.IsControl) || len(mailbox) > maxMailbox:
		return address{}, errors.New("a mail address is too long or holds control characters")
	}
	return address{name: parsed.Name, mailbox: mailbox, domain: domain}, nil
}

// path is the mailbox as commands and header fields have it: <local@domain>,
// the local part quoted where it must be.
func (a address) path() string { return (&mail.Address{Address: a.mailbox}).String() }

// addresses fills in a setting that is one address or a list of them. Each text
// is one address, so that a parameter cannot bring in more than one.
func addresses(value template.Value, vars template.Vars) ([]address, error) {
	rendered, err := value.Render(vars)
	if err != nil {
		return nil, err
	}
	return flatten(rendered, nil)
}

func flatten(value any, list []address) ([]address, error) {
	switch v := value.(type) {
	case nil:
		return list, nil
	case string:
		parsed, err := mail.ParseAddress(v)
		if err != nil {
			return nil, errors.New("a text is no mail address, or more than one")
		}
		one, err := newAddress(parsed)
		return append(list, one), err
	case []any:
		for _, item := range v {
			var err error
			if list, err = flatten(item, list); err != nil {
				return nil, err
			}
		}
		return list, nil
	default:
		return nil, fmt.Errorf("a mail address must be a text, and is a %T", v)
	}
}

// envelope is the mailboxes that the mail goes to, each once.
func envelope(lists ...[]address) []string {
	var paths []string
	seen := map[string]bool{}
	for _, list := range lists {
		for _, a := range list {
			if !seen[a.mailbox] {
				seen[a.mailbox] = true
				paths = append(paths, a.path())
			}
		}
	}
	return paths
}

// people is a list as an approver reads it.
func people(list []address) string {
	shown := make([]string, len(list))
	for i, a := range list {
		shown[i] = strings.TrimSpace(a.name + " " + a.path())
	}
	return strings.Join(shown, ", ")
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r > unicode.MaxASCII })
}
