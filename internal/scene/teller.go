package scene

import (
	"context"
	"encoding/json"
	"time"

	"go.temporal.io/sdk/activity"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// teller is one worker's tool that writes to the bank.
type teller struct {
	bank   *Bank
	policy string // the version of that worker's policy
}

// Spec implements tools.Tool.
func (teller) Spec() tools.Spec {
	schema := json.RawMessage(`{"type":"object"}`)
	return tools.Spec{
		Name: ToolName, Version: "1", Class: plan.Keyed, Risk: plan.HighRisk, Schema: schema, SchemaDigest: plan.Sum(schema),
		CallTimeout: 10 * time.Second, KeyWindow: 24 * time.Hour, MaxAttempts: 50,
		Retry: faults.Retry{Base: 50 * time.Millisecond, Max: 200 * time.Millisecond},
	}
}

// Prepare implements tools.Tool. The account's state is what the action is
// planned for.
func (t teller) Prepare(_ context.Context, p tools.Proposal) (tools.Prepared, error) {
	var payment Payment
	if err := json.Unmarshal(p.Parameters, &payment); err != nil {
		return tools.Prepared{}, &faults.Fault{Class: faults.Permanent, Code: "bad_payment", Reason: "the payment cannot be read"}
	}
	canonical, err := plan.Canonicalize(p.Parameters)
	if err != nil {
		return tools.Prepared{}, &faults.Fault{Class: faults.Permanent, Code: "bad_payment", Reason: err.Error()}
	}
	t.bank.mu.Lock()
	defer t.bank.mu.Unlock()
	return tools.Prepared{
		Target: bankName + "/" + payment.Account, Parameters: canonical,
		Precondition: t.bank.state(payment.Account), Preview: "pay into " + payment.Account,
	}, nil
}

// Apply implements tools.Tool.
func (t teller) Apply(ctx context.Context, c tools.Call) (plan.Receipt, error) {
	by := Effect{Policy: t.policy, Behind: time.Since(activity.GetInfo(ctx).StartedTime)}
	if err := t.bank.enter(ctx); err != nil {
		return plan.Receipt{}, err
	}
	by.At = time.Now()
	// It may have waited at the counter.
	if err := c.Allowed(ctx); err != nil {
		return plan.Receipt{}, err
	}
	return t.bank.pay(c, by)
}

// Count implements tools.Tool.
func (t teller) Count(_ context.Context, c tools.Call) (int, error) {
	n := 0
	for _, e := range t.bank.Effects() {
		if e.Key == c.Action.IdempotencyKey {
			n++
		}
	}
	return n, nil
}
