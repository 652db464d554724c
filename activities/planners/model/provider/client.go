package provider

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/holdpoint/holdpoint/activities/faults"
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
	client := &Client{config: c, base: base, tls: &tls.Config{MinVersion: tls.VersionTLS12}}
	if c.CAFile == "" {
		return client, nil
	}
	pem, err := os.ReadFile(c.CAFile)
	if err != nil {
		return nil, fmt.Errorf("ca_file: %w", err)
	}
	client.tls.RootCAs = x509.NewCertPool()
	if !client.tls.RootCAs.AppendCertsFromPEM(pem) {
		return nil, errors.New("ca_file: the file holds no certificate in PEM form")
	}
	return client, nil
}

// Base is the base URL in its one spelling, without a slash at its end.
func (c *Client) Base() string { return c.base.String() }

// Call is one call of an SDK: with that key, which may be empty, over that
// client, and before the context ends.
type Call func(ctx context.Context, key string, over *http.Client) error

// Ask resolves the key, makes a call and returns the body of its answer as it
// came, whatever it says, when its status is of 2xx. An error is a
// *faults.Fault by the table at the head of this package. What the call itself
// returns counts only when it made no request.
func (c *Client) Ask(ctx context.Context, call Call) ([]byte, error) {
	key, err := c.key()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, c.config.Timeout)
	defer cancel()
	x := &Exchange{host: c.base.Host, limit: c.config.MaxAnswerBytes, line: line{tls: c.tls}}
	over := &http.Client{
		Transport:     x,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	err = call(ctx, key, over)
	switch {
	case !x.begun:
		return nil, c.unasked(ctx, err)
	case x.err != nil:
		return nil, (&failure{host: x.host, sent: x.line.wrote.Load(), gotTLS: x.line.gotTLS.Load(), cause: x.err}).fault()
	case !isSuccess(x.answer.status):
		return nil, x.answer.fault(key)
	default:
		return x.answer.body, nil
	}
}

// key resolves the key now. A key that no header can carry is refused here,
// because others' errors about it may quote it.
func (c *Client) key() (string, error) {
	key, err := c.config.Key.Resolve()
	if err != nil {
		// Another worker may have it, or its file is just being replaced.
		return "", &faults.Fault{
			Class: faults.Transient, Code: "no_secret",
			Reason: "the key of the model at " + c.base.Host + ": " + err.Error() + "; nothing was sent",
		}
	}
	if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", &faults.Fault{
			Class: faults.Permanent, Code: "bad_key",
			Reason: "the key of the model at " + c.base.Host + " has blanks, line ends or letters that no key has; check what key refers to",
		}
	}
	return key, nil
}

// unasked is a call that the SDK ended before there was a request.
func (c *Client) unasked(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return (&failure{host: c.base.Host, cause: ctx.Err()}).fault()
	}
	return &faults.Fault{
		Class: faults.Permanent, Code: "bad_request", Cause: err,
		Reason: fmt.Sprintf("no request to %s can be made of this conversation and these settings", c.base.Host),
	}
}

// NoAnswer is the fault of a body that is no answer of a model: it was kept, and
// asking again may help. why is in our own words.
func (c *Client) NoAnswer(why string) error {
	return &faults.Fault{Class: faults.Transient, Code: "no_model_answer", Reason: c.base.Host + " " + why}
}

// ErrorAnswer is the fault of an error object in a body whose status says
// success.
func (c *Client) ErrorAnswer(object []byte) error {
	why := "answers with an error, and a status that says success"
	key, err := c.config.Key.Resolve()
	if err != nil {
		return c.NoAnswer(why) // without the key nobody can tell whether the code is a piece of it
	}
	if code := errorWords(object).shown(key); code != "" {
		why += ": " + code
	}
	return c.NoAnswer(why)
}
