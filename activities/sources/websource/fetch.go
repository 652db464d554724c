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
	"strings"
	"time"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/sources"
	"github.com/holdpoint/holdpoint/activities/sources/text"
	"github.com/holdpoint/holdpoint/activities/tools/httpapi/retryafter"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

const (
	maxHeaderBytes = 64 << 10 // of an answer
	maxRedirects   = 5
	maxVersion     = 200 // bytes of an ETag or a date that are kept

	// headerInMemory is how much of a header is read. Of HTTP/2, net/http tells a
	// header far above the bound that it was given from no other fault; so the bound
	// that counts is far below, and measured here.
	headerInMemory = 16 * maxHeaderBytes
)

// redirectError is a redirect that is not followed.
type redirectError string

func (e redirectError) Error() string { return string(e) }

func client(timeout time.Duration) *http.Client {
	return &http.Client{
		Timeout: timeout,
		Transport: &http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			MaxResponseHeaderBytes: headerInMemory,
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

// fetch asks for one page, and writes into item what the answer says of it. What
// the server does not give, or gives in a format that is not read, is a *Skip; a
// server that cannot answer now is a fault.
func (s *Source) fetch(ctx context.Context, p page, item *sources.Item, limit int64) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url.String(), nil)
	if err != nil {
		return nil, faultOf(p, err)
	}
	request.Header.Set("User-Agent", "holdpoint")
	answer, err := s.client.Do(request)
	if err != nil {
		return nil, failed(ctx, p, err)
	}
	defer answer.Body.Close()
	if headerSize(answer.Header) > maxHeaderBytes {
		return nil, largeHeader()
	}
	if err := judge(p, answer); err != nil {
		return nil, err
	}
	if err := format(p.path, answer.Header.Get("Content-Type"), item); err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(answer.Body, limit+1))
	if err != nil {
		return nil, failed(ctx, p, err)
	}
	item.Size = int64(len(data))
	if item.Size > limit {
		item.Size = max(answer.ContentLength, item.Size)
		return nil, skip("too large: more than the %d bytes that the limits leave for it", limit)
	}
	item.ETag = plan.Clip(answer.Header.Get("ETag"), maxVersion)
	item.LastModified = plan.Clip(answer.Header.Get("Last-Modified"), maxVersion)
	return data, nil
}

func skip(format string, args ...any) error {
	return &sources.Skip{Reason: fmt.Sprintf(format, args...)}
}

// judge says what an answer's status means: nothing for one with the page in
// it, a *Skip to go on without the page, or a fault to try again after.
func judge(p page, answer *http.Response) error {
	status := answer.StatusCode
	says := fmt.Sprintf("%d %s", status, http.StatusText(status))
	wait := retryafter.Of(answer.Header, time.Now())
	again := &faults.Fault{
		Class: faults.Transient, Code: fmt.Sprintf("http_%d", status), Reason: p.url.Host + " answered " + says, RetryAfter: wait,
	}
	switch {
	case status == http.StatusOK:
		return nil
	case status == http.StatusTooManyRequests, status == http.StatusServiceUnavailable && wait > 0:
		again.Class = faults.Throttled
		return patient(again)
	case status >= http.StatusInternalServerError, status == http.StatusRequestTimeout, status == http.StatusTooEarly:
		return patient(again)
	default:
		return skip("the server answered %s", says)
	}
}

// maxWait bounds what a server may make a collection wait for a page.
const maxWait = 10 * time.Minute

// patient waits for longer than the worker does by itself, where the server asks
// for that: who comes back before is turned away again.
func patient(again *faults.Fault) error {
	retry := faults.DefaultRetry()
	if again.RetryAfter <= retry.MaxAfter {
		return again
	}
	retry.MaxAfter = maxWait
	return &faults.Paced{Err: again, Retry: retry}
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

// format writes into item the format and the charset that the server says; what
// it says of what it does not know leaves the name to decide. A *Skip is for a
// format that is not read.
func format(path, contentType string, item *sources.Item) error {
	said, parameters, err := mime.ParseMediaType(contentType)
	item.Charset = parameters["charset"]
	item.MediaType = text.MediaType(path)
	known := text.MediaType("page" + extensions[said])
	switch {
	case err == nil && said == "text/plain" && item.MediaType == "":
		item.MediaType = said
	case err != nil, said == "text/plain", said == "application/octet-stream":
		if item.MediaType == "" {
			return skip("%s", text.Unsupported(path))
		}
	case extensions[said] == "" || known == "":
		return skip("unsupported format %s", plan.Clip(plan.Escape(said), maxVersion))
	default:
		item.MediaType = known
	}
	return nil
}

// failed is what it means that no whole answer came. Its text has the host, and
// nothing more of the URL.
func failed(ctx context.Context, p page, err error) error {
	redirect, isRedirect := errors.AsType[redirectError](err)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case isRedirect:
		return skip("the server %s", redirect)
	case hasLargeHeader(err):
		return largeHeader()
	default:
		return faultOf(p, err)
	}
}

func largeHeader() error { return skip("the server's header has more than %d bytes", maxHeaderBytes) }

// headerSize returns the bytes of a header's lines, as HTTP/1.1 would write them.
func headerSize(header http.Header) int {
	size := 0
	for name, values := range header {
		for _, value := range values {
			size += len(name) + len(": \r\n") + len(value)
		}
	}
	return size
}

// hasLargeHeader reports whether net/http gave an answer up because its header is
// larger than headerInMemory, which asking again does not change. It has no names
// for that, only words, of HTTP/1.1 and of HTTP/2. Whatever else may be the matter
// with an answer, a proxy's broken HTTP/2 too, may be over the next time.
func hasLargeHeader(err error) bool {
	return strings.Contains(err.Error(), "server response headers exceeded") ||
		strings.Contains(err.Error(), "response header list larger than advertised limit")
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
