// Package tools defines what a tool is: something that can write to one kind
// of external system, and that declares how a second write of the same effect
// is kept from happening. The implementations live below this package, one
// folder a kind.
package tools

import (
	"context"
	"encoding/json"
	"math"
	"time"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// Tool writes to one kind of external system. Implementations are safe for
// concurrent use. Every error they return is a *faults.Fault.
type Tool interface {
	// Spec describes the tool. It never changes while the worker runs.
	Spec() Spec

	// Prepare validates a proposal when the plan is made, and reads from the
	// target what an approver must see. It writes nothing.
	Prepare(ctx context.Context, p Proposal) (Prepared, error)

	// Apply makes the effect. It returns ErrDrift when the target is no longer
	// in the state that the plan was made for, and then has written nothing.
	// It begins no write that Call.Allowed refuses, and sends none a second
	// time by itself.
	//
	// Of a Transactional or Conditional tool, and of a Keyed one within its
	// KeyWindow, Apply after an earlier Apply of the same key makes no second
	// effect and returns the receipt of the first.
	//
	// The class of its error says what is known of this very call: Permanent,
	// Transient and Throttled that it surely had no effect, InProgress and
	// Unknown that it may have had one. An error that wraps ErrAbsent or
	// ErrDrift says more: no effect of this key is there, of an earlier call
	// neither, and none can come any more.
	Apply(ctx context.Context, c Call) (plan.Receipt, error)

	// Count says how often the effect of c is present at its target, as counted
	// there; -1 when the target cannot tell.
	Count(ctx context.Context, c Call) (int, error)
}

// Finder is a tool whose target can be asked for the effect of an earlier
// call. A tool of class Lookup is one; a Keyed one that is one too can go on
// after its KeyWindow.
type Finder interface {
	Tool

	// Find asks the target for the effect of c's key. It writes nothing. The
	// caller has waited until no earlier call can be under way any more.
	Find(ctx context.Context, c Call) (Finding, error)
}

// Finding is a target's answer about one effect.
type Finding struct {
	Presence Presence
	Receipt  plan.Receipt // of the effect, when Found
	Detail   string       // what the target said, in one line for people
}

// Presence is what is known of an effect at its target. The zero Presence
// proves nothing.
type Presence int

// The presences.
const (
	// NotProven: the target does not show the effect, and cannot rule it out.
	NotProven Presence = iota
	// Found: the effect is there.
	Found
	// Absent: the target is the authority, and has no such effect.
	Absent
)

// Spec is what a tool declares about itself. Nothing in it comes from a model.
type Spec struct {
	Name         string
	Version      string // another version voids the plans that were made with this one
	Class        plan.DeliveryClass
	Risk         plan.Risk
	Schema       json.RawMessage // JSON Schema of the parameters
	SchemaDigest plan.Digest     // of Schema's canonical form
	// Digest is of everything else that says what is sent, where to, and how a
	// lost answer is recovered: of a declaration, and not of its limits. Another
	// digest voids the plans that were made with this one, as another Version
	// does. A tool written in Go changes its Version, or sets Digest when what it
	// does depends on a configuration; it is zero when the tool has none.
	Digest plan.Digest
	// Replaces says that an effect with other parameters under the same target
	// and item takes the place of the earlier one, as a page does. The plan then
	// gives it the next semantic version, and says what it replaces. Of any other
	// tool, such as one that sends letters, it would be a second effect, and is
	// refused when the plan is made.
	Replaces bool

	// CallTimeout bounds one call: the context that Apply and Find get ends by
	// then. 0 stands for 30 seconds.
	CallTimeout time.Duration
	// Settle is how long after the end of a call its effect may still appear
	// at the target. Nothing is concluded from its absence before.
	Settle time.Duration
	// KeyWindow, of a Keyed tool, is how long the target surely remembers a key
	// from its first arrival on.
	KeyWindow time.Duration

	MaxAttempts int          // of one action
	Retry       faults.Retry // between them

	Concurrency int     // calls of one worker at a time, and of one run; 0: no limit of its own
	Rate        float64 // calls a second that one worker begins; 0: no limit
}

// Resend is how long after the first call of a key the same call may be made
// again, whatever became of the first: the target deduplicates.
func (s Spec) Resend() time.Duration {
	switch s.Class {
	case plan.Transactional, plan.Conditional:
		return Always
	case plan.Keyed:
		// The call itself takes time to arrive.
		return max(s.KeyWindow-s.CallTimeout, 0)
	default:
		return 0
	}
}

// Always is a period that does not end.
const Always = time.Duration(math.MaxInt64)

// Proposal is an action as a planner proposes it.
type Proposal struct {
	Tool       string
	Parameters json.RawMessage
	// AllowedTarget is the target that the task allows this tool, as the task
	// names it ("kb" or "kb/sub"); a proposal that leaves it is refused.
	AllowedTarget string
	// AllowedTargets are all that the task allows this tool. A planner gives
	// them instead of AllowedTarget when it leaves the choice to a tool whose
	// parameters say where they lead.
	AllowedTargets []string
}

// Allowed are the targets of which the proposal must not leave every one.
func (p Proposal) Allowed() []string {
	if p.AllowedTarget != "" {
		return []string{p.AllowedTarget}
	}
	return p.AllowedTargets
}

// Prepared is what Prepare found out about a proposal.
type Prepared struct {
	Target       string
	Item         string
	Parameters   json.RawMessage // as they will be sent; canonical JSON
	Precondition string
	Preview      string
}

// Call is one approved action on its way to the target.
type Call struct {
	RunID    string
	PlanHash plan.Digest
	Approver string // who approved, for the target's own records
	Action   plan.Action
	// InDoubt says that an earlier call of this key may have had its effect: a
	// target that is not as the plan expects may be so because of us.
	InDoubt bool
	// FirstSent is, for Find, when the first call began that may have had the
	// effect, by the ledger's clock. It is zero when that is not known.
	FirstSent time.Time
	// MayBegin is asked by [Call.Allowed]. Nil is for callers whose approval
	// cannot end.
	MayBegin func(context.Context) error `json:"-"`
}

// Allowed reports whether a write may still begin now: while an attempt waits,
// its approval can expire, and another attempt can take the action over. Its
// error is a fault and the reason why not. The effect protocol asks before
// Apply; a tool that waits, tries again or writes more than once asks right
// before each further write, and passes the error on: as it is when nothing
// was written, and else as the cause of an Unknown fault, since the refusal
// itself may be a Permanent one, and says nothing about the writes before it.
func (c Call) Allowed(ctx context.Context) error {
	if c.MayBegin == nil {
		return nil
	}
	return c.MayBegin(ctx)
}
