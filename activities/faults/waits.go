package faults

import (
	"context"
	"errors"
	"net"
)

// Waits reports whether err passes without anybody's mending what is asked for:
// the other side asks to wait, surely could not be reached at all, or is said to
// be away by the fault itself. A step that writes nothing outlasts it, as an
// effect does, and none of its attempts is spent on it.
//
// A call that somebody has stopped waits for nothing.
func Waits(err error) bool {
	fault := Name(err)
	if fault.final() || errors.Is(err, context.Canceled) {
		return false
	}
	return fault.Class == Throttled || fault.Waits || undialed(err)
}

// undialed reports whether there was no connection, for whatever reason: the
// address refuses it, does not answer, or has no host. An error whose fault was
// named elsewhere keeps what it met as its cause.
func undialed(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "dial"
}
