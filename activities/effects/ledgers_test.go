package effects_test

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// faulty is a ledger of which some calls fail.
type faulty struct {
	effects.Ledger
	begin, complete, release error
	afterBegin, afterRelease func()
	renewFails               atomic.Bool
	away                     atomic.Bool // no receipt can be recorded, and no claim parked
	renewals                 atomic.Int64
}

func (l *faulty) Begin(ctx context.Context, c effects.Claim) (effects.Begun, error) {
	if l.begin != nil {
		return effects.Begun{}, l.begin
	}
	begun, err := l.Ledger.Begin(ctx, c)
	if l.afterBegin != nil {
		l.afterBegin()
	}
	return begun, err
}

func (l *faulty) Renew(ctx context.Context, key string, token int64, lease time.Duration) error {
	l.renewals.Add(1)
	if l.renewFails.Load() {
		return errGone
	}
	return l.Ledger.Renew(ctx, key, token, lease)
}

func (l *faulty) Complete(ctx context.Context, key string, token int64, r plan.Receipt) error {
	if l.away.Load() {
		return errGone
	}
	if l.complete != nil {
		return l.complete
	}
	return l.Ledger.Complete(ctx, key, token, r)
}

func (l *faulty) Park(ctx context.Context, key string, token int64, reason string, ended bool) error {
	if l.away.Load() {
		return errGone
	}
	return l.Ledger.Park(ctx, key, token, reason, ended)
}

func (l *faulty) Release(ctx context.Context, key string, token int64, reason string) error {
	if l.release != nil {
		return l.release
	}
	err := l.Ledger.Release(ctx, key, token, reason)
	if l.afterRelease != nil {
		l.afterRelease()
	}
	return err
}

var errGone error = &faults.Fault{Class: faults.Transient, Code: "ledger_unavailable", Reason: "no answer"}

// broken puts a faulty ledger around the scene's.
func (s *scene) broken() *faulty {
	l := &faulty{Ledger: s.Ledger}
	s.Ledger = l
	return l
}

// counting is a ledger that counts what it is asked.
type counting struct {
	effects.Ledger
	begins, calls atomic.Int64
}

func (l *counting) Begin(ctx context.Context, c effects.Claim) (effects.Begun, error) {
	l.calls.Add(1)
	l.begins.Add(1)
	return l.Ledger.Begin(ctx, c)
}

func (l *counting) Renew(ctx context.Context, key string, token int64, lease time.Duration) error {
	l.calls.Add(1)
	return l.Ledger.Renew(ctx, key, token, lease)
}

func (l *counting) Complete(ctx context.Context, key string, token int64, r plan.Receipt) error {
	l.calls.Add(1)
	return l.Ledger.Complete(ctx, key, token, r)
}

func (l *counting) Release(ctx context.Context, key string, token int64, reason string) error {
	l.calls.Add(1)
	return l.Ledger.Release(ctx, key, token, reason)
}

func (l *counting) Park(ctx context.Context, key string, token int64, reason string, ended bool) error {
	l.calls.Add(1)
	return l.Ledger.Park(ctx, key, token, reason, ended)
}

func (l *counting) Rows(ctx context.Context, keys []string) ([]effects.Row, error) {
	l.calls.Add(1)
	return l.Ledger.Rows(ctx, keys)
}

func (s *scene) counted() *counting {
	l := &counting{Ledger: s.Ledger}
	s.Ledger = l
	return l
}
