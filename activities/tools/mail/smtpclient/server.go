package smtpclient

import (
	"crypto/tls"
	"net"
	"path/filepath"
	"slices"
	"strings"

	"github.com/holdpoint/holdpoint/internal/loopback"
	"github.com/holdpoint/holdpoint/internal/trust"
)

// Server is a mail server, and how to talk to it, as a configuration has it.
// Check must have accepted it before it is used. It holds no connection, and is
// safe for concurrent use.
type Server struct {
	Address  string `yaml:"address"`  // host:port
	TLS      string `yaml:"tls"`      // StartTLS when left out
	CAFile   string `yaml:"ca_file"`  // PEM file of the authorities to trust instead of the system's
	Insecure bool   `yaml:"insecure"` // NoTLS may leave this machine
	HELO     string `yaml:"helo"`     // the domain of a mail's From when left out
	Auth     Auth   `yaml:"auth"`

	host string // of Address
	tls  *tls.Config
}

// What TLS can be.
const (
	StartTLS    = "starttls" // plain at first; never goes on without TLS
	ImplicitTLS = "implicit" // TLS from the first byte (RFC 8314)
	NoTLS       = "none"
)

// Check refuses settings that cannot work, fills in what was left out, and
// reads CAFile, which is relative to folder. fail makes the error about a field,
// such as "auth.password", whose text goes on with what the field must be.
func (s *Server) Check(folder string, fail func(field, format string, args ...any) error) error {
	host, port, err := net.SplitHostPort(s.Address)
	if err != nil || host == "" || port == "" {
		return fail("address", "must be host:port, such as mail.example.com:587")
	}
	s.host = host
	if s.TLS == "" {
		s.TLS = StartTLS
	}
	switch {
	case !slices.Contains([]string{StartTLS, ImplicitTLS, NoTLS}, s.TLS):
		return fail("tls", "must be %s, %s or %s", StartTLS, ImplicitTLS, NoTLS)
	case s.TLS == NoTLS && !loopback.Is(s.host) && !s.Insecure:
		return fail("tls", "is none, which would send mails in clear to another machine; use starttls or implicit, or allow it with insecure: true")
	case strings.ContainsFunc(s.HELO, func(r rune) bool { return r <= ' ' || r > '~' }):
		return fail("helo", "must be a host name")
	}
	if err := s.checkAuth(fail); err != nil {
		return err
	}
	return s.configureTLS(folder, fail)
}

func (s *Server) checkAuth(fail func(field, format string, args ...any) error) error {
	if s.Auth.isZero() {
		return nil
	}
	switch {
	case s.Auth.Mechanism != MechanismPlain && s.Auth.Mechanism != MechanismLogin:
		return fail("auth.mechanism", "must be %s or %s", MechanismPlain, MechanismLogin)
	case s.Auth.Username.IsZero() || s.Auth.Password.IsZero():
		return fail("auth", "needs username and password")
	case !s.Auth.Password.HasReference():
		return fail("auth.password", "must be a reference, ${env:NAME} or ${file:PATH}")
	case s.TLS == NoTLS && !loopback.Is(s.host):
		return fail("auth.password", "is sent to another machine only over TLS")
	}
	return nil
}

// configureTLS wants the server's certificate to be for the host of Address.
func (s *Server) configureTLS(folder string, fail func(field, format string, args ...any) error) error {
	path := s.CAFile
	if path != "" && !filepath.IsAbs(path) {
		path = filepath.Join(folder, path)
	}
	pool, err := trust.Pool(path)
	if err != nil {
		return fail("ca_file", "%s", err)
	}
	s.tls = &tls.Config{ServerName: s.host, MinVersion: tls.VersionTLS12, RootCAs: pool}
	return nil
}
