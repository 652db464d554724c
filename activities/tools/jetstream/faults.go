package jetstream

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/nats-io/nats.go"
	natsjs "github.com/nats-io/nats.go/jetstream"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

func permanent(code, format string, args ...any) *faults.Fault {
	return &faults.Fault{Class: faults.Permanent, Code: code, Reason: fmt.Sprintf(format, args...)}
}

func transient(code string, cause error, format string, args ...any) *faults.Fault {
	return &faults.Fault{Class: faults.Transient, Code: code, Reason: fmt.Sprintf(format, args...), Cause: cause}
}

// unfit is the fault of parameters that make no message.
func (s *sender) unfit(field string, err error) error {
	return permanent("bad_message", "tool %s: its %s %s", s.spec.Name, field, err)
}

// dialFault is what a connection that was not made means: nothing was sent.
func dialFault(err error) *faults.Fault {
	if errors.Is(err, nats.ErrAuthorization) || errors.Is(err, nats.ErrAuthExpired) || errors.Is(err, nats.ErrAccountAuthExpired) ||
		errors.Is(err, nats.ErrAuthRevoked) {
		return permanent("nats_not_authorized", "the NATS server refuses the tool's user")
	}
	if errors.Is(err, nats.ErrSecureConnRequired) || errors.Is(err, nats.ErrSecureConnWanted) || certificateFault(err) {
		return permanent("nats_tls", "the TLS connection to the NATS server cannot be made: %s", tlsReason(err))
	}
	return transient("dial_failed", err, "no connection to a NATS server; nothing was sent")
}

func certificateFault(err error) bool {
	_, verification := errors.AsType[*tls.CertificateVerificationError](err)
	_, authority := errors.AsType[x509.UnknownAuthorityError](err)
	_, hostname := errors.AsType[x509.HostnameError](err)
	_, invalid := errors.AsType[x509.CertificateInvalidError](err)
	_, record := errors.AsType[tls.RecordHeaderError](err)
	_, alert := errors.AsType[tls.AlertError](err)
	return verification || authority || hostname || invalid || record || alert
}

func tlsReason(err error) string {
	if errors.Is(err, nats.ErrSecureConnRequired) {
		return "the server requires TLS"
	}
	if errors.Is(err, nats.ErrSecureConnWanted) {
		return "the server has no TLS"
	}
	return plan.Escape(plan.Clip(err.Error(), 200))
}

// askFault is what a failed question to the JetStream API means. Questions
// write nothing.
func askFault(err error, what string) *faults.Fault {
	if errors.Is(err, errDenied) {
		return permanent("nats_denied", "the tool's user may not ask NATS for %s", what)
	}
	if errors.Is(err, nats.ErrNoResponders) {
		return transient("jetstream_down", err, "JetStream does not answer for %s; nothing was sent", what)
	}
	if api, ok := errors.AsType[*natsjs.APIError](err); ok {
		return apiFault(api, "nothing was sent")
	}
	return transient("no_answer", err,
		"no answer for %s; nothing was sent. May the tool's user ask for it, and read its inbox?", what)
}

// duplicateInProcess is JetStream's error for a message id that a cluster is
// at work on (nats-server, errors.json).
const duplicateInProcess natsjs.ErrorCode = 10158

// apiFault is what an error answer of JetStream means. done says what is known
// of the message.
func apiFault(api *natsjs.APIError, done string) *faults.Fault {
	f := &faults.Fault{
		Class: faults.Permanent, Code: "nats_" + strconv.Itoa(int(api.ErrorCode)), Cause: api,
		Reason: fmt.Sprintf("JetStream says: %s (error %d); %s", plan.Escape(plan.Clip(api.Description, 200)), api.ErrorCode, done),
	}
	switch {
	case api.ErrorCode == duplicateInProcess:
		f.Class = faults.InProgress
	case api.Code == http.StatusTooManyRequests:
		f.Class = faults.Throttled
	case api.Code >= http.StatusInternalServerError:
		f.Class = faults.Transient
	}
	return f
}

// publishFault is what a publish without a good answer means.
//
// An error answer says that the message was not stored. That of a replicated
// stream's leader is about the leader alone: when its own disk refused what the
// others have agreed on, they have the message.
func publishFault(err error, subject string, replicas int) *faults.Fault {
	const notStored = "the message was not stored"
	if api, ok := errors.AsType[*natsjs.APIError](err); ok {
		f := apiFault(api, notStored)
		if replicas > 1 && f.Class == faults.Transient {
			f.Class, f.Reason = faults.Unknown, f.Reason+" by the stream's leader"
		}
		return f
	}
	switch {
	case errors.Is(err, natsjs.ErrNoStreamResponse), errors.Is(err, nats.ErrNoResponders):
		return transient("no_responders", err, "no stream takes the subject %s now; nothing was stored", plan.Escape(subject))
	case errors.Is(err, errDenied):
		return permanent("nats_denied", "the tool's user may not publish to %s; %s", plan.Escape(subject), notStored)
	case errors.Is(err, nats.ErrMaxPayload), errors.Is(err, nats.ErrBadSubject), errors.Is(err, nats.ErrHeadersNotSupported):
		return permanent("bad_message", "the NATS client refuses the message: %s", err)
	case errors.Is(err, natsjs.ErrInvalidJSAck):
		return &faults.Fault{Code: "bad_ack", Cause: err, Reason: "something other than a stream answered the message; whether it was stored is not known"}
	case errors.Is(err, context.Canceled):
		return &faults.Fault{Code: faults.CodeInterrupted, Cause: err, Reason: "stopped while the broker's answer was awaited"}
	default:
		return &faults.Fault{Code: "no_ack", Cause: err, Reason: "the message was sent, and the broker's answer did not arrive"}
	}
}

// asNotSent is for the end of ctx before anything was sent.
func asNotSent(ctx context.Context) *faults.Fault {
	return transient(faults.CodeInterrupted, context.Cause(ctx), "stopped before anything was sent")
}
