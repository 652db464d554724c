package jetstream

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/internal/secrets"
	"github.com/holdpoint/holdpoint/internal/trust"
)

const (
	// dialTimeout bounds one attempt to reach one server.
	dialTimeout = 5 * time.Second
	// pingInterval finds a connection dead after three of them.
	pingInterval = 20 * time.Second
)

// connection is a sender's connection to its cluster: made when it is needed,
// kept while it lasts, and made anew after that.
type connection struct {
	settings settings
	turn     chan struct{} // whoever fills it may use the fields below
	link     *link         // nil before the first use
	closed   bool
}

func newConnection(s settings) *connection {
	return &connection{settings: s, turn: make(chan struct{}, 1)}
}

// open returns the connection, or makes one. Nothing was sent when it fails.
func (c *connection) open(ctx context.Context) (*link, error) {
	select {
	case c.turn <- struct{}{}:
		defer func() { <-c.turn }()
	case <-ctx.Done():
		return nil, asNotSent(ctx)
	}
	switch {
	case ctx.Err() != nil:
		return nil, asNotSent(ctx)
	case c.closed:
		return nil, transient("closed", nil, "the tool is closed; nothing was sent")
	case c.link != nil && c.link.IsConnected():
		return c.link, nil
	}
	options, err := c.settings.options()
	switch {
	case faults.IsSecretMissing(err):
		return nil, err
	case err != nil:
		return nil, permanent("nats_settings", "the NATS connection cannot be set up: %s", err)
	}
	l, err := dial(ctx, strings.Join(c.settings.Servers, ","), options)
	if err != nil {
		return nil, dialFault(err)
	}
	c.link = l
	return l, nil
}

func (c *connection) close() {
	c.turn <- struct{}{}
	defer func() { <-c.turn }()
	c.closed = true
	if c.link != nil {
		c.link.abort()
	}
}

// options are those of the NATS client. Secrets and certificates are read now:
// they may have been replaced since the last connection.
func (s settings) options() ([]nats.Option, error) {
	options := []nats.Option{
		nats.Name("holdpoint"),
		nats.NoReconnect(), // what was not sent must not be sent later
		nats.PingInterval(pingInterval),
	}
	signIn, err := s.signIn()
	if err != nil {
		return nil, err
	}
	if signIn != nil {
		options = append(options, signIn)
	}
	if s.TLS != nil {
		config, err := s.TLS.config()
		if err != nil {
			return nil, err
		}
		options = append(options, nats.Secure(config))
	}
	return options, nil
}

// signIn is the option for the user; nil when there is none.
func (s settings) signIn() (nats.Option, error) {
	values, err := resolve(s.Credentials, s.NKeySeed, s.User, s.Password, s.Token)
	if err != nil {
		return nil, err
	}
	credentials, seed, user, password, token := values[0], values[1], values[2], values[3], values[4]
	switch {
	case credentials != "":
		return nats.UserCredentialBytes([]byte(credentials)), nil
	case seed != "":
		pair, err := nkeys.FromSeed([]byte(strings.TrimSpace(seed)))
		if err != nil {
			return nil, errors.New("nkey_seed is no seed of an nkey")
		}
		public, err := pair.PublicKey()
		if err != nil {
			return nil, errors.New("nkey_seed is no seed of an nkey")
		}
		return nats.Nkey(public, pair.Sign), nil
	case user != "":
		return nats.UserInfo(user, password), nil
	case token != "":
		return nats.Token(token), nil
	default:
		return nil, nil //nolint:nilnil // a server without users
	}
}

func resolve(texts ...secrets.Text) ([]string, error) {
	values := make([]string, len(texts))
	for i, text := range texts {
		value, err := text.Resolve()
		if err != nil {
			return nil, faults.SecretMissing("the NATS connection", err)
		}
		values[i] = value
	}
	return values, nil
}

func (t tlsSettings) config() (*tls.Config, error) {
	pool, err := trust.Pool(t.CA)
	switch _, isUnread := errors.AsType[*fs.PathError](err); {
	case isUnread: // with a path, which is no business of a history's reader
		return nil, errors.New("the file of tls.ca cannot be read")
	case err != nil:
		return nil, fmt.Errorf("the file of tls.ca %w", err)
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: t.ServerName, RootCAs: pool}
	if t.Certificate != "" {
		pair, err := tls.LoadX509KeyPair(t.Certificate, t.Key)
		if err != nil {
			return nil, errors.New("the files of tls.certificate and tls.key cannot be read, or do not belong together")
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}

// dialer makes TCP connections within a context. They end with a reset: a
// message that still waits in the kernel when its connection is given up, or
// its process dies, must not arrive later.
type dialer struct {
	ctx  context.Context //nolint:containedctx // the client's interface has none, and each dial has a dialer of its own
	last net.Conn
}

// Dial implements nats.CustomDialer.
func (d *dialer) Dial(network, address string) (net.Conn, error) {
	conn, err := (&net.Dialer{Timeout: dialTimeout}).DialContext(d.ctx, network, address)
	if err != nil {
		return nil, err
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		if err := tcp.SetLinger(0); err != nil {
			return nil, errors.Join(err, conn.Close())
		}
	}
	d.last = conn
	return conn, nil
}

// handshakeTimeout is what remains of ctx, and at most dialTimeout.
func handshakeTimeout(ctx context.Context) time.Duration {
	deadline, ok := ctx.Deadline()
	if !ok {
		return dialTimeout
	}
	return cmp.Or(max(min(time.Until(deadline), dialTimeout), 0), time.Millisecond)
}
