package httpapi

import (
	"context"
	"crypto/tls"
	"time"

	"github.com/holdpoint/holdpoint/activities/wire"
)

// client sends requests. It keeps nothing from one to the next.
type client struct {
	tls         *tls.Config
	maxResponse int64
	timeout     time.Duration
}

// send sends a request once and reads the whole answer. What it returns beside
// an answer is what became of the attempt.
func (c *client) send(ctx context.Context, o *outgoing) (*answer, *wire.Failure) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	line := &wire.Line{TLS: c.tls}
	transport := line.Transport()
	defer transport.CloseIdleConnections()
	if err := ctx.Err(); err != nil {
		return nil, line.Failed(o.url.Host, err)
	}
	response, err := transport.RoundTrip(o.request(ctx))
	if err != nil {
		return nil, line.Failed(o.url.Host, err)
	}
	defer response.Body.Close()
	raw, err := wire.ReadAll(response.Body, c.maxResponse)
	if err != nil {
		return nil, line.Failed(o.url.Host, err)
	}
	return newAnswer(o.url, response, raw), nil
}
