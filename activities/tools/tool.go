// Package tools defines what a tool is: something that can write to one kind
// of external system, and that declares how a second write of the same effect
// is kept from happening. The implementations live below this package, one
// folder a kind.
package tools

import (
	"context"
	"encoding/json"
	"time"

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
	// It begins no write that Call.Allowed refuses.
	// For a Conditional tool, Apply after an earlier Apply of the same key
	// returns the earlier effect's receipt and writes nothing.
	Apply(ctx context.Context, c Call) (plan.Receipt, error)

	// Count says how often the effect of key is present at target, as counted
	// there; -1 when the target cannot tell.
	Count(ctx context.Context, target, key string) (int, error)
}

// Spec is what a tool declares about itself. Nothing in it comes from a model.
type Spec struct {
	Name         string
	Version      string
	Class        plan.DeliveryClass
	Risk         plan.Risk
	Schema       json.RawMessage // JSON Schema of the parameters
	SchemaDigest plan.Digest     // of Schema's canonical form
	CallTimeout  time.Duration   // of one attempt
	MaxAttempts  int             // of one action
}

// Proposal is an action as a planner proposes it.
type Proposal struct {
	Tool       string
	Parameters json.RawMessage
	// AllowedTarget is the target that the task allows this tool, as the task
	// names it ("kb" or "kb/sub"); a proposal that leaves it is refused.
	AllowedTarget string
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
	// MayBegin is asked by [Call.Allowed]. Nil is for callers whose approval
	// cannot end.
	MayBegin func() error `json:"-"`
}

// Allowed reports whether a write may still begin now: an approval can expire
// while an attempt waits. Its error is a Permanent fault and the reason why
// not. The effect protocol asks before Apply; a tool that waits or tries again
// asks right before each write, and passes the error on as it is.
func (c Call) Allowed() error {
	if c.MayBegin == nil {
		return nil
	}
	return c.MayBegin()
}
