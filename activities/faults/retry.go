package faults

import (
	"math/rand/v2"
	"time"
)

// shortestDelay stands for "at once": the server takes a delay of zero for
// "none given" and would apply the step's retry policy instead.
const shortestDelay = time.Millisecond

// Retry says how long to wait before the next attempt. How many attempts
// there are is the workflow's to bound.
type Retry struct {
	Base     time.Duration // ceiling of the wait after the first attempt; it doubles with each further one
	Max      time.Duration // ceiling of a wait that nobody asked for
	MaxAfter time.Duration // ceiling of a wait that the other side asked for; 0 stands for Max
	// Budget is the time, from the first attempt's schedule on, after which a
	// failed attempt is the last; 0 is none. It ends no wait for a worker: after
	// an outage of any length there is one more attempt.
	Budget time.Duration
	Rand   func() float64 // in [0, 1); nil is math/rand/v2
}

// DefaultRetry is the worker's: a first wait within a fifth of a second, none
// over ten seconds, and a minute for a server that asks for more.
func DefaultRetry() Retry {
	return Retry{Base: 200 * time.Millisecond, Max: 10 * time.Second, MaxAfter: time.Minute}
}

// Delay returns the wait after the given attempt, counted from 1. It is drawn
// evenly between a floor and a ceiling, so that many runs that failed together
// do not come back together: the ceiling is min(Max, Base·2^(attempt-1)), and
// the floor is what the other side asked for, at most MaxAfter. A floor over
// the ceiling is itself the wait.
func (r Retry) Delay(attempt int, after time.Duration) time.Duration {
	floor := min(max(after, 0), r.maxAfter())
	ceiling := max(r.ceiling(attempt), floor)
	spread := time.Duration(r.rand() * float64(ceiling-floor))
	return max(floor+spread, shortestDelay)
}

// spent reports whether the wait before the next attempt would end outside the
// budget.
func (r Retry) spent(elapsed, delay time.Duration) bool {
	return r.Budget > 0 && elapsed+delay > r.Budget
}

// ceiling doubles step by step, because a shift overflows long before a run
// has used up its attempts.
func (r Retry) ceiling(attempt int) time.Duration {
	c := min(r.Base, r.Max)
	for n := 1; n < attempt && c > 0 && c < r.Max; n++ {
		if c > r.Max/2 {
			return r.Max
		}
		c *= 2
	}
	return c
}

func (r Retry) maxAfter() time.Duration {
	if r.MaxAfter > 0 {
		return r.MaxAfter
	}
	return r.Max
}

func (r Retry) rand() float64 {
	if r.Rand != nil {
		return r.Rand()
	}
	return rand.Float64() //nolint:gosec // spreads retries, keeps no secret
}
