package runs

import (
	"context"
	"errors"

	"go.temporal.io/api/serviceerror"
)

// Transient reports whether an error of a Reader may be gone on the next look:
// the server restarts, is overloaded, or did not answer in time.
func Transient(err error) bool {
	if _, ok := errors.AsType[*serviceerror.Unavailable](err); ok {
		return true
	}
	if _, ok := errors.AsType[*serviceerror.ResourceExhausted](err); ok {
		return true
	}
	if _, ok := errors.AsType[*serviceerror.DeadlineExceeded](err); ok {
		return true
	}
	return errors.Is(err, context.DeadlineExceeded)
}
