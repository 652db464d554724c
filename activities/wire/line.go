package wire

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// maxHeaderBytes bounds an answer's header.
const maxHeaderBytes = 64 << 10

// Line is the connection of one request, and what went over it. It is not
// copied once it is used.
type Line struct {
	// TLS is of connections to https, see Trust. The line works on a copy, with
	// the host's name and the protocol that it speaks.
	TLS *tls.Config
	// Patience bounds the way to a connection, each for TCP and TLS; with 0 only
	// the request's context does.
	Patience time.Duration

	wrote  atomic.Bool // a byte of the request was handed to the connection
	read   atomic.Bool // a byte of an answer arrived
	gotTLS atomic.Bool // and it began as a TLS record, on a connection without TLS
}

// Transport makes a transport for one request on one new connection: none is
// kept or shared, so none can be found dead with a request on it, which is when
// Go's transport sends again. It asks no proxy, speaks HTTP/1.1 only, and leaves
// the answer's body as it came.
func (l *Line) Transport() *http.Transport {
	return &http.Transport{
		DisableKeepAlives:      true,
		DisableCompression:     true,
		MaxResponseHeaderBytes: maxHeaderBytes,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := l.dial(ctx, network, address)
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

// Failed is what became of the line's request to a host, of which no whole
// answer came for that cause.
func (l *Line) Failed(host string, cause error) *Failure {
	return &Failure{Host: host, Cause: cause, sent: l.wrote.Load(), gotTLS: l.gotTLS.Load()}
}

func (l *Line) dial(ctx context.Context, network, address string) (net.Conn, error) {
	return (&net.Dialer{Timeout: l.Patience}).DialContext(ctx, network, address)
}

func (l *Line) dialTLS(ctx context.Context, network, address string) (*tls.Conn, error) {
	raw, err := l.dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	config := l.TLS.Clone()
	config.NextProtos = []string{"http/1.1"}
	config.ServerName, _, err = net.SplitHostPort(address)
	if err != nil {
		return nil, errors.Join(err, raw.Close())
	}
	if l.Patience > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, l.Patience)
		defer cancel()
	}
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

	line  *Line
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
