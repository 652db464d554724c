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
// for all its users, and no row's time runs back. Their errors are faults,
// except ErrNotHeld and those of the caller's context: of class Transient when
// nothing was changed, and Unknown when the change may have been made. A claim
// ends with Complete, Release or Park, and is not held any more after that.
type Ledger interface {
	// Identity names the data that the ledger holds: an id made by chance when
	// it was first made, which moves with its rows.
	Identity(ctx context.Context) (string, error)

	// Begin claims key for one attempt. At most one live claim exists.
	//  - no row, or a released one: the row becomes Started with a new token;
	//  - Completed: the row is returned, and nothing is claimed;
	//  - Started, lease running: the row is returned, and nothing is claimed;
	//  - Started, lease over, and an earlier call may still be under way that
	//    must not be repeated before it has ended: the row is returned, and
	//    nothing is claimed;
	//  - Started, otherwise: the row is claimed anew with a higher token, and
	//    Begun.Recover is set: an earlier attempt may have had its effect. When
	//    that one was made under another declaration of the tool, Begun.Redeclared
	//    is set too, and the row keeps the declaration until it is settled.
	// A row of another fingerprint is handed out only when it is Released. A
	// claim for another ledger changes nothing, see [CheckIdentity]. [Decide] is
	// the rest of this rule in code.
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
	// Started, and the next Begin recovers without waiting for the lease to run
	// out. ended says that no call of this claim or one before it is under way
	// any more. ErrNotHeld when the token is no longer the row's.
	Park(ctx context.Context, key string, token int64, reason string, ended bool) error

	// Settle lets a person's word settle an outcome that nobody knows: a row
	// that is Started, with s's token and a lease that is over. What did not
	// happen is settled only when no call can be under way any more; what did,
	// also when the ledger knows of no effect. It returns the row as it is then;
	// the zero Row when there is none. Token 0 is no claim's, and so only looks.
	// [DecideSettlement] is this rule in code.
	Settle(ctx context.Context, s Settlement) (Settled, error)

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
	Ledger      string // the identity of the ledger that it is for; "" is any
	Key         string
	Fingerprint plan.Digest
	// Declaration is the digest of what the tool is declared to be
	// (plan.Action.ToolDigest). Zero is none, and is compared with nothing.
	Declaration plan.Digest
	Tenant      string
	RunID       string
	ActionID    string
	Tool        string
	Target      string
	Attempt     int
	Owner       string // the worker process, for people who read the row
	Lease       time.Duration
	// Quiet is how long after the claim a call of it can have an effect: the
	// call's time limit, and what the target needs to show it.
	Quiet time.Duration
	// Resend is for how long after the first call of this effect the same call
	// may be made again, with an earlier one perhaps still under way. After
	// that, and always when it is 0, a claim waits for the end of the earlier
	// calls.
	Resend time.Duration
	// Earlier, when it is not 0, says that a call of this effect may have been
	// made before, at most so long ago: a key without a row is then one whose
	// row was lost.
	Earlier time.Duration
}

// Settlement is what a person found out about an outcome.
type Settlement struct {
	Ledger string // as in Claim
	Key    string
	Token  int64 // of the claim in doubt; a word about another one changes nothing
	// Receipt says that the effect is there; nil, that it is not and the next
	// claim may send it.
	Receipt *plan.Receipt
	Reason  string // who says so, and why
	// Effect is recorded with the receipt where the ledger knows of no effect.
	// Without a fingerprint nothing is.
	Effect Effect
}

// Effect says whose effect a key is.
type Effect struct {
	Fingerprint plan.Digest
	Tenant      string
	RunID       string
	ActionID    string
	Tool        string
	Target      string
}

// Settled is Settle's answer.
type Settled struct {
	Row     Row
	Changed bool
	Held    time.Duration // nothing changed, because an attempt is at work, and its lease runs for so long
	Quiet   time.Duration // nothing changed, because a call may still be under way for so long
}

// Begun is Begin's answer. Exactly one of these holds:
//   - Token > 0: claimed;
//   - Row.State is Completed;
//   - Held > 0: another attempt's lease runs, or its call may be under way;
//   - none of these: the row is Started with a lease that is over, and is of
//     another fingerprint. Its outcome is in doubt and must be settled first.
type Begun struct {
	Row     Row           // as it is now, the new claim included
	Token   int64         // fencing token of the claim; 0 when not claimed
	Recover bool          // claimed, and an earlier attempt's outcome is unknown
	Resend  bool          // with Recover: the same call may be made again, within Claim.Resend
	Lost    bool          // with Recover: there was no row, and by Claim.Earlier there should have been one
	Held    time.Duration // how long until the key can be claimed
	// Redeclared, with Recover, says that the earlier attempt was made under
	// another declaration of the tool: nothing that the claim's own declaration
	// promises, of a call made again or of a look at the target, holds for it.
	Redeclared bool
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
	// Declaration is that of the claims whose calls may have had the effect;
	// zero when they said none.
	Declaration plan.Digest
	State       State
	Attempt     int
	Token       int64
	LeaseOwner  string
	LeaseUntil  time.Time     // zero when no lease is given: Completed, Released or parked
	SentAt      time.Time     // when the first claim began whose call may have had the effect
	QuietUntil  time.Time     // until when a call may be under way; zero when surely none is
	Receipt     *plan.Receipt // set when Completed
	Reason      string        // of the last Release, Park or Settle
	CreatedAt   time.Time
	UpdatedAt   time.Time
}
