package activities

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"
	"go.uber.org/zap"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/workflows"
)

// Attempts is the interceptor around every attempt of every activity: it
// heartbeats, keeps a panic from the worker, logs how the attempt ended, and
// gives the error its class.
type Attempts struct {
	interceptor.WorkerInterceptorBase
	Log       *zap.Logger
	Heartbeat time.Duration // between two heartbeats
	Retry     faults.Retry

	inFlight sync.WaitGroup
}

// Settle waits until every attempt has ended, at most for limit. A worker that
// has stopped has canceled its attempts and does not wait for them: what they
// still have to say, to the ledger and to the log, would be lost.
func (a *Attempts) Settle(limit time.Duration) (settled bool) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		a.inFlight.Wait()
	}()
	select {
	case <-ended:
		return true
	case <-time.After(limit):
		return false
	}
}

// InterceptActivity implements interceptor.WorkerInterceptor.
func (a *Attempts) InterceptActivity(
	_ context.Context, next interceptor.ActivityInboundInterceptor,
) interceptor.ActivityInboundInterceptor {
	i := &attemptInterceptor{attempts: a}
	i.Next = next
	return i
}

// attemptInterceptor is made anew for each attempt.
type attemptInterceptor struct {
	interceptor.ActivityInboundInterceptorBase
	attempts *Attempts
	last     lastDetails
}

// Init implements interceptor.ActivityInboundInterceptor.
func (i *attemptInterceptor) Init(outbound interceptor.ActivityOutboundInterceptor) error {
	i.last.Next = outbound
	return i.Next.Init(&i.last)
}

// lastDetails remembers what the step itself last said in a heartbeat: a
// heartbeat replaces the one before, with all that it said.
type lastDetails struct {
	interceptor.ActivityOutboundInterceptorBase
	mu      sync.Mutex
	details []any
}

// RecordHeartbeat implements interceptor.ActivityOutboundInterceptor.
func (l *lastDetails) RecordHeartbeat(ctx context.Context, details ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.details = details
	l.Next.RecordHeartbeat(ctx, details...)
}

// again says the same once more. The step cannot come in between.
func (l *lastDetails) again(ctx context.Context) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.Next.RecordHeartbeat(ctx, l.details...)
}

func (i *attemptInterceptor) ExecuteActivity(ctx context.Context, in *interceptor.ExecuteActivityInput) (any, error) {
	i.attempts.inFlight.Add(1)
	defer i.attempts.inFlight.Done()
	info := activity.GetInfo(ctx)
	log := i.attempts.Log.With(fields(info, in.Args)...)
	if !info.IsLocalActivity {
		stop := i.heartbeats(ctx)
		defer stop()
	}
	begun := time.Now()
	var out any
	err := faults.Guard(info.ActivityType.Name, func(recovered any, stack []byte) {
		log.Error("panic", zap.Any("panic", recovered), zap.ByteString("stack", stack))
	}, func() (err error) {
		out, err = i.Next.ExecuteActivity(ctx, in)
		return err
	})
	log = log.With(zap.Duration("took", time.Since(begun)))
	if err != nil {
		logFailure(ctx, log, err)
		elapsed := info.StartedTime.Sub(info.ScheduledTime) + time.Since(begun)
		return nil, faults.Temporal(err, int(info.Attempt), elapsed, i.attempts.Retry)
	}
	log.Info("attempt ended", zap.String("outcome", "ok"))
	return out, nil
}

// heartbeats tells the server that the attempt is alive, and brings back its
// cancellation, until stop is called.
func (i *attemptInterceptor) heartbeats(ctx context.Context) (stop func()) {
	done := make(chan struct{})
	go func() {
		ticker := time.NewTicker(i.attempts.Heartbeat)
		defer ticker.Stop()
		for {
			select {
			case <-done:
				return
			case <-ctx.Done():
				return
			case <-ticker.C:
				i.last.again(ctx)
			}
		}
	}()
	return func() { close(done) }
}

// logFailure says in the worker's own log what the history must not hold: the
// whole error. A deadline is named, because the server only sees silence.
func logFailure(ctx context.Context, log *zap.Logger, err error) {
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, context.DeadlineExceeded):
		log.Warn("attempt ran out of time", zap.Error(err))
	case cause != nil:
		log.Warn("attempt was interrupted", zap.NamedError("cause", cause), zap.Error(err))
	case temporal.IsCanceledError(err):
		log.Info("attempt was canceled")
	default:
		log.Warn("attempt failed", zap.String("class", faults.Name(err).Class.String()), zap.Error(err))
	}
}

// fields are what every line about an attempt carries. A run's id begins with
// its tenant, which the workflow has checked.
func fields(info activity.Info, args []any) []zap.Field {
	tenant, _, _ := strings.Cut(info.WorkflowExecution.ID, "/")
	fs := []zap.Field{
		zap.String("run_id", info.WorkflowExecution.ID),
		// One execution of a run is one trace, whatever step and worker it is at.
		zap.String("trace_id", info.WorkflowExecution.RunID),
		zap.String("tenant", tenant),
		zap.String("step_name", info.ActivityType.Name),
		zap.Int32("attempt", info.Attempt),
	}
	for _, arg := range args {
		switch in := arg.(type) {
		case workflows.CollectContextInput:
			fs = append(fs, zap.String("idempotency_key", in.Key))
		case workflows.MakePlanInput:
			fs = append(fs, zap.String("idempotency_key", in.RequestKey))
		case workflows.RequestApprovalInput:
			fs = append(fs, zap.String("idempotency_key", in.Key))
		case workflows.ExecuteActionInput:
			fs = append(fs, zap.String("action_id", in.ActionID), zap.String("idempotency_key", in.Key))
		case workflows.SettleActionInput:
			fs = append(fs, zap.String("action_id", in.ActionID), zap.String("idempotency_key", in.Key))
		case workflows.Notice:
			fs = append(fs, zap.String("channel", in.Channel), zap.String("event", string(in.Event)), zap.String("idempotency_key", in.Key))
		case workflows.SummarizeInput:
			fs = append(fs, zap.String("idempotency_key", in.Key))
		}
	}
	return fs
}
