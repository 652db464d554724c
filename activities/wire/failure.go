package wire

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"syscall"

	"github.com/holdpoint/holdpoint/activities/faults"
)

// Failure is a request that brought no whole answer. One that is made without a
// line never had a connection.
type Failure struct {
	Host  string
	Cause error

	sent   bool // something of the request was handed to the connection
	gotTLS bool // a port that speaks TLS was asked without
}

// Words are how faults speak of one kind of request.
type Words struct {
	Address  string // the setting with the address: "the url", "base_url"
	Doubt    string // what may have come of a request that was sent: "the effect may be there"
	TooLarge string // what an answer over the limit is, and what came of the request
}

// Fault is what the failure means for a request that may have been carried out,
// by the table at the head of this package.
func (f *Failure) Fault(w Words) error {
	if fault := f.Unsent(w); fault != nil {
		return fault
	}
	switch {
	case errors.Is(f.Cause, ErrTooLarge):
		return f.As(faults.Unknown, "answer_too_large", w.TooLarge)
	case errors.Is(f.Cause, context.Canceled):
		return f.As(faults.Unknown, "stopped_after_sending", "the call was stopped after the request was sent; "+w.Doubt)
	case isTimeout(f.Cause):
		return f.As(faults.Unknown, "no_answer", "no whole answer came in time; "+w.Doubt)
	default:
		return f.As(faults.Unknown, "answer_cut", "the connection broke after the request was sent; "+w.Doubt)
	}
}

// Unsent is the fault of a request that the other side surely did not get as
// one, and nil when it may have got it. What the operator must mend is Permanent:
// certificates, and a port that speaks something else.
func (f *Failure) Unsent(w Words) error {
	switch {
	case f.gotTLS:
		return f.As(faults.Permanent, "speaks_tls", w.Address+" says http, and the port speaks TLS: write https")
	case f.sent:
		return nil
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](f.Cause); ok {
		return f.As(faults.Permanent, "bad_certificate", certificateReason(f.Cause))
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](f.Cause); ok {
		return f.As(faults.Permanent, "no_tls", w.Address+" says https, and the port does not speak TLS")
	}
	if op, ok := errors.AsType[*net.OpError](f.Cause); ok && op.Op == "remote error" { // an alert of the other side
		return f.As(faults.Permanent, "tls_refused", "it refuses the TLS handshake: versions, names or a client certificate do not fit")
	}
	if dns, ok := errors.AsType[*net.DNSError](f.Cause); ok && dns.IsNotFound {
		return f.As(faults.Transient, "unknown_host", "DNS knows no such name; nothing was sent")
	}
	return f.As(faults.Transient, "dial_failed", unreached(f.Cause)+"; nothing was sent")
}

// As is the failure as a fault of that class, with the host before the reason.
// The cause's own text is left out: it may quote the URL.
func (f *Failure) As(class faults.Class, code, reason string) error {
	return &faults.Fault{Class: class, Code: code, Reason: f.Host + ": " + reason, Cause: f.Cause}
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
