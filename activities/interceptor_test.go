package activities_test

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/testsuite"
	sdkworker "go.temporal.io/sdk/worker"
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
