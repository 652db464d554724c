package mail

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/holdpoint/holdpoint/activities/tools/declared"
	"github.com/holdpoint/holdpoint/activities/tools/mail/smtpclient"
	"github.com/holdpoint/holdpoint/activities/tools/template"
	"github.com/holdpoint/holdpoint/internal/strictyaml"
)

// settings are the part of a declaration under "smtp".
type settings struct {
	Server smtpclient.Server `yaml:",inline"`

	From          string         `yaml:"from"`
	To            template.Value `yaml:"to"`
	CC            template.Value `yaml:"cc"`
	ReplyTo       template.Value `yaml:"reply_to"`
	MaxRecipients int            `yaml:"max_recipients"`

	Subject template.Text `yaml:"subject"`
	Text    template.Text `yaml:"text"`
	HTML    template.Text `yaml:"html"`
}

// place is where the settings stand, for errors about them.
type place struct {
	declared.Settings
	tool string
}

// fail is an error about one field, such as "auth.password", at its line.
func (p place) fail(field, format string, args ...any) error {
	node := strictyaml.Nearest(p.Node, strings.Split(field, ".")...)
	return strictyaml.Fail(p.File, node, "tool %s: smtp.%s %s", p.tool, field, fmt.Sprintf(format, args...))
}

const (
	usualRecipients = 10
	// mostRecipients is what every server must take (RFC 5321, section 4.5.3.1.8).
	mostRecipients = 100
)

// check refuses settings that cannot work, and fills in what was left out.
func (s *settings) check(at place) error {
	errs := []error{s.Server.Check(filepath.Dir(at.File), at.fail)}
	if s.MaxRecipients == 0 {
		s.MaxRecipients = usualRecipients
	}
	if s.MaxRecipients < 0 || s.MaxRecipients > mostRecipients {
		errs = append(errs, at.fail("max_recipients", "must be between 1 and %d", mostRecipients))
	}
	for _, field := range []struct {
		name    string
		missing bool
	}{{"to", s.To.IsZero()}, {"subject", s.Subject.IsZero()}, {"text", s.Text.IsZero()}} {
		if field.missing {
			errs = append(errs, at.fail(field.name, "is missing"))
		}
	}
	return errors.Join(errs...)
}

// author reads from, which is the same for all mails of the declaration.
func (s *settings) author(at place) (smtpclient.Address, error) {
	if s.From == "" {
		return smtpclient.Address{}, at.fail("from", "is missing")
	}
	from, err := smtpclient.ParseAddress(s.From)
	if err != nil {
		return smtpclient.Address{}, at.fail("from", "cannot be used: %s", err)
	}
	return from, nil
}
