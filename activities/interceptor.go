package activities

import (
	"context"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/interceptor"
	"go.uber.org/zap"

	"github.com/holdpoint/holdpoint/activities/faults"
)

// Attempts is the interceptor around every attempt of every activity: it
// heartbeats, keeps a panic from the worker, logs how the attempt ended, gives
// the error its class, and says when the attempts at a step are over.
type Attempts struct {
	interceptor.WorkerInterceptorBase
	Log       *zap.Logger
	Heartbeat time.Duration // between two heartbeats
	Retry     faults.Retry
	Steps     StepLimits // of the attempts at a step that writes nothing

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

func (i *attemptInterceptor) ExecuteActivity(ctx context.Context, in *interceptor.ExecuteActivityInput) (any, error) {
	i.attempts.inFlight.Add(1)
	defer i.attempts.inFlight.Done()
	info := activity.GetInfo(ctx)
	log := i.attempts.Log.With(fields(info, in.Args)...)
	var step *stepAttempt // of a step whose attempts are counted
	if counted(info.ActivityType.Name) {
		attempt := newStepAttempt(i.attempts.Steps, int(info.Attempt), i.last.takeUp(ctx))
		step = &attempt
	}
	if !info.IsLocalActivity {
		stop := i.heartbeats(ctx)
		defer stop()
	}
	begun := time.Now()
	var out any
	err := faults.Guard(info.ActivityType.Name, func(recovered any, stack []byte) {
		log.Error("panic", zap.Any("panic", recovered), zap.ByteString("stack", stack))
	}, func() (err error) {
		if step != nil {
			if err := step.begin(); err != nil {
				return err
			}
		}
		out, err = i.Next.ExecuteActivity(ctx, in)
		return err
	})
	log = log.With(zap.Duration("took", time.Since(begun)))
	if err == nil {
		log.Info("attempt ended", zap.String("outcome", "ok"))
		return out, nil
	}
	logFailure(ctx, log, err)
	elapsed := info.StartedTime.Sub(info.ScheduledTime) + time.Since(begun)
	if step != nil && ctx.Err() == nil { // what was cut off has ended without a word
		var now tally
		now, err = step.ended(err, elapsed)
		i.last.count(ctx, now)
	}
	return nil, faults.Temporal(err, int(info.Attempt), elapsed, i.attempts.Retry)
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
