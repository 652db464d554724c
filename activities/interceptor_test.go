package activities_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	sdkworker "go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/workflows"
)

// heartbeats sees every heartbeat on its way to the server, before the SDK
// holds some of them back.
type heartbeats struct {
	interceptor.WorkerInterceptorBase
	mu   sync.Mutex
	seen [][]any
}

func (h *heartbeats) InterceptActivity(
	_ context.Context, next interceptor.ActivityInboundInterceptor,
) interceptor.ActivityInboundInterceptor {
	i := &heartbeatInbound{all: h}
	i.Next = next
	return i
}

func (h *heartbeats) all() [][]any {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([][]any(nil), h.seen...)
}

type heartbeatInbound struct {
	interceptor.ActivityInboundInterceptorBase
	all *heartbeats
}

func (i *heartbeatInbound) Init(outbound interceptor.ActivityOutboundInterceptor) error {
	o := &heartbeatOutbound{all: i.all}
	o.Next = outbound
	return i.Next.Init(o)
}

type heartbeatOutbound struct {
	interceptor.ActivityOutboundInterceptorBase
	all *heartbeats
}

func (o *heartbeatOutbound) RecordHeartbeat(ctx context.Context, details ...any) {
	o.all.mu.Lock()
	o.all.seen = append(o.all.seen, details)
	o.all.mu.Unlock()
	o.Next.RecordHeartbeat(ctx, details...)
}

// The interceptor's own heartbeats do not wipe out what a step said in its.
func TestHeartbeatsKeepWhatTheStepSaidLast(t *testing.T) {
	h := newHouse(t)
	var beats heartbeats
	attempts := h.attempts()
	attempts.Heartbeat = time.Millisecond
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(log.NewStructuredLogger(slog.New(slog.DiscardHandler)))
	env := suite.NewTestActivityEnvironment()
	env.SetWorkerOptions(sdkworker.Options{Interceptors: []interceptor.WorkerInterceptor{&beats, attempts}})
	repeated := func(n int, last ...any) func() bool {
		return func() bool {
			seen := beats.all()
			return len(seen) >= n && len(seen[len(seen)-1]) == len(last)
		}
	}
	step := func(ctx context.Context) error {
		require.Eventually(t, repeated(2), 30*time.Second, time.Millisecond)
		for _, said := range []string{"one", "two"} {
			activity.RecordHeartbeat(ctx, said)
			before := len(beats.all())
			require.Eventually(t, repeated(before+2, said), 30*time.Second, time.Millisecond)
		}
		return nil
	}
	env.RegisterActivityWithOptions(step, activity.RegisterOptions{Name: "step"})
	_, err := env.ExecuteActivity("step")
	require.NoError(t, err)

	said := ""
	counts := map[string]int{}
	for _, details := range beats.all() {
		if len(details) > 0 {
			said = details[0].(string)
		} else {
			require.Empty(t, said, "a heartbeat without what was said before")
		}
		counts[said]++
	}
	for _, said := range []string{"", "one", "two"} {
		require.GreaterOrEqual(t, counts[said], 2, "%q, and again", said)
	}
	require.Equal(t, "two", said)
}

// A step that fails before it has said anything leaves to the next attempt what
// the one before it had said, and the tally beside it, which the step never sees.
func TestWhatAStepSaidOutlivesAnAttemptThatSaysNothing(t *testing.T) {
	said := workflows.CollectProgress{Entries: 7, Done: 3}
	attempt := func(t *testing.T, before any, step func(context.Context) error) (said []any) {
		t.Helper()
		h := newHouse(t)
		var beats heartbeats
		var suite testsuite.WorkflowTestSuite
		suite.SetLogger(log.NewStructuredLogger(slog.New(slog.DiscardHandler)))
		env := suite.NewTestActivityEnvironment()
		env.SetWorkerOptions(sdkworker.Options{Interceptors: []interceptor.WorkerInterceptor{&beats, h.attempts()}})
		if before != nil {
			env.SetHeartbeatDetails(before)
		}
		env.RegisterActivityWithOptions(step, activity.RegisterOptions{Name: string(workflows.CollectContext)})
		_, err := env.ExecuteActivity(string(workflows.CollectContext))
		require.Error(t, err)
		all := beats.all()
		require.NotEmpty(t, all)
		return all[len(all)-1]
	}
	away := &faults.Fault{Class: faults.Transient, Code: "store_unavailable", Reason: "it is away", Waits: true}
	asJSON := func(t *testing.T, details []any) []string {
		t.Helper()
		var all []string
		payloads, err := converter.GetDefaultDataConverter().ToPayloads(details...)
		require.NoError(t, err)
		for _, payload := range payloads.GetPayloads() {
			all = append(all, string(payload.GetData()))
		}
		return all
	}

	t.Run("what was said before", func(t *testing.T) {
		last := attempt(t, said, func(ctx context.Context) error {
			var from workflows.CollectProgress
			require.True(t, activity.HasHeartbeatDetails(ctx))
			require.NoError(t, activity.GetHeartbeatDetails(ctx, &from))
			require.Equal(t, said, from)
			return away
		})
		raw, err := json.Marshal(said)
		require.NoError(t, err)
		require.Equal(t, []string{string(raw), `{"waited":1}`}, asJSON(t, last))
	})
	t.Run("what is said now", func(t *testing.T) {
		last := attempt(t, said, func(ctx context.Context) error {
			activity.RecordHeartbeat(ctx, "on")
			return errors.New("unnamed")
		})
		require.Equal(t, []string{`"on"`, `{"failed":1}`}, asJSON(t, last))
	})
	t.Run("nothing was ever said", func(t *testing.T) {
		last := attempt(t, nil, func(ctx context.Context) error {
			require.False(t, activity.HasHeartbeatDetails(ctx))
			return away
		})
		require.Equal(t, []string{"", `{"waited":1}`}, asJSON(t, last))
	})
}

// Two attempts, of which the first has said nothing: the second one's step hears
// of nothing, and the tally goes on.
func TestATallyIsNothingThatAStepHears(t *testing.T) {
	h := newHouse(t)
	var heard []bool
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(log.NewStructuredLogger(slog.New(slog.DiscardHandler)))
	env := suite.NewTestWorkflowEnvironment()
	env.SetWorkerOptions(sdkworker.Options{Interceptors: []interceptor.WorkerInterceptor{h.attempts()}})
	env.RegisterActivityWithOptions(func(ctx context.Context) (int, error) {
		heard = append(heard, activity.HasHeartbeatDetails(ctx))
		switch n := int(activity.GetInfo(ctx).Attempt); n {
		case 3:
			activity.RecordHeartbeat(ctx, "half")
			fallthrough
		case 1, 2:
			return 0, errors.New("unnamed")
		default:
			return n, nil
		}
	}, activity.RegisterOptions{Name: string(workflows.CollectContext)})
	env.ExecuteWorkflow(func(ctx workflow.Context) error {
		return workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
			StartToCloseTimeout: time.Hour, RetryPolicy: &temporal.RetryPolicy{MaximumAttempts: 100},
		}), string(workflows.CollectContext)).Get(ctx, nil)
	})
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, []bool{false, false, false, true}, heard)
}
