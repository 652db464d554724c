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
	if row == nil {
		return c.claimed(Row{CreatedAt: now, SentAt: now}, now)
	}
	now = row.notBefore(now)
	switch {
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
	if row == nil {
		return Settled{}
	}
	now = row.notBefore(now)
	switch {
	case row.LeaseUntil.After(now):
		return Settled{Row: *row, Held: row.LeaseUntil.Sub(now)}
	case row.State != Started || row.Token != s.Token:
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

// notBefore is the row's own time, which never runs back: a clock that was set
// back must not open a window again, or make a call look younger than it is.
// Until that clock has caught up, leases last longer; nothing is handed out
// too early.
func (r Row) notBefore(now time.Time) time.Time { return later(now, r.UpdatedAt) }

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// claimed is the row in the hands of c: all of it is c's, but for the count of
// tokens, the dates of the first claim and the first call, the reason why the
// last claim ended, and what may still be under way of it.
func (c Claim) claimed(before Row, now time.Time) Begun {
	token := before.Token + 1
	quiet := now.Add(c.Quiet.Truncate(clockResolution))
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
			QuietUntil:  later(quiet, before.QuietUntil),
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

// Validate refuses a receipt that proves nothing about the key. Ledgers call
// it first.
func (s Settlement) Validate() error {
	if s.Receipt == nil || s.Receipt.IdempotencyKey == s.Key && !s.Receipt.At.IsZero() {
		return nil
	}
	return &faults.Fault{Class: faults.Permanent, Code: "bad_settlement", Reason: "the receipt given to the effect ledger is not one of this key"}
}
