package effects

import (
	"cmp"
	"time"

	"github.com/holdpoint/holdpoint/activities/faults"
)

// Decide is Begin's rule, the same in every ledger: what a claim gets, given
// the row of its key as it is (nil when there is none) and the ledger's time.
// When the answer's Token is set, the ledger stores the answer's Row in the
// same transaction in which it read the old one.
func Decide(c Claim, row *Row, now time.Time) Begun {
	if row == nil {
		return c.first(now)
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
	redeclared := row.redeclaredBy(c)
	again := now.Sub(row.SentAt) < c.Resend && !redeclared
	if !again && row.QuietUntil.After(now) {
		return Begun{Row: *row, Held: row.QuietUntil.Sub(now)}
	}
	begun := c.claimed(*row, now)
	begun.Recover, begun.Resend = true, again
	begun.Redeclared, begun.Row.Declaration = redeclared, cmp.Or(row.Declaration, c.Declaration)
	return begun
}

// redeclaredBy reports whether c's declaration of the tool is another one than
// that under which the row's calls were made. A row from before the ledger kept
// declarations has none, and not every plan has one: those are compared with
// nothing.
func (r Row) redeclaredBy(c Claim) bool {
	return !r.Declaration.IsZero() && !c.Declaration.IsZero() && r.Declaration != c.Declaration
}

// first is what a claim gets whose key has no row. When a call may have been
// made before, the row was lost with whatever it said: then the claim is one
// that recovers, and its call is no more recent than the first one may be.
func (c Claim) first(now time.Time) Begun {
	begun := c.claimed(Row{CreatedAt: now, SentAt: now.Add(-wholeSteps(c.Earlier))}, now)
	if c.Earlier > 0 {
		begun.Recover, begun.Resend = true, c.Earlier < c.Resend
		begun.Lost = !begun.Resend
	}
	return begun
}

// DecideSettlement is Settle's rule, the same in every ledger: what becomes of
// the row. When the answer has Changed, the ledger stores its Row in the same
// transaction in which it read the old one.
//
//	row                             nothing said  it happened  it did not happen
//	------------------------------  ------------  -----------  ------------------------
//	none, or RELEASED               as it was     COMPLETED    as it was
//	STARTED, its lease runs         as it was     as it was    as it was
//	STARTED, another claim          as it was     as it was    as it was
//	STARTED, this claim             as it was     COMPLETED    RELEASED, when no call
//	                                                           can be under way any more
//	COMPLETED                       as it was     as it was    as it was
func DecideSettlement(s Settlement, row *Row, now time.Time) Settled {
	if row == nil {
		return s.unknown(Row{Key: s.Key, CreatedAt: now, SentAt: now}, now, Settled{})
	}
	now = row.notBefore(now)
	switch {
	case row.State == Released:
		return s.unknown(*row, now, Settled{Row: *row})
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

// unknown is what a word makes of a key of which the ledger knows no effect:
// one that happened is recorded all the same, so that nothing sends it again.
func (s Settlement) unknown(before Row, now time.Time, unchanged Settled) Settled {
	if s.Receipt == nil || s.Effect.Fingerprint.IsZero() {
		return unchanged
	}
	return Settled{Changed: true, Row: Row{
		Key:         s.Key,
		Tenant:      s.Effect.Tenant,
		RunID:       s.Effect.RunID,
		ActionID:    s.Effect.ActionID,
		Tool:        s.Effect.Tool,
		Target:      s.Effect.Target,
		Fingerprint: s.Effect.Fingerprint,
		State:       Completed,
		Attempt:     before.Attempt,
		Token:       max(before.Token, s.Token, 1),
		LeaseOwner:  before.LeaseOwner,
		SentAt:      before.SentAt,
		Receipt:     s.Receipt,
		Reason:      s.Reason,
		CreatedAt:   before.CreatedAt,
		UpdatedAt:   now,
	}}
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
			Declaration: c.Declaration,
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

// wholeSteps rounds up to what a ledger's clock can tell.
func wholeSteps(d time.Duration) time.Duration {
	return (d + clockResolution - 1).Truncate(clockResolution)
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
	case c.Quiet < 0 || c.Resend < 0 || c.Earlier < 0:
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
