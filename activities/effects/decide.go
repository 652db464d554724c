package effects

import (
	"time"

	"github.com/holdpoint/holdpoint/activities/faults"
)

// Decide is Begin's rule, the same in every ledger: what a claim gets, given
// the row of its key as it is (nil when there is none) and the ledger's time.
// When the answer's Token is set, the ledger stores the answer's Row in the
// same transaction in which it read the old one.
func Decide(c Claim, row *Row, now time.Time) Begun {
	switch {
	case row == nil:
		return c.claimed(Row{CreatedAt: now}, now, false)
	case row.State == Released:
		return c.claimed(*row, now, false)
	case row.State == Completed:
		return Begun{Row: *row}
	case row.LeaseUntil.After(now):
		return Begun{Row: *row, Held: row.LeaseUntil.Sub(now)}
	case row.Fingerprint != c.Fingerprint:
		return Begun{Row: *row}
	default:
		return c.claimed(*row, now, true)
	}
}

// claimed is the row in the hands of c: all of it is c's, but for the count of
// tokens, the date of its first claim and the reason why the last one ended.
func (c Claim) claimed(before Row, now time.Time, unsettled bool) Begun {
	token := before.Token + 1
	return Begun{
		Token:   token,
		Recover: unsettled,
		Row: Row{
			Key:         c.Key,
			Tenant:      c.Tenant,
			RunID:       c.RunID,
			ActionID:    c.ActionID,
			Tool:        c.Tool,
			Target:      c.Target,
			Fingerprint: c.Fingerprint,
			State:       Started,
			Attempt:     c.Attempt,
			Token:       token,
			LeaseOwner:  c.Owner,
			LeaseUntil:  now.Add(c.Lease.Truncate(clockResolution)),
			Reason:      before.Reason,
			CreatedAt:   before.CreatedAt,
			UpdatedAt:   now,
		},
	}
}

// clockResolution is that of a ledger's clock, and so the shortest lease.
const clockResolution = time.Millisecond

// Validate refuses a claim that no ledger can keep. Ledgers call it first.
func (c Claim) Validate() error {
	switch {
	case c.Key == "":
		return badClaim("no idempotency key")
	case c.Fingerprint.IsZero():
		return badClaim("no payload fingerprint")
	case c.Lease < clockResolution:
		return badClaim("a lease of " + c.Lease.String())
	default:
		return nil
	}
}

func badClaim(what string) error {
	return &faults.Fault{Class: faults.Permanent, Code: "bad_claim", Reason: "the effect ledger was asked for " + what}
}
