package provider

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

const (
	// maxHeaderBytes bounds an answer's header.
	maxHeaderBytes = 64 << 10
	// connectTimeout bounds the way to a connection, each for TCP and TLS, so that
	// a dead address is known long before a model's time to think is over.
	connectTimeout = 15 * time.Second
)

// line is the connection of one request, and what went over it.
type line struct {
	tls    *tls.Config
	wrote  atomic.Bool // a byte of the request was handed to the connection
	read   atomic.Bool // a byte of an answer arrived
	gotTLS atomic.Bool // and it began as a TLS record, on a connection without TLS
}

// transport makes a transport for one request on one new connection: none is
// kept or shared, so none can be found dead with a request on it, which is when
// Go's transport sends again. It asks no proxy, and speaks HTTP/1.1 only.
func (l *line) transport() *http.Transport {
	return &http.Transport{
		DisableKeepAlives:      true,
		DisableCompression:     true, // the body is kept as it came
		MaxResponseHeaderBytes: maxHeaderBytes,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := dial(ctx, network, address)
			if err != nil {
				return nil, err
			}
			return &watched{Conn: conn, line: l, plain: true}, nil
		},
		DialTLSContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := l.dialTLS(ctx, network, address)
			if err != nil {
				return nil, err
			}
			return &watched{Conn: conn, line: l}, nil
		},
	}
}

func dial(ctx context.Context, network, address string) (net.Conn, error) {
	return (&net.Dialer{Timeout: connectTimeout}).DialContext(ctx, network, address)
}

func (l *line) dialTLS(ctx context.Context, network, address string) (*tls.Conn, error) {
	raw, err := dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	config := l.tls.Clone()
	config.NextProtos = []string{"http/1.1"}
	config.ServerName, _, err = net.SplitHostPort(address)
	if err != nil {
		return nil, errors.Join(err, raw.Close())
	}
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	conn := tls.Client(raw, config)
	if err := conn.HandshakeContext(ctx); err != nil {
		raw.Close()
		return nil, handshakeError{err}
	}
	return conn, nil
}

// handshakeError is a TLS handshake that failed: the request was not sent.
type handshakeError struct{ error }

func (e handshakeError) Unwrap() error { return e.error }

// watched is a connection that notes whether anything of the request was
// written. It lies above TLS, so that a handshake does not count.
type watched struct {
	net.Conn

	line  *line
	plain bool
}

func (c *watched) Write(b []byte) (int, error) {
	c.line.wrote.Store(true) // before: the caller may give up in the middle of it
	return c.Conn.Write(b)
}

func (c *watched) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if n > 0 && !c.line.read.Swap(true) && c.plain {
		c.line.gotTLS.Store(isTLSRecord(b[:n]))
	}
	return n, err
}

// isTLSRecord reports an alert (21) or a handshake record (22) of any version
// (RFC 8446, 5.1).
func isTLSRecord(b []byte) bool {
	return len(b) > 1 && (b[0] == 21 || b[0] == 22) && b[1] == 3
}
