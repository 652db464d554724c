// Package faults decides, once and for the whole product, what an error means
// for the run: try again, wait, give up, or ask a person. Tools, sources and
// the ledger name the class of what they met; [Temporal] turns it into the
// error that the Temporal server acts upon. Nothing else decides about retries.
//
//	situation                                            class
//	---------------------------------------------------  ----------
//	connection refused before anything was sent          Transient
//	SQLITE_BUSY, serialization failure                    Transient
//	429, 503 with Retry-After                            Throttled
//	our own key is being worked on (409, 425, lease)     InProgress
//	bad plan, refused content, 400, 401, 403, 404, 422   Permanent
//	timeout or reset after something was sent            Unknown
//	anything that nobody has named                       Unknown
//	a panic                                              Unknown, not tried again
//	an effect that only a person can find out about      Unknown, not tried again
//
// Beside its class, what an error says may pass by itself: see [Waits].
package faults

import (
	"errors"
	"time"

	"github.com/holdpoint/holdpoint/workflows"
)

// Class is what an error means for the run. The zero Class is Unknown, so an
// error that nobody has named never says that nothing happened. A step without
// an effect outside is simply tried again after it; an effect is recovered, as
// its delivery class allows, and never just made again.
type Class int

// The classes, by the table at the head of this package.
const (
	// Unknown: the effect may or may not have happened.
	Unknown Class = iota
	// Transient: nothing happened, and trying again may help.
	Transient
	// Throttled: the other side names, or implies, a time to wait.
	Throttled
	// InProgress: our own key is being worked on; ask again with the same key.
	InProgress
	// Permanent: trying again cannot help.
	Permanent
)

// String is the class's name in error types, logs and metrics.
func (c Class) String() string {
	switch c {
	case Transient:
		return workflows.ClassTransient
	case Throttled:
		return workflows.ClassThrottled
	case InProgress:
		return workflows.ClassInProgress
	case Permanent:
		return workflows.ClassPermanent
	default:
		return workflows.ClassUnknown
	}
}

// Fault is an error with its class. Its text goes to history, logs and
// status, so it holds host, code and reason, and never a URL's query, user
// info, a header or a body.
type Fault struct {
	Class      Class
	Code       string        // short and stable: "page_changed", "http_422"
	Reason     string        // one line for people, which says what to do when something can be done
	RetryAfter time.Duration // for Throttled and InProgress: not before this; 0 when not known
	Waits      bool          // it passes by itself, or another worker does not have it: see the function Waits
	Cause      error         // for errors.Is within the process; its text is in the worker's log alone, see Trouble
}

func (f *Fault) Error() string { return f.Code + ": " + f.Reason }
func (f *Fault) Unwrap() error { return f.Cause }

// ClassOf returns the class that err, or an error it wraps, carries.
func ClassOf(err error) Class {
	if f, ok := errors.AsType[*Fault](err); ok {
		return f.Class
	}
	return Unknown
}
