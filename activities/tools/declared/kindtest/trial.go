package kindtest

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/activities/tools/watched"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

const (
	// lease is short, because the killed cases wait for its end, and long
	// enough for a busy machine to renew it.
	lease = 2 * time.Second
	// renew is also how late a call may begin after its claim with its whole
	// time before it.
	renew = 500 * time.Millisecond
	// mostAttempts bounds a trial, as the tool's retry limits do in a run.
	mostAttempts = 30
	// shortestPause is between two attempts that no side asked to wait for.
	shortestPause = 20 * time.Millisecond
	// patience bounds the wait for an effect to be seen.
	patience = 20 * time.Second
)

// trial is one action of one key on its way to the target.
type trial struct {
	t        testing.TB
	s        Subject
	key      string
	tool     *watched.Tool
	protocol effects.Protocol
	number   int // of the last attempt
}

// newTrial has a ledger of its own.
func newTrial(tb testing.TB, s Subject) *trial {
	tb.Helper()
	s.check(tb)
	id := make([]byte, 20) // as an idempotency key: 40 hex digits
	rand.Read(id)
	r := &trial{t: tb, s: s, key: hex.EncodeToString(id), tool: &watched.Tool{Tool: s.Tool}}
	r.freshLedger()
	return r
}

// freshLedger is what a worker has whose ledger was lost.
func (r *trial) freshLedger() {
	r.t.Helper()
	r.protocol = effects.Protocol{Ledger: newLedger(r.t), Owner: "kindtest", Lease: lease, Renew: renew}
}

// attempt is one attempt, as an activity makes it.
func (r *trial) attempt(payload int) (effects.Outcome, error) {
	return r.run(r.protocol, payload)
}

func (r *trial) run(p effects.Protocol, payload int) (effects.Outcome, error) {
	r.number++
	call := tools.Call{
		RunID: "acme/kindtest", PlanHash: plan.Sum([]byte("kindtest")), Approver: "mei.chen@example.com",
		Action: r.s.Action(r.key, payload),
	}
	return p.Run(r.t.Context(), r.tool.AsTool(), call, r.number, "acme")
}

// killedAt is an attempt whose process ends at a point: its claim stays in the
// ledger as it is, and its lease runs out.
func (r *trial) killedAt(point effects.Point) {
	r.t.Helper()
	p, reached := r.protocol, false
	p.Reached = func(at effects.Point) {
		if at == point {
			reached = true
			runtime.Goexit()
		}
	}
	var err error
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, err = r.run(p, 1)
	}()
	<-ended
	require.True(r.t, reached, "the attempt ended before %s: %v", point, err)
}

// retried makes attempts as the Temporal server would, until one is the last.
func (r *trial) retried(payload int) (effects.Outcome, error) {
	r.t.Helper()
	for range mostAttempts {
		out, err := r.attempt(payload)
		if err == nil || faults.Final(err) {
			return out, err
		}
		r.t.Logf("attempt %d: %v", r.number, err)
		r.pause(max(faults.Name(err).RetryAfter, shortestPause))
	}
	require.Fail(r.t, "the action did not end", "after %d attempts", r.number)
	return effects.Outcome{}, nil
}

func (r *trial) pause(d time.Duration) {
	select {
	case <-time.After(d):
	case <-r.t.Context().Done():
		require.NoError(r.t, context.Cause(r.t.Context()))
	}
}

// requireEffects wants exactly so many effects at the target, now and after
// the time that a late one may take.
func (r *trial) requireEffects(want int) {
	r.t.Helper()
	r.waitForEffects(want)
	r.pause(r.s.settleTime())
	require.Equal(r.t, want, r.s.Effects(r.t, r.key), "effects at the target")
}

func (r *trial) waitForEffects(want int) {
	r.t.Helper()
	for end := time.Now().Add(patience); r.s.Effects(r.t, r.key) < want; r.pause(shortestPause) {
		require.True(r.t, time.Now().Before(end), "the effect is not at the target; is Sent the last that it needs?")
	}
}

// loseNext loses the answer of the next call that makes its effect.
func (r *trial) loseNext() {
	var lost atomic.Bool
	r.tool.Answer = func(receipt plan.Receipt) (plan.Receipt, error) {
		if lost.Swap(true) {
			return receipt, nil
		}
		return plan.Receipt{}, &faults.Fault{Class: faults.Unknown, Code: "answer_lost", Reason: "the test lost the answer"}
	}
}

// requireSettled wants the action to end after an attempt of unknown outcome:
// with one effect and its receipt, or with a question to a person and nothing
// sent.
func (r *trial) requireSettled(present bool) {
	r.t.Helper()
	before := r.tool.Calls()
	out, err := r.retried(1)
	if !r.s.settles(present) {
		require.Error(r.t, err, "nobody can know whether the effect is there")
		require.Equal(r.t, faults.CodeOutcomeUnknown, faults.Name(err).Code)
		require.Equal(r.t, faults.Unknown, faults.ClassOf(err))
		require.Equal(r.t, before, r.tool.Calls(), "calls after the outcome was unknown")
		r.requireEffects(count(present))
		return
	}
	require.NoError(r.t, err)
	r.requireReceipt(out.Receipt)
	if r.s.finds() {
		require.Equal(r.t, before+count(!present), r.tool.Calls(), "calls after the look at the target")
	}
	r.requireEffects(1)
}

func count(present bool) int {
	if present {
		return 1
	}
	return 0
}

// requireReceipt wants a complete receipt of this action, and of the effect
// that the first call made.
func (r *trial) requireReceipt(got plan.Receipt) {
	r.t.Helper()
	action := r.s.Action(r.key, 1)
	require.Equal(r.t, r.key, got.IdempotencyKey)
	require.Equal(r.t, action.Tool, got.Tool)
	require.Equal(r.t, action.Target, got.Target)
	require.NotEmpty(r.t, got.Ref)
	require.False(r.t, got.At.IsZero())
	if first := r.tool.FirstRef(); first != "" {
		require.Equal(r.t, first, got.Ref, "the receipt is of the first call's effect")
	}
}
