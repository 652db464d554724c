package faults

import (
	"context"
	"errors"
	"strings"
	"time"

	"go.temporal.io/sdk/temporal"

	"github.com/holdpoint/holdpoint/workflows"
)

// Temporal returns the error that an activity gives to the server: its type
// is the class's name, its message the fault's text (at most 4 KiB) and nothing
// else of err, its delay r's. Permanent is not tried again, nor are CodeOutcomeUnknown and
// CodePanic, nor what is Last; every other Unknown is, because the effect
// protocol recovers it.
//
// The workflow's own cancellation passes through as it is. A bare
// context.Canceled becomes retryable and keeps that one cause: the SDK, which
// knows who canceled, reports it as canceled when the workflow asked for it,
// and as a failed attempt when the worker is shutting down. A fault never
// becomes a cancellation, however it was caused.
//
// Temporal does not log. The caller logs err before, because only the text of
// faults survives. elapsed is the time since the first attempt was scheduled.
func Temporal(err error, attempt int, elapsed time.Duration, r Retry) error {
	_, isNamed := errors.AsType[*Fault](err)
	if err == nil || !isNamed && speaksTemporal(err) {
		return err
	}
	fault := Name(err)
	options := temporal.ApplicationErrorOptions{
		NonRetryable: Final(err),
		Details:      []any{workflows.FaultDetails{Class: fault.Class.String(), Code: fault.Code, Attempt: attempt}},
	}
	if paced, ok := errors.AsType[*Paced](err); ok {
		r = paced.Retry
	}
	if delay := r.Delay(attempt, fault.RetryAfter); r.spent(elapsed, delay) {
		options.NonRetryable = true
	} else if !options.NonRetryable {
		options.NextRetryDelay = delay
	}
	if !isNamed && errors.Is(err, context.Canceled) {
		options.Cause = context.Canceled
	}
	return temporal.NewApplicationErrorWithOptions(clip(fault.Error(), maxMessageBytes), fault.Class.String(), options)
}

// maxMessageBytes keeps an error that quotes what it met, such as names that a
// model made up, from filling the history.
const maxMessageBytes = 4 << 10

// clip shortens a text at a letter's border and shows that it did.
func clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "") + "…"
}

// Final reports whether no further attempt is to be made after an error: it is
// Permanent, or one of CodeOutcomeUnknown or CodePanic, or the Last.
func Final(err error) bool { return Name(err).final() || errors.As(err, new(*Last)) }

func (f *Fault) final() bool {
	return f.Class == Permanent || f.Code == CodeOutcomeUnknown || f.Code == CodePanic
}

// speaksTemporal reports errors that already are in the server's terms.
func speaksTemporal(err error) bool {
	return temporal.IsCanceledError(err) || temporal.IsApplicationError(err)
}
