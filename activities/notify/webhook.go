package notify

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/wire"
	"github.com/holdpoint/holdpoint/internal/loopback"
	"github.com/holdpoint/holdpoint/internal/secrets"
	"github.com/holdpoint/holdpoint/workflows"
)

// webhook is the kind of channels that POST a CloudEvent, signed as Standard
// Webhooks are.
type webhook struct {
	URL       secrets.Text `yaml:"url"`
	Secret    secrets.Text `yaml:"secret"`
	AllowHTTP bool         `yaml:"allow_http"` // to this machine
	CAFile    string       `yaml:"ca_file"`    // PEM file of the authorities to trust instead of the system's

	at  place // of these settings
	tls *tls.Config
}

var _ sender = (*webhook)(nil)

func (*webhook) kind() string { return "webhook" }

// target is the scheme and the host of the URL, or the reference that the URL
// begins with.
func (w *webhook) target() string {
	written := w.URL.String()
	if reference, _, ends := strings.Cut(written, "}"); ends && strings.HasPrefix(written, "${") {
		return reference + "}"
	}
	scheme, rest, _ := strings.Cut(written, "://")
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		rest = rest[:end]
	}
	return scheme + "://" + rest[strings.LastIndex(rest, "@")+1:]
}

// check refuses settings that cannot work. A URL with a reference in it is
// looked at when it is used.
func (w *webhook) check(at place) error {
	w.at = at
	switch {
	case w.URL.IsZero():
		return at.fail("url", "is missing")
	case w.Secret.IsZero():
		return at.fail("secret", "is missing: notices are signed, so that nobody else can send them")
	case !w.Secret.HasReference():
		return at.fail("secret", "must be a reference, ${env:NAME} or ${file:PATH}")
	}
	if !w.URL.HasReference() {
		if _, err := w.address(w.URL.String()); err != nil {
			return at.fail("url", "%s", err)
		}
	}
	return w.configureTLS(at)
}

// refused implements sender.
func (w *webhook) refused() []error {
	var refused []error
	if text, err := w.Secret.Resolve(); err == nil {
		if _, err := parseSecrets(text); err != nil {
			refused = append(refused, w.at.fail("secret", "%s", err))
		}
	}
	if text, err := w.URL.Resolve(); err == nil {
		if _, err := w.address(text); err != nil {
			refused = append(refused, w.at.fail("url", "%s", err))
		}
	}
	return refused
}

func (w *webhook) configureTLS(at place) error {
	path := w.CAFile
	if path != "" && !filepath.IsAbs(path) {
		path = filepath.Join(at.folder(), path)
	}
	trusted, err := wire.Trust(path)
	if err != nil {
		return at.fail("ca_file", "%s", err)
	}
	w.tls = trusted
	return nil
}

// address reads a URL. Its error does not quote it.
func (w *webhook) address(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http":
		return nil, errors.New("must be an https URL")
	case u.User != nil || u.Fragment != "":
		return nil, errors.New("must have neither credentials nor a fragment")
	case u.Scheme == "http" && !(w.AllowHTTP && loopback.Is(u.Hostname())):
		return nil, errors.New("must begin with https: http is for this machine alone, with allow_http: true")
	}
	return u, nil
}

// send implements sender: one request on one new connection. Nothing below
// sends it again or elsewhere: Go's transport repeats a request only when a
// connection that it kept turns out dead, and follows no redirect.
func (w *webhook) send(ctx context.Context, n workflows.Notice) (string, error) {
	request, err := w.request(n, time.Now())
	if err != nil {
		return "", err
	}
	var connected atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected.Store(true) }})
	transport := &http.Transport{
		TLSClientConfig: w.tls, DisableKeepAlives: true, DisableCompression: true, MaxResponseHeaderBytes: maxHeaderBytes,
	}
	defer transport.CloseIdleConnections()
	response, err := transport.RoundTrip(request.WithContext(ctx))
	arrived := time.Now()
	if err != nil {
		return "", unanswered(ctx, request.URL.Host, connected.Load(), err)
	}
	// The status is the whole answer; what else a receiver has to say, nobody reads.
	response.Body.Close()
	return judge(request.URL.Host, response, arrived)
}

const (
	maxHeaderBytes = 64 << 10
	contentType    = "application/cloudevents+json; charset=UTF-8"
)

// request is the notice as it goes out now. Its body is the same whenever that
// is.
func (w *webhook) request(n workflows.Notice, now time.Time) (*http.Request, error) {
	text, err := w.URL.Resolve()
	if err != nil {
		return nil, faults.SecretMissing("the webhook's url", err)
	}
	u, err := w.address(text)
	if err != nil {
		return nil, &faults.Fault{Class: faults.Permanent, Code: "bad_url", Reason: "the webhook's url " + err.Error()}
	}
	keys, err := w.keys()
	if err != nil {
		return nil, err
	}
	body, err := envelope(n)
	if err != nil {
		return nil, &faults.Fault{Class: faults.Permanent, Code: "bad_notice", Reason: "the notice cannot be written as JSON", Cause: err}
	}
	header := http.Header{}
	header.Set("User-Agent", "holdpoint")
	header.Set("Content-Type", contentType)
	sign(header, keys, n.Key, now, body)
	return &http.Request{
		Method: http.MethodPost, URL: u, Host: u.Host, Header: header,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)),
	}, nil
}
