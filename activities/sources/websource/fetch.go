package websource

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"time"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/sources"
	"github.com/holdpoint/holdpoint/activities/sources/text"
	"github.com/holdpoint/holdpoint/activities/tools/httpapi/retryafter"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/folder"
)

const (
	maxHeaderBytes = 64 << 10 // of an answer
	maxRedirects   = 5
	maxVersion     = 200 // bytes of an ETag or a date that are kept
)

// redirectError is a redirect that is not followed.
type redirectError string

func (e redirectError) Error() string { return string(e) }

func client(timeout time.Duration) *http.Client {
	return &http.Client{
		Timeout: timeout,
		Transport: &http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			MaxResponseHeaderBytes: maxHeaderBytes,
			ForceAttemptHTTP2:      true,
			MaxIdleConnsPerHost:    1,
		},
		CheckRedirect: func(next *http.Request, before []*http.Request) error {
			switch first := before[0].URL; {
			case !sameOrigin(first, next.URL):
				return redirectError("redirects to another host, which is not followed")
			case len(before) > maxRedirects:
				return redirectError("redirects without end")
			default:
				return nil
			}
		},
	}
}

// sameOrigin reports whether two URLs share scheme, host and port (RFC 6454).
func sameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && a.Hostname() == b.Hostname() && portOf(a) == portOf(b)
}

func portOf(u *url.URL) string {
	switch port := u.Port(); {
	case port != "":
		return port
	case u.Scheme == "https":
		return "443"
	default:
		return "80"
	}
}

// fetch asks for one page. What the server does not give, or gives in a format
// that is not read, is an item that says so; a server that cannot answer now is
// a fault.
func (s *Source) fetch(ctx context.Context, p page, limit int64) (sources.Item, []byte, error) {
	item := sources.Item{Path: folder.EscapePath(p.path)}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url.String(), nil)
	if err != nil {
		return item, nil, faultOf(p, err)
	}
	request.Header.Set("User-Agent", "holdpoint")
	answer, err := s.client.Do(request)
	if redirect, ok := errors.AsType[redirectError](err); ok {
		item.Skipped = "the server " + redirect.Error()
		return item, nil, nil
	}
	if err != nil {
		return item, nil, failed(ctx, p, err)
	}
	defer answer.Body.Close()
	if item.Skipped, err = judge(p, answer); err != nil || item.Skipped != "" {
		return item, nil, err
	}
	if item.MediaType, item.Skipped = mediaType(p.path, answer.Header.Get("Content-Type")); item.Skipped != "" {
		return item, nil, nil
	}
	data, err := io.ReadAll(io.LimitReader(answer.Body, limit+1))
	if err != nil {
		return item, nil, failed(ctx, p, err)
	}
	if int64(len(data)) > limit {
		item.Size = max(answer.ContentLength, int64(len(data)))
		item.Skipped = fmt.Sprintf("too large: more than the %d bytes that the limits leave for it", limit)
		return item, nil, nil
	}
	item.Size = int64(len(data))
	item.ETag = plan.Clip(answer.Header.Get("ETag"), maxVersion)
	item.LastModified = plan.Clip(answer.Header.Get("Last-Modified"), maxVersion)
	return item, data, nil
}

// judge says what an answer's status means: nothing for one with the page in
// it, a reason to go on without the page, or a fault to try again after.
func judge(p page, answer *http.Response) (skip string, _ error) {
	status := answer.StatusCode
	says := fmt.Sprintf("%d %s", status, http.StatusText(status))
	wait := retryafter.Of(answer.Header, time.Now())
	again := &faults.Fault{
		Class: faults.Transient, Code: fmt.Sprintf("http_%d", status), Reason: p.url.Host + " answered " + says, RetryAfter: wait,
	}
	switch {
	case status == http.StatusOK:
		return "", nil
	case status == http.StatusTooManyRequests, status == http.StatusServiceUnavailable && wait > 0:
		again.Class = faults.Throttled
		return "", again
	case status >= http.StatusInternalServerError, status == http.StatusRequestTimeout, status == http.StatusTooEarly:
		return "", again
	default:
		return "the server answered " + says, nil
	}
}

// extensions are the endings of names by media type, so that one table, that of
// package text, says which formats are read.
var extensions = map[string]string{
	"text/markdown": ".md", "text/x-markdown": ".md",
	"text/html": ".html", "application/xhtml+xml": ".html",
	"text/csv": ".csv", "application/json": ".json",
	"application/yaml": ".yaml", "application/x-yaml": ".yaml", "text/yaml": ".yaml", "text/x-yaml": ".yaml",
	"application/pdf": ".pdf",
	"application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx",
}

// mediaType is what the server says, where that is a format; what it says of
// what it does not know leaves the name to decide.
func mediaType(path, contentType string) (_, skip string) {
	said, _, err := mime.ParseMediaType(contentType)
	if err != nil || said == "application/octet-stream" || said == "text/plain" {
		if byName := text.MediaType(path); byName != "" {
			return byName, ""
		}
		if said == "text/plain" {
			return said, ""
		}
		return "", text.Unsupported(path)
	}
	if known := text.MediaType("page" + extensions[said]); extensions[said] != "" && known != "" {
		return known, ""
	}
	return "", "unsupported format " + plan.Clip(plan.Escape(said), maxVersion)
}

// failed is the fault for a page of which no whole answer came. Its text has
// the host, and nothing more of the URL.
func failed(ctx context.Context, p page, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return faultOf(p, err)
}

func faultOf(p page, err error) error {
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return &faults.Fault{
			Class: faults.Permanent, Code: "bad_certificate", Cause: err,
			Reason: p.url.Host + ": its certificate is not one that this worker trusts",
		}
	}
	return &faults.Fault{
		Class: faults.Transient, Code: "not_read", Reason: p.url.Host + ": no whole answer came", Cause: err,
	}
}
