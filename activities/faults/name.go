package faults

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
)

// The codes that others act upon.
const (
	// CodeOutcomeUnknown is an Unknown that only a person can resolve: it is
	// not tried again.
	CodeOutcomeUnknown = "outcome_unknown"
	// CodePanic is a programming error that [Guard] caught: it is not tried
	// again.
	CodePanic = "panic"
	// CodeInterrupted is a step that stopped because its context was canceled.
	CodeInterrupted = "interrupted"
	// CodeUnnamed is an error that nobody has named.
	CodeUnnamed = "unnamed"
)

// Name returns the fault that err is, or wraps; failing that, the fault for
// an error of the standard library whose meaning is beyond doubt. Everything
// else is Unknown, and of its text only the type is kept, because nobody has
// checked the text for secrets.
//
// Name is for steps whose work leaves no effect outside. Whoever calls a tool
// trusts only [ClassOf]: a dial or a file that failed in the middle of a write
// says nothing about the bytes before it.
func Name(err error) *Fault {
	if fault, ok := errors.AsType[*Fault](err); ok {
		return fault
	}
	// A dial that was canceled is an interruption, and one that timed out is
	// still a dial: hence the order.
	if errors.Is(err, context.Canceled) {
		return &Fault{Class: Transient, Code: CodeInterrupted, Reason: "the step was interrupted before it was done", Cause: err}
	}
	if f := nameDial(err); f != nil {
		return f
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return &Fault{Class: Transient, Code: "deadline_exceeded", Reason: "the step ran out of time", Cause: err}
	}
	if f := nameFile(err); f != nil {
		return f
	}
	return &Fault{
		Class:  Unknown,
		Code:   CodeUnnamed,
		Reason: fmt.Sprintf("an error of type %T; see the worker's log", innermost(err)),
		Cause:  err,
	}
}

func nameDial(err error) *Fault {
	op, ok := errors.AsType[*net.OpError](err)
	if !ok || op.Op != "dial" {
		return nil
	}
	to := "the other side"
	if op.Addr != nil && op.Addr.Network() != "unix" { // a Unix socket's address is a path
		to = op.Addr.String()
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		to = dns.Name
	}
	return &Fault{Class: Transient, Code: "dial_failed", Reason: "no connection to " + to + "; nothing was sent", Cause: err}
}

// nameFile leaves the path out: where things lie on this machine is nobody's
// business who reads the history.
func nameFile(err error) *Fault {
	path, ok := errors.AsType[*fs.PathError](err)
	if !ok {
		return nil
	}
	const named = "; the worker's log names it"
	switch {
	case errors.Is(path, fs.ErrPermission):
		return &Fault{Class: Permanent, Code: "permission_denied", Reason: "no permission to " + path.Op + " a file of this machine" + named, Cause: err}
	case errors.Is(path, fs.ErrNotExist):
		return &Fault{Class: Permanent, Code: "no_such_file", Reason: "a file of this machine does not exist" + named, Cause: err}
	default:
		return nil
	}
}

// innermost follows single wraps only: of a joined error no part is the one.
func innermost(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}
