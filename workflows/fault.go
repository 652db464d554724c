package workflows

import (
	"errors"
	"fmt"

	"go.temporal.io/sdk/temporal"
)

// The names of the error classes: the type of every error that an activity
// returns. What they mean is the table of package activities/faults.
const (
	ClassTransient  = "transient"
	ClassThrottled  = "throttled"
	ClassInProgress = "in_progress"
	ClassPermanent  = "permanent"
	ClassUnknown    = "unknown"
)

// FaultDetails are the details of every error that an activity returns. The
// error's type is the fault's class.
type FaultDetails struct {
	Class   string `json:"class"`
	Code    string `json:"code"`
	Attempt int    `json:"attempt"`
}

// RulesOutEffect reports whether an error of this class leaves no doubt about
// the effect: it was refused, or nothing was sent.
func RulesOutEffect(class string) bool {
	return class == ClassPermanent || class == ClassTransient || class == ClassThrottled
}

// surelyNothingHappened reports whether an activity's error leaves no doubt
// about the effect: it was refused, or nothing was sent.
func surelyNothingHappened(err error) bool {
	if _, ok := errors.AsType[*temporal.TimeoutError](err); ok {
		// Whatever it carries is the failure of an earlier attempt.
		return false
	}
	app, ok := errors.AsType[*temporal.ApplicationError](err)
	return ok && RulesOutEffect(app.Type())
}

// FaultText is the message that the activity's error carries, without the
// frames that Temporal puts around it.
func FaultText(err error) string {
	// A timeout carries the failure of the attempt before it, which is not
	// what ended this one.
	if timeout, ok := errors.AsType[*temporal.TimeoutError](err); ok {
		return fmt.Sprintf("no answer in time (%s); see the worker's log", timeout.TimeoutType())
	}
	if app, ok := errors.AsType[*temporal.ApplicationError](err); ok {
		return app.Message()
	}
	return err.Error()
}

// CodeRunCanceled is the code of a further attempt at an action that began nothing,
// because the run is to be canceled.
const CodeRunCanceled = "run_canceled"

// attemptsOf is the number of attempts that an activity's error tells of; 0
// when it tells none.
func attemptsOf(err error) int { return detailsOf(err).Attempt }

// detailsOf are the details of an activity's error; none when it has none.
func detailsOf(err error) (d FaultDetails) {
	app, ok := errors.AsType[*temporal.ApplicationError](err)
	if !ok || !app.HasDetails() || app.Details(&d) != nil {
		return FaultDetails{}
	}
	return d
}

// EarlierUnknown ends the message of an attempt that began nothing, and could
// not find out what became of those before it. The ledger may know later.
const EarlierUnknown = "; whether an earlier attempt had its effect is not known"
