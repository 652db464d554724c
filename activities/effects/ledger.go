package effects

import (
	"context"
	"errors"
	"time"

	"github.com/holdpoint/holdpoint/approvals/plan"
)

// Ledger is Holdpoint's own record of effects, one row a key. It outlives the
// retention of the Temporal server. Implementations are safe for concurrent
// use by many goroutines and processes; time is the ledger's own clock, one
// for all its users. Their errors are faults, except ErrNotHeld and those of
// the caller's context. A claim ends with Complete, Release or Park, and is
// not held any more after that.
type Ledger interface {
	// Begin claims key for one attempt. At most one live claim exists.
	//  - no row, or a released one: the row becomes Started with a new token;
	//  - Completed: the row is returned, and nothing is claimed;
	//  - Started, lease running: the row is returned, and nothing is claimed;
	//  - Started, lease over: the row is claimed anew with a higher token, and
	//    Begun.Recover is set: an earlier attempt may have had its effect;
	// A row of another fingerprint is handed out only when it is Released.
	// [Decide] is this rule in code.
	Begin(ctx context.Context, c Claim) (Begun, error)

	// Renew moves the lease of a claim to now + lease, also when it is over.
	// ErrNotHeld when the token is no longer the row's.
	Renew(ctx context.Context, key string, token int64, lease time.Duration) error

	// Complete stores the receipt. ErrNotHeld when the token is no longer the
	// row's.
	Complete(ctx context.Context, key string, token int64, receipt plan.Receipt) error

	// Release ends a claim of which nothing left this machine, or which the
	// target surely refused: the next Begin needs no recovery. ErrNotHeld when
	// the token is no longer the row's.
	Release(ctx context.Context, key string, token int64, reason string) error

	// Park ends the lease of a claim whose outcome is unknown: the row stays
	// Started, and the next Begin recovers at once instead of waiting for the
	// lease to run out. ErrNotHeld when the token is no longer the row's.
	Park(ctx context.Context, key string, token int64, reason string) error

	// Rows returns the rows of those keys that exist, in the order of keys.
	Rows(ctx context.Context, keys []string) ([]Row, error)

	Close() error
}

// ErrNotHeld says that another attempt has taken over the key since: the
// caller must stop writing, and its result does not count.
var ErrNotHeld = errors.New("the claim is no longer held by this attempt")

// State of a ledger row.
type State string

// The states of a row.
const (
	Started   State = "STARTED"
	Completed State = "COMPLETED"
	Released  State = "RELEASED"
)

// Claim is what Begin is asked for.
type Claim struct {
	Key         string
	Fingerprint plan.Digest
	Tenant      string
	RunID       string
	ActionID    string
	Tool        string
	Target      string
	Attempt     int
	Owner       string // the worker process, for people who read the row
	Lease       time.Duration
}

// Begun is Begin's answer. Exactly one of these holds:
//   - Token > 0: claimed;
//   - Row.State is Completed;
//   - Held > 0: another attempt's lease runs;
//   - none of these: the row is Started with a lease that is over, and is of
//     another fingerprint. Its outcome is in doubt and must be settled first.
type Begun struct {
	Row     Row           // as it is now, the new claim included
	Token   int64         // fencing token of the claim; 0 when not claimed
	Recover bool          // claimed, and an earlier attempt's outcome is unknown
	Held    time.Duration // how long the other attempt's lease still runs
}

// Row is one key's record.
type Row struct {
	Key         string
	Tenant      string
	RunID       string
	ActionID    string
	Tool        string
	Target      string
	Fingerprint plan.Digest
	State       State
	Attempt     int
	Token       int64
	LeaseOwner  string
	LeaseUntil  time.Time     // zero when no lease is given: Completed, Released or parked
	Receipt     *plan.Receipt // set when Completed
	Reason      string        // of the last Release or Park
	CreatedAt   time.Time
	UpdatedAt   time.Time
}
