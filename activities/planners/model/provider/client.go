package provider

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/planners/model"
	"github.com/holdpoint/holdpoint/activities/wire"
)

// Client makes the calls of one engine. It is safe for concurrent use, and
// keeps no connection between two calls.
type Client struct {
	config Config
	base   *url.URL
	tls    *tls.Config
}

// NewClient makes a client by settings that Validate accepts. It reads the file
// of authorities, and connects to nothing.
func NewClient(c Config) (*Client, error) {
	base, err := parseBase(c.BaseURL)
	if err != nil {
		return nil, err
	}
	trusted, err := wire.Trust(c.CAFile)
	if err != nil {
		return nil, fmt.Errorf("ca_file: %w", err)
	}
	return &Client{config: c, base: base, tls: trusted}, nil
}

// Base is the base URL in its one spelling, without a slash at its end.
func (c *Client) Base() string { return c.base.String() }

// Call is one call of an SDK: with that key, which may be empty, over that
// client, and before the context ends.
type Call func(ctx context.Context, key string, over *http.Client) error

// Ask resolves the key, makes a call and returns the body of its answer as it
// came, whatever it says, when its status is of 2xx, unless the key is in it, or in
// what read makes of it. An error is a *faults.Fault by the table at the head of
// this package. What the call itself returns counts only when it made no request.
func (c *Client) Ask(ctx context.Context, call Call, read func(body []byte) (model.Reply, error)) ([]byte, error) {
	key, err := c.key()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, c.config.Timeout)
	defer cancel()
	x := &Exchange{host: c.base.Host, limit: c.config.MaxAnswerBytes, line: wire.Line{TLS: c.tls, Patience: connectTimeout}}
	over := &http.Client{
		Transport:     x,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	err = call(ctx, key, over)
	switch {
	case !x.begun:
		return nil, c.unasked(ctx, err)
	case x.err != nil:
		return nil, unanswered(x.line.Failed(x.host, x.err), x.err)
	case !isSuccess(x.answer.status):
		return nil, x.answer.fault(key)
	case repeats(x.answer.body, key, read):
		return nil, c.echoed()
	default:
		return x.answer.body, nil
	}
}

// key resolves the key now. A key that no header can carry is refused here,
// because others' errors about it may quote it.
func (c *Client) key() (string, error) {
	key, err := c.config.Key.Resolve()
	if err != nil {
		return "", faults.SecretMissing("the key of the model at "+c.base.Host, err)
	}
	if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", &faults.Fault{
			Class: faults.Permanent, Code: "bad_key",
			Reason: "the key of the model at " + c.base.Host + " has blanks, line ends or letters that no key has; check what key refers to",
		}
	}
	return key, nil
}
