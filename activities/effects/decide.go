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
		return c.claimed(Row{CreatedAt: now, SentAt: now}, now)
	case row.State == Released:
		fresh := *row
		fresh.SentAt = now
		return c.claimed(fresh, now)
	case row.State == Completed:
		return Begun{Row: *row}
	case row.LeaseUntil.After(now):
		return Begun{Row: *row, Held: row.LeaseUntil.Sub(now)}
	case row.Fingerprint != c.Fingerprint:
		return Begun{Row: *row}
	}
	// Unsettled: an earlier call may have had its effect, or may yet have it.
	again := now.Sub(row.SentAt) < c.Resend
	if !again && row.QuietUntil.After(now) {
		return Begun{Row: *row, Held: row.QuietUntil.Sub(now)}
	}
	begun := c.claimed(*row, now)
	begun.Recover, begun.Resend = true, again
	return begun
}

// DecideSettlement is Settle's rule, the same in every ledger: what becomes of
// the row. When the answer has Changed, the ledger stores its Row in the same
// transaction in which it read the old one.
func DecideSettlement(s Settlement, row *Row, now time.Time) Settled {
	switch {
	case row == nil:
		return Settled{}
	case !row.InDoubt(now) || row.Token != s.Token:
		return Settled{Row: *row}
	case row.QuietUntil.After(now) && s.Receipt == nil:
		// That the effect is there can be seen at once; that it will not come,
		// only when nothing is under way.
		return Settled{Row: *row, Quiet: row.QuietUntil.Sub(now)}
	}
	settled := *row
	settled.State, settled.Receipt = Released, s.Receipt
	if s.Receipt != nil {
		settled.State = Completed
	}
	settled.LeaseUntil, settled.QuietUntil = time.Time{}, time.Time{}
	settled.Reason, settled.UpdatedAt = s.Reason, now
	return Settled{Row: settled, Changed: true}
}

// claimed is the row in the hands of c: all of it is c's, but for the count of
// tokens, the date of its first claim and the reason why the last one ended.
func (c Claim) claimed(before Row, now time.Time) Begun {
	token := before.Token + 1
	return Begun{
		Token: token,
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
			SentAt:      before.SentAt,
			QuietUntil:  now.Add(c.Quiet.Truncate(clockResolution)),
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
	case c.Quiet < 0 || c.Resend < 0:
		return badClaim("a negative period")
	default:
		return nil
	}
}

func badClaim(what string) error {
	return &faults.Fault{Class: faults.Permanent, Code: "bad_claim", Reason: "the effect ledger was asked for " + what}
}
