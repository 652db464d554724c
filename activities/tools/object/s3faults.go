package object

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"regexp"

	"github.com/minio/minio-go/v7"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/internal/s3answer"
	"github.com/holdpoint/holdpoint/internal/s3keys"
)

// keepsNone reports a store that knows no versions.
func keepsNone(err error) bool {
	answer, ok := s3answer.Of(err)
	return ok && (answer.StatusCode == http.StatusNotImplemented || answer.StatusCode == http.StatusMethodNotAllowed ||
		answer.StatusCode == http.StatusForbidden || answer.Code == minio.InvalidArgument)
}

// writeFault is what a failed write means:
//
//	no keys                                     Transient: another worker may have them
//	no connection                               Transient, or Permanent for a certificate
//	409 of a write beside another one           InProgress: that one may be ours
//	429, 503 SlowDown                           Throttled: not begun
//	3xx, 4xx, 501                               Permanent: refused
//	other 5xx, no answer, half an answer        Unknown: the same call again finds out
func (b *bucket) writeFault(err error, connected bool) error {
	if fault := b.unsent(err, connected); fault != nil {
		return fault
	}
	answer, ok := s3answer.Of(err)
	if !ok {
		return &faults.Fault{
			Class: faults.Unknown, Code: "no_answer",
			Reason: b.host + " gave no whole answer to a write; the next attempt finds out", Cause: err,
		}
	}
	if s3answer.IsBusy(err) {
		return b.said(faults.InProgress, answer, "another write of the object is under way")
	}
	if class, ok := classOf(answer); ok {
		return b.said(class, answer, "the write was refused")
	}
	return b.said(faults.Unknown, answer, "the write may have been made; the next attempt finds out")
}

// readFault is what a failed read means: nothing was written by it.
func (b *bucket) readFault(err error) error {
	if fault := b.unsent(err, true); fault != nil {
		return fault
	}
	answer, ok := s3answer.Of(err)
	if !ok {
		return &faults.Fault{Class: faults.Transient, Code: "not_read", Reason: b.host + " gave no whole answer to a read", Cause: err}
	}
	class, ok := classOf(answer)
	if !ok {
		class = faults.Transient
	}
	return b.said(class, answer, "the read failed")
}

// unseen is a failed read after which nobody knows what became of a write.
func (b *bucket) unseen(err error) error {
	fault := *faults.Name(b.readFault(err))
	fault.Class = faults.Unknown
	fault.Reason += ", so that it is not known whether an earlier write is there; the next attempt finds out"
	return &fault
}

// classOf is the meaning of an answer that leaves no doubt.
func classOf(answer minio.ErrorResponse) (faults.Class, bool) {
	switch status := answer.StatusCode; {
	case status == http.StatusTooManyRequests, answer.Code == "SlowDown":
		return faults.Throttled, true
	case status == http.StatusRequestTimeout, answer.Code == "RequestTimeout":
		return faults.Unknown, false // about the connection, not the request
	case status < 500, status == http.StatusNotImplemented:
		return faults.Permanent, true
	default:
		return faults.Unknown, false
	}
}

// unsent is a request that never began, or nil.
func (b *bucket) unsent(err error, connected bool) error {
	var unread s3keys.Unread
	switch {
	case errors.As(err, &unread):
		return faults.SecretMissing("the store's keys", unread)
	case errors.As(err, new(*tls.CertificateVerificationError)):
		return &faults.Fault{Class: faults.Permanent, Code: "certificate", Reason: b.host + " has a certificate that is not trusted for this name", Cause: err}
	case !connected && errors.Is(err, context.Canceled):
		return &faults.Fault{Class: faults.Transient, Code: faults.CodeInterrupted, Reason: "the call was stopped before anything was sent", Cause: err}
	case !connected:
		return &faults.Fault{Class: faults.Transient, Code: "dial_failed", Reason: "no connection to " + b.host + "; nothing was sent", Cause: err}
	default:
		return nil
	}
}

// word is what an error code of S3 looks like. Anything else is not quoted.
var word = regexp.MustCompile(`^[A-Za-z0-9.]{1,60}$`)

func (b *bucket) said(class faults.Class, answer minio.ErrorResponse, what string) error {
	code := ""
	if word.MatchString(answer.Code) {
		code = " " + answer.Code
	}
	return &faults.Fault{
		Class: class, Code: fmt.Sprintf("s3_%d", answer.StatusCode),
		Reason: fmt.Sprintf("%s answered %d%s: %s", b.host, answer.StatusCode, code, what),
	}
}
