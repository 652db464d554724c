package scene

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// ToolName is the name of the tool that writes to the bank, and bankName that
// of its target.
const (
	ToolName = "pay"
	bankName = "bank"
)

// Bank is the target of a stage: accounts into which money is paid. It knows
// idempotency keys, and it counts. Each account has a state, which an action is
// planned for; when somebody else changes it, the action has drifted.
type Bank struct {
	mu       sync.Mutex
	effects  []Effect
	byKey    map[string]plan.Receipt
	bodies   map[string]string // by key
	states   map[string]int    // of accounts
	requests int
	refusals int           // how many further calls are answered with "come again"
	losses   int           // how many further answers are lost after the effect
	takes    time.Duration // for each call
	closed   chan struct{} // calls wait until it is closed; nil: the counter is open
	waiting  int           // calls that wait at the counter
}

// Effect is money that was paid, as the bank saw it.
type Effect struct {
	At time.Time // when the call's turn came, before anything was asked or done
	// Behind is by how much at most the attempt's clock was behind: it counts from
	// when the server handed the attempt out, and begins to count when the worker
	// gets it, which is before it comes to the bank.
	Behind   time.Duration
	Key      string
	RunID    string
	PlanHash plan.Digest
	ActionID string
	Account  string
	Amount   int
	// Policy is the version of the policy of the worker that made the call.
	Policy string
}

// Payment is the parameters of an action.
type Payment struct {
	Account string `json:"account"`
	Amount  int    `json:"amount"`
}

func newBank() *Bank {
	return &Bank{byKey: map[string]plan.Receipt{}, bodies: map[string]string{}, states: map[string]int{}}
}

// Changes lets somebody else change an account: what was planned for it before
// has drifted.
func (b *Bank) Changes(account string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.states[account]++
}

// Refuses lets the bank turn the next n calls away, to come again; they have
// no effect.
func (b *Bank) Refuses(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refusals = n
}

// LosesAnswers lets the next n payments be made, and their answers be lost.
func (b *Bank) LosesAnswers(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.losses = n
}

// Takes lets each call take some time before its turn comes.
func (b *Bank) Takes(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.takes = d
}

// Closes lets every call wait at the counter until the returned function opens
// it again, which may be called more than once.
func (b *Bank) Closes() (open func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	closed := make(chan struct{})
	b.closed = closed
	var once sync.Once
	return func() {
		once.Do(func() {
			b.mu.Lock()
			b.closed = nil
			b.mu.Unlock()
			close(closed)
		})
	}
}

// Waiting is how many calls wait at the counter for their turn.
func (b *Bank) Waiting() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.waiting
}

// Requests is how many calls came to the bank, whatever became of them.
func (b *Bank) Requests() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.requests
}

// Effects are all payments so far, in their order.
func (b *Bank) Effects() []Effect {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.effects)
}

// EffectsOf are the payments of one run.
func (b *Bank) EffectsOf(runID string) []Effect {
	return slices.DeleteFunc(b.Effects(), func(e Effect) bool { return e.RunID != runID })
}

// Has reports whether a payment was made under a key.
func (b *Bank) Has(key string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	_, ok := b.byKey[key]
	return ok
}

// enter waits until the counter is open and the call's turn has come.
func (b *Bank) enter(ctx context.Context) error {
	b.mu.Lock()
	b.requests++
	closed, turn := b.closed, time.After(b.takes)
	b.mu.Unlock()
	b.wait(1)
	defer b.wait(-1)
	for closed != nil || turn != nil {
		select {
		case <-closed:
			closed = nil
		case <-turn:
			turn = nil
		case <-ctx.Done():
			return &faults.Fault{Class: faults.Transient, Code: "left", Reason: "the turn had not come; nothing was paid", Cause: ctx.Err()}
		}
	}
	return nil
}

func (b *Bank) wait(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting += n
}

// pay makes the payment of a call, or answers a known key as the first time. by
// says when its turn came, and whose call it is.
func (b *Bank) pay(c tools.Call, by Effect) (plan.Receipt, error) {
	var p Payment
	if err := json.Unmarshal(c.Action.Parameters, &p); err != nil {
		return plan.Receipt{}, &faults.Fault{Class: faults.Permanent, Code: "bad_payment", Reason: "the payment cannot be read"}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	key, body := c.Action.IdempotencyKey, string(c.Action.Parameters)
	first, known := b.byKey[key]
	switch {
	case b.refusals > 0:
		b.refusals--
		return plan.Receipt{}, &faults.Fault{Class: faults.Transient, Code: "busy", Reason: "the bank says to come again"}
	case known && b.bodies[key] != body:
		return plan.Receipt{}, &faults.Fault{Class: faults.Permanent, Code: "key_reused", Reason: "the bank knows the key with another payment"}
	case known:
		return first, nil
	case b.state(p.Account) != c.Action.Precondition:
		return plan.Receipt{}, &faults.Fault{
			Class: faults.Permanent, Code: "account_changed", Reason: "account " + p.Account + " was changed by somebody else", Cause: tools.ErrDrift,
		}
	}
	receipt := plan.Receipt{
		IdempotencyKey: key, Tool: ToolName, Target: c.Action.Target, Ref: fmt.Sprintf("payment-%d", len(b.effects)+1), At: by.At.UTC().Truncate(time.Second),
	}
	b.byKey[key], b.bodies[key] = receipt, body
	by.Key, by.RunID, by.PlanHash, by.ActionID, by.Account, by.Amount = key, c.RunID, c.PlanHash, c.Action.ID, p.Account, p.Amount
	b.effects = append(b.effects, by)
	if b.losses > 0 {
		b.losses--
		return plan.Receipt{}, &faults.Fault{Class: faults.Unknown, Code: "no_answer", Reason: "the bank's answer did not come"}
	}
	return receipt, nil
}

// state is an account's, as preconditions name it. The caller holds the lock.
func (b *Bank) state(account string) string { return fmt.Sprintf("state %d", b.states[account]) }
