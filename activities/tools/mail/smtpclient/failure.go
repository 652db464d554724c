package smtpclient

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/textproto"
	"regexp"

	"github.com/holdpoint/holdpoint/activities/faults"
)

// failure makes faults of what goes wrong before a server has been given a
// whole mail. No text of the server's is in them, because it may hold addresses.
type failure struct {
	ctx    context.Context //nolint:containedctx // a failure is that of one call
	server string
}

// dial is a connection that did not come about.
func (f failure) dial(err error) error {
	if ended := f.ended(); ended != nil {
		return ended
	}
	return &faults.Fault{Class: faults.Transient, Code: "dial_failed", Reason: "no connection to " + f.server + "; nothing was sent", Cause: err}
}

// reply is a command that was refused, or whose answer did not come.
func (f failure) reply(command string, err error) error {
	refused, ok := errors.AsType[*textproto.Error](err)
	if !ok {
		return f.network(command, err)
	}
	return f.refused(command, refused.Code, refused.Msg)
}

// refused is a reply code that is not what was hoped for. The first digit
// alone decides (RFC 5321, section 4.2.1).
func (f failure) refused(command string, code int, text string) error {
	class := faults.Permanent
	if code/100 == 4 {
		class = faults.Transient
	}
	return &faults.Fault{
		Class: class, Code: fmt.Sprintf("smtp_%d", code),
		Reason: fmt.Sprintf("%s answered %s with %s; no mail was taken", f.server, command, shown(code, text)),
	}
}

// recipients is a mail that some of its recipients may not get. Who they are
// is not said.
func (f failure) recipients(refused, all int, worst *textproto.Error, partial bool) error {
	fault := *faults.Name(f.refused("RCPT", worst.Code, worst.Msg))
	fault.Code = "recipients_refused"
	rule := ", and it is all or none"
	if partial {
		rule = ""
	}
	fault.Reason = fmt.Sprintf("%d of %d recipients were refused%s: %s", refused, all, rule, fault.Reason)
	return &fault
}

var enhancedStatus = regexp.MustCompile(`^[245]\.\d{1,3}\.\d{1,3}\b`)

// shown is a code with its enhanced status (RFC 3463), when there is one.
func shown(code int, text string) string {
	if status := enhancedStatus.FindString(text); status != "" {
		return fmt.Sprintf("%d %s", code, status)
	}
	return fmt.Sprint(code)
}

// network is a connection that failed: for good when the other side is not who
// it should be, or is none that can be talked to here.
func (f failure) network(during string, err error) error {
	if ended := f.ended(); ended != nil {
		return ended
	}
	switch {
	case errors.As(err, new(*tls.CertificateVerificationError)):
		return f.permanent("smtp_certificate", "has a certificate that is not trusted for this name")
	case errors.As(err, new(tls.RecordHeaderError)):
		return f.permanent("smtp_tls", "does not answer with TLS; look at the setting tls")
	case errors.Is(err, errUnexpectedChallenge):
		return f.permanent("smtp_no_auth", "wants another way to authenticate")
	}
	return &faults.Fault{
		Class: faults.Transient, Code: "smtp_broken_off",
		Reason: fmt.Sprintf("the conversation with %s broke off during %s; no mail was taken", f.server, during), Cause: err,
	}
}

func (f failure) permanent(code, what string) error {
	return &faults.Fault{Class: faults.Permanent, Code: code, Reason: f.server + " " + what + "; no mail was taken"}
}

// ended is the fault of a call that ran out of time, or was stopped.
func (f failure) ended() error {
	err := f.ctx.Err()
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return &faults.Fault{Class: faults.Transient, Code: "deadline_exceeded", Reason: f.server + " was too slow; no mail was taken", Cause: err}
	case err != nil:
		return &faults.Fault{Class: faults.Transient, Code: faults.CodeInterrupted, Reason: "the call was stopped before a mail was taken", Cause: err}
	}
	return nil
}
