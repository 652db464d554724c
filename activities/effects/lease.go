package effects

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/holdpoint/holdpoint/activities/faults"
)

// lease is the lease of one claim, in the hands of the attempt that has it.
type lease struct {
	ledger Ledger
	key    string
	token  int64
	length time.Duration
	renew  time.Duration
	log    *zap.Logger

	mu        sync.Mutex
	confirmed time.Time // the ledger's last yes was asked for at this time
	over      bool      // the call has returned
}

// age is how long ago the ledger's last yes was asked for.
func (l *lease) age() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Since(l.confirmed)
}

func (l *lease) confirm(asked time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if asked.After(l.confirmed) {
		l.confirmed = asked
	}
}

// check is the last look before a write. The ledger is asked again
// only when the claim is not fresh: then this process may have been suspended
// since. The error of an ended context is that context's, or why the lease was
// lost.
func (l *lease) check(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		if lost, ok := errors.AsType[*faults.Fault](context.Cause(ctx)); ok {
			return lost
		}
		return err
	}
	if l.ended() {
		return &faults.Fault{
			Class: faults.InProgress, Code: "call_ended",
			Reason: "the call that this write belongs to has returned; another attempt may be at work",
		}
	}
	if l.age() < l.renew {
		return nil
	}
	return l.ask(ctx)
}

func (l *lease) ended() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.over
}

func (l *lease) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over = true
}

// ask renews the lease.
func (l *lease) ask(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, l.length)
	defer cancel()
	asked := time.Now()
	err := l.ledger.Renew(ctx, l.key, l.token, l.length)
	switch {
	case err == nil:
		l.confirm(asked)
		return nil
	case errors.Is(err, ErrNotHeld):
		return superseded()
	default:
		return err
	}
}

// keep renews the lease until stop is called, and stops the call's context
// when it is lost. The end of ctx does not end the renewal: a tool that is
// still at work still needs its lease. After stop, nothing of this lease is
// written any more, and no write may begin under it.
//
// A call that nobody else can make or find, of an attempt that is alone, is not
// stopped: what a loss of the lease would let others do, they may not do
// anyway, and what it answers nobody else can find out.
func (l *lease) keep(ctx context.Context, alone bool) (call context.Context, stop func()) {
	call, cancel := context.WithCancelCause(ctx)
	renewing, stopRenewing := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		err := l.keepUntilLost(renewing, alone)
		switch {
		case err == nil:
		case alone:
			l.log.Warn("the lease is lost; the call goes on", zap.Error(err))
		default:
			l.log.Warn("the lease is lost: stopping the call", zap.Error(err))
			cancel(err)
		}
	}()
	return call, sync.OnceFunc(func() {
		l.end()
		stopRenewing()
		<-ended
		cancel(nil)
	})
}

// keepUntilLost returns nil when ctx ends, and else why the lease is lost: it
// was taken over, or for its whole length the ledger has not said yes. One that
// is alone goes on asking.
func (l *lease) keepUntilLost(ctx context.Context, alone bool) error {
	ticker := time.NewTicker(l.renew)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		err := l.ask(ctx)
		switch {
		case err == nil, ctx.Err() != nil:
		case errors.Is(err, ErrNotHeld):
			return err
		case !alone && l.age() >= l.length:
			return &faults.Fault{
				Class: faults.InProgress, Code: "lease_lost",
				Reason: "the lease could not be renewed in time", Cause: err,
			}
		default:
			l.log.Warn("the lease was not renewed; trying again", zap.Error(err))
		}
	}
}
