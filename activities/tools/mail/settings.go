package mail

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/mail"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/holdpoint/holdpoint/activities/tools/declared"
	"github.com/holdpoint/holdpoint/activities/tools/template"
	"github.com/holdpoint/holdpoint/internal/secrets"
	"github.com/holdpoint/holdpoint/internal/strictyaml"
)

// settings are the part of a declaration under "smtp".
type settings struct {
	Address  string `yaml:"address"` // host:port
	host     string // of address
	TLS      string `yaml:"tls"`
	CAFile   string `yaml:"ca_file"`  // PEM file of the authorities to trust instead of the system's
	Insecure bool   `yaml:"insecure"` // tls: none may leave this machine
	HELO     string `yaml:"helo"`     // the domain of from when left out
	Auth     auth   `yaml:"auth"`

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

// auth is how the client names itself; the zero auth is not at all.
type auth struct {
	Mechanism string       `yaml:"mechanism"` // plain or login
	Username  secrets.Text `yaml:"username"`
	Password  secrets.Text `yaml:"password"`
}

func (a auth) isZero() bool { return a.Mechanism == "" && a.Username.IsZero() && a.Password.IsZero() }

// What tls can be.
const (
	startTLS    = "starttls" // plain at first; never goes on without TLS
	implicitTLS = "implicit" // TLS from the first byte (RFC 8314)
	noTLS       = "none"
)

const (
	usualRecipients = 10
	// mostRecipients is what every server must take (RFC 5321, section 4.5.3.1.8).
	mostRecipients = 100
)

// check refuses settings that cannot work, and fills in what was left out.
func (s *settings) check(at place) error {
	if err := s.checkServer(at); err != nil {
		return err
	}
	if s.MaxRecipients == 0 {
		s.MaxRecipients = usualRecipients
	}
	switch {
	case s.MaxRecipients < 0 || s.MaxRecipients > mostRecipients:
		return at.fail("max_recipients", "must be between 1 and %d", mostRecipients)
	case s.To.IsZero():
		return at.fail("to", "is missing")
	case s.Subject.IsZero():
		return at.fail("subject", "is missing")
	case s.Text.IsZero():
		return at.fail("text", "is missing")
	default:
		return nil
	}
}

func (s *settings) checkServer(at place) error {
	host, port, err := net.SplitHostPort(s.Address)
	if err != nil || host == "" || port == "" {
		return at.fail("address", "must be host:port, such as mail.example.com:587")
	}
	s.host = host
	if s.TLS == "" {
		s.TLS = startTLS
	}
	switch {
	case !slices.Contains([]string{startTLS, implicitTLS, noTLS}, s.TLS):
		return at.fail("tls", "must be %s, %s or %s", startTLS, implicitTLS, noTLS)
	case s.TLS == noTLS && !loopback(s.host) && !s.Insecure:
		return at.fail("tls", "is none, which would send mails in clear to another machine; use starttls or implicit, or allow it with insecure: true")
	case strings.ContainsFunc(s.HELO, func(r rune) bool { return r <= ' ' || r > '~' }):
		return at.fail("helo", "must be a host name")
	}
	return s.checkAuth(at)
}

func (s *settings) checkAuth(at place) error {
	if s.Auth.isZero() {
		return nil
	}
	switch {
	case s.Auth.Mechanism != mechanismPlain && s.Auth.Mechanism != mechanismLogin:
		return at.fail("auth.mechanism", "must be %s or %s", mechanismPlain, mechanismLogin)
	case s.Auth.Username.IsZero() || s.Auth.Password.IsZero():
		return at.fail("auth", "needs username and password")
	case !s.Auth.Password.HasReference():
		return at.fail("auth.password", "must be a reference, ${env:NAME} or ${file:PATH}")
	case s.TLS == noTLS && !loopback(s.host):
		return at.fail("auth.password", "is sent to another machine only over TLS")
	}
	return nil
}

// author reads from, which is the same for all mails of the declaration.
func (s *settings) author(at place) (address, error) {
	if s.From == "" {
		return address{}, at.fail("from", "is missing")
	}
	parsed, err := mail.ParseAddress(s.From)
	if err != nil {
		return address{}, at.fail("from", "is no mail address")
	}
	from, err := newAddress(parsed)
	if err != nil {
		return address{}, at.fail("from", "cannot be used: %s", err)
	}
	return from, nil
}

// tlsConfig wants the server's certificate to be for the host of address.
func (s *settings) tlsConfig(at place) (*tls.Config, error) {
	config := &tls.Config{ServerName: s.host, MinVersion: tls.VersionTLS12}
	if s.CAFile == "" {
		return config, nil
	}
	path := s.CAFile
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(at.File), path)
	}
	pem, err := os.ReadFile(path)
	if err != nil {
		return nil, at.fail("ca_file", "cannot be read")
	}
	config.RootCAs = x509.NewCertPool()
	if !config.RootCAs.AppendCertsFromPEM(pem) {
		return nil, at.fail("ca_file", "holds no certificate in PEM form")
	}
	return config, nil
}

// loopback reports a host that is this machine whatever a resolver says.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
