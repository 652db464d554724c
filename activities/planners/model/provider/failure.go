package provider

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"syscall"

	"github.com/holdpoint/holdpoint/activities/faults"
)

// failure is a request that brought no whole answer.
type failure struct {
	host   string
	sent   bool // something of the request was handed to the connection
	gotTLS bool // a port that speaks TLS was asked without
	cause  error
}

// fault says what the failure means. What was sent and not answered may have
// been worked on and paid for.
func (f *failure) fault() error {
	switch {
	case f.gotTLS:
		return f.as(faults.Permanent, "speaks_tls", "base_url says http, and the port speaks TLS: write https")
	case !f.sent:
		return f.unsent()
	case errors.Is(f.cause, errTooLarge):
		return f.as(faults.Unknown, "answer_too_large", "its answer is larger than max_answer_bytes; it was paid for, and is lost")
	case errors.Is(f.cause, context.Canceled):
		return f.as(faults.Unknown, "stopped_after_sending", "the call was stopped after the request was sent; it may have been paid for")
	case isTimeout(f.cause):
		return f.as(faults.Unknown, "no_answer", "no whole answer came in time; it may have been paid for")
	default:
		return f.as(faults.Unknown, "answer_cut", "the connection broke after the request was sent; it may have been paid for")
	}
}

// unsent is a request of which nothing was sent. What the operator must mend
// is Permanent: certificates, and a port that speaks something else.
func (f *failure) unsent() error {
	if _, ok := errors.AsType[*tls.CertificateVerificationError](f.cause); ok {
		return f.as(faults.Permanent, "bad_certificate", certificateReason(f.cause))
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](f.cause); ok {
		return f.as(faults.Permanent, "no_tls", "base_url says https, and the port does not speak TLS")
	}
	if op, ok := errors.AsType[*net.OpError](f.cause); ok && op.Op == "remote error" { // an alert of the other side
		return f.as(faults.Permanent, "tls_refused", "it refuses the TLS handshake: versions or names do not fit")
	}
	if dns, ok := errors.AsType[*net.DNSError](f.cause); ok && dns.IsNotFound {
		return f.as(faults.Transient, "unknown_host", "DNS knows no such name; nothing was sent")
	}
	return f.as(faults.Transient, "dial_failed", unreached(f.cause)+"; nothing was sent")
}

// unreached names the usual reasons in words that are the same on every system.
func unreached(err error) string {
	switch {
	case errors.Is(err, context.Canceled):
		return "the call was stopped before there was a connection"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "the connection was refused"
	case isTimeout(err):
		return "there was no connection in time"
	case errors.As(err, new(handshakeError)):
		return "the TLS handshake broke off"
	default:
		return "there was no connection"
	}
}

func isTimeout(err error) bool {
	timeout, ok := errors.AsType[net.Error](err)
	return errors.Is(err, context.DeadlineExceeded) || ok && timeout.Timeout()
}

func certificateReason(err error) string {
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		return "its certificate is for another name"
	}
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return "its certificate is signed by nobody that this worker trusts; name the authority in ca_file"
	}
	if invalid, ok := errors.AsType[x509.CertificateInvalidError](err); ok && invalid.Reason == x509.Expired {
		return "its certificate has expired, or is not valid yet by this machine's clock"
	}
	return "its certificate cannot be verified"
}

// as leaves the cause's own text out of the reason: it may quote the URL.
func (f *failure) as(class faults.Class, code, reason string) error {
	return &faults.Fault{Class: class, Code: code, Reason: f.host + ": " + reason, Cause: f.cause}
}
