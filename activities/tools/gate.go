package tools

import (
	"context"
	"time"

	"golang.org/x/time/rate"
)

// gate keeps the limits that a tool declares, within this process.
type gate struct {
	places chan struct{} // nil: no limit
	rate   *rate.Limiter // nil: no limit
}

func newGate(s Spec) *gate {
	g := &gate{}
	if s.Concurrency > 0 {
		g.places = make(chan struct{}, s.Concurrency)
	}
	if s.Rate > 0 {
		g.rate = rate.NewLimiter(rate.Limit(s.Rate), 1)
	}
	return g
}

// enter takes a place, first come, first served, and then waits for its turn.
func (g *gate) enter(ctx context.Context) (leave func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	leave = func() {}
	if g.places != nil {
		select {
		case g.places <- struct{}{}:
			leave = func() { <-g.places }
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if g.rate == nil {
		return leave, nil
	}
	turn := g.rate.Reserve()
	if err := wait(ctx, turn.Delay()); err != nil {
		turn.Cancel()
		leave()
		return nil, err
	}
	return leave, nil
}

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
