package notify

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools/httpapi/retryafter"
)

// judge is what a receiver's answer means. It has the notice's key, so an
// answer that leaves open whether it took the notice is tried again.
func judge(host string, response *http.Response, arrived time.Time) (string, error) {
	status := response.StatusCode
	if status >= 200 && status < 300 {
		return strconv.Itoa(status), nil
	}
	after := retryafter.Of(response.Header, arrived)
	f := &faults.Fault{Class: faults.Permanent, Code: fmt.Sprintf("http_%d", status), Reason: named(host, status)}
	switch {
	case status == http.StatusGone:
		f.Reason += " wants no notices any more: take the channel out of the configuration"
	case status >= 300 && status < 400:
		f.Code = "redirected"
		f.Reason += " redirects, and a notice is sent nowhere else: give the address that it redirects to"
	case status == http.StatusTooManyRequests, status == http.StatusServiceUnavailable && after > 0:
		f.Class, f.RetryAfter = faults.Throttled, after
		f.Reason += " asks to wait"
	case status >= 500, status == http.StatusRequestTimeout, status == http.StatusTooEarly:
		f.Class, f.RetryAfter = faults.Transient, after
		f.Reason += " failed"
	default:
		f.Reason += " refuses the notice"
	}
	return "", f
}

// named is who answers what: "hooks.example.com (400 Bad Request)".
func named(host string, status int) string {
	if text := http.StatusText(status); text != "" {
		return fmt.Sprintf("%s (%d %s)", host, status, text)
	}
	return fmt.Sprintf("%s (%d)", host, status)
}

// unanswered is a request to which no answer came. The text of err is not in
// it, for it may have the whole URL.
func unanswered(ctx context.Context, host string, connected bool, err error) error {
	fault := func(class faults.Class, code, reason string) error {
		return &faults.Fault{Class: class, Code: code, Reason: host + ": " + reason, Cause: err}
	}
	stopped := errors.Is(context.Cause(ctx), context.Canceled)
	switch {
	case connected && stopped:
		return fault(faults.Unknown, "no_answer", "the call was stopped before an answer came; the notice may have been taken")
	case connected:
		return fault(faults.Unknown, "no_answer", "no answer came in time, or the connection broke; the notice may have been taken")
	case stopped:
		return fault(faults.Transient, faults.CodeInterrupted, "the call was stopped before there was a connection")
	case errors.As(err, new(*tls.CertificateVerificationError)):
		return fault(faults.Permanent, "bad_certificate", "its certificate is not trusted for this name; a private authority is named in ca_file")
	case errors.As(err, new(tls.RecordHeaderError)):
		return fault(faults.Permanent, "no_tls", "the url says https, and the port does not speak TLS")
	default:
		return fault(faults.Transient, "dial_failed", "there was no connection; nothing was sent")
	}
}
