package gitpages

import (
	"context"

	"github.com/holdpoint/holdpoint/activities/faults"
)

// refs are the two refs of an action, in the repository itself or at its
// remote.
type refs interface {
	// position reads the marker of key and the branch; with key "" the branch
	// only. What they name is in the repository afterwards, with all its history.
	position(ctx context.Context, key string) (position, error)

	// move makes the step from one position to another, and does so only as a
	// whole and when both refs still are where from says. A ref that does not
	// change is still compared, except the branch when only the marker is made:
	// that marker says what the page was at some head, whatever follows it.
	// After a lostError the refs have to be read again; any other error is one
	// from before the step began.
	move(ctx context.Context, key string, from, to position) error

	// stuck is the fault for a step that was lost although nobody else took one.
	stuck(key string, lost *lostError) *faults.Fault
}

// position is where the two refs of one action stand: commit ids, "" for a
// ref that does not exist.
type position struct {
	marker, head string
}

func markerRef(key string) string { return "refs/holdpoint/" + key }

// lostError is a step of the refs that was not reported as done. What became
// of it stands in the refs, and nowhere else.
type lostError struct {
	cause error
	// doubt says that the step may have been made.
	doubt bool
	// verdict is what it comes to when the refs do not show it. Nil stands for
	// a step that surely was not made, and may be tried again.
	verdict *faults.Fault
}

func (e *lostError) Error() string { return e.cause.Error() }
func (e *lostError) Unwrap() error { return e.cause }
