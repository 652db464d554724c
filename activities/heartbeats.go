package activities

import (
	"context"
	"sync"

	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/interceptor"
)

// lastDetails remembers what the step itself last said in a heartbeat: a
// heartbeat replaces the one before, with all that it said.
//
// Of a step whose attempts are counted, the heartbeats hold two values: what the
// step says, one value or null, and the tally. The step sees its own alone. What
// an earlier attempt said holds until the step says something else, so that an
// attempt that fails before it does loses nothing.
type lastDetails struct {
	interceptor.ActivityOutboundInterceptorBase
	mu      sync.Mutex
	details []any

	counted bool
	heard   bool // an earlier attempt's step has said something
	tally   tally
}

// takeUp begins a counted attempt with what the one before left.
func (l *lastDetails) takeUp(ctx context.Context) tally {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.counted = true
	var said any
	if !l.Next.HasHeartbeatDetails(ctx) || l.Next.GetHeartbeatDetails(ctx, &said) != nil {
		return tally{}
	}
	var asSaid converter.RawValue
	if said != nil && l.Next.GetHeartbeatDetails(ctx, &asSaid) == nil {
		l.heard, l.details = true, []any{asSaid}
	}
	var before tally
	if l.Next.GetHeartbeatDetails(ctx, &said, &before) != nil {
		before = tally{} // not of our making
	}
	l.tally = before
	return before
}

// HasHeartbeatDetails implements interceptor.ActivityOutboundInterceptor.
func (l *lastDetails) HasHeartbeatDetails(ctx context.Context) bool {
	if l.counted {
		return l.heard
	}
	return l.Next.HasHeartbeatDetails(ctx)
}

// RecordHeartbeat implements interceptor.ActivityOutboundInterceptor.
func (l *lastDetails) RecordHeartbeat(ctx context.Context, details ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.details = details
	l.send(ctx)
}

// again says the same once more. The step cannot come in between.
func (l *lastDetails) again(ctx context.Context) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.send(ctx)
}

// count leaves the tally to the next attempt, also when the step is told to end.
func (l *lastDetails) count(ctx context.Context, now tally) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tally = now
	l.send(context.WithoutCancel(ctx))
}

func (l *lastDetails) send(ctx context.Context) {
	if l.tally == (tally{}) {
		l.Next.RecordHeartbeat(ctx, l.details...)
		return
	}
	var said any
	if len(l.details) > 0 {
		said = l.details[0]
	}
	l.Next.RecordHeartbeat(ctx, said, l.tally)
}
