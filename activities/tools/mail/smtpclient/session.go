package smtpclient

import (
	"context"
	"crypto/tls"
	"net"
	"net/smtp"
	"slices"
	"strings"
	"time"
)

// session is a connection to a server that is ready to take a mail. The
// standard library opens it; the mail itself is handed over in transaction.go,
// because only there it matters how far it got.
type session struct {
	*smtp.Client
	wire   *wire
	server string // host:port, for error texts
	// detach ends the watch over the context, and reports whether the context
	// had not ended before.
	detach func() bool
}

// past is a deadline that ends what is being read or written.
var past = time.Unix(1, 0)

// open connects, and does all that comes before a mail. The end of ctx ends
// the session. Every error is a fault, and says that no mail was taken.
func (s *Server) open(ctx context.Context, helo string) (*session, error) {
	f := failure{ctx: ctx, server: s.Address}
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp", s.Address)
	if err != nil {
		return nil, f.dial(err)
	}
	w := &wire{Conn: conn}
	c := &session{wire: w, server: s.Address}
	c.detach = context.AfterFunc(ctx, func() { conn.SetDeadline(past) }) //nolint:errcheck // a closed connection needs none
	if err := s.greet(ctx, c, helo, f); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

// greet goes from a connection to a server that knows who we are.
func (s *Server) greet(ctx context.Context, c *session, helo string, f failure) error {
	conn := net.Conn(c.wire)
	if s.TLS == ImplicitTLS {
		secure := tls.Client(c.wire, s.tls)
		if err := secure.HandshakeContext(ctx); err != nil {
			return f.network("TLS", err)
		}
		conn = secure
	}
	var err error
	if c.Client, err = smtp.NewClient(conn, s.host); err != nil {
		return f.reply("the connection", err)
	}
	if err := c.Hello(helo); err != nil {
		return f.reply("HELO", err)
	}
	if s.TLS == StartTLS {
		if offered, _ := c.Extension("STARTTLS"); !offered {
			return f.permanent("smtp_no_starttls", "does not offer STARTTLS, and nothing is sent in clear")
		}
		if err := c.StartTLS(s.tls); err != nil {
			return f.reply("STARTTLS", err)
		}
	}
	return s.authenticate(c, f)
}

func (s *Server) authenticate(c *session, f failure) error {
	if s.Auth.isZero() {
		return nil
	}
	_, offered := c.Extension("AUTH")
	if !slices.Contains(strings.Fields(strings.ToLower(offered)), s.Auth.Mechanism) {
		return f.permanent("smtp_no_auth", "does not offer AUTH "+strings.ToUpper(s.Auth.Mechanism))
	}
	with, err := s.Auth.credentials()
	if err != nil {
		return err
	}
	if err := c.Auth(with); err != nil {
		return f.reply("AUTH", err)
	}
	return nil
}

// close ends the connection. Whatever was not taken by then is not taken.
func (c *session) close() {
	c.detach()
	c.wire.Close()
}

// farewell is said after a mail was taken. Nobody waits for its answer: the
// receipt comes first.
func (c *session) farewell() {
	c.wire.SetDeadline(time.Now().Add(time.Second)) //nolint:errcheck // it fails with the write
	c.Text.PrintfLine("QUIT")                       //nolint:errcheck // the mail is taken all the same
}
