package declared_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/activities/tools/declared"
)

// A tool that is written in Go has the limits of a declared one.
func TestLimitsOfAToolWrittenInGo(t *testing.T) {
	right := func() tools.Spec {
		return tools.Spec{CallTimeout: time.Second, MaxAttempts: 10, Retry: faults.DefaultRetry()}
	}
	for name, change := range map[string]func(*tools.Spec){
		"the worker's own":             func(*tools.Spec) {},
		"no limits of its own":         func(s *tools.Spec) { s.Retry.MaxAfter, s.Retry.Budget, s.Concurrency, s.Rate = 0, 0, 0, 0 },
		"the least of everything":      func(s *tools.Spec) { *s = limits(100*time.Millisecond, 0, time.Millisecond, time.Second, 1, 0) },
		"the most of everything":       func(s *tools.Spec) { *s = limits(10*time.Minute, 24*time.Hour, time.Hour, 720*time.Hour, 200, 10_000) },
		"a pause that does not grow":   func(s *tools.Spec) { s.Retry.Base, s.Retry.Max = time.Minute, time.Minute },
		"one call in some ten minutes": func(s *tools.Spec) { s.Rate = 0.001 },
	} {
		s := right()
		change(&s)
		require.NoError(t, declared.CheckLimits(s), name)
	}
	for says, change := range map[string]func(*tools.Spec){
		"call_timeout is 0s; 100ms to 10m0s are allowed":         func(s *tools.Spec) { s.CallTimeout = 0 },
		"call_timeout is 10m1s; 100ms to 10m0s are allowed":      func(s *tools.Spec) { s.CallTimeout = 601 * time.Second },
		"settle is -1ns; 0s to 24h0m0s are allowed":              func(s *tools.Spec) { s.Settle = -1 },
		"settle is 24h0m0.000000001s; 0s to 24h0m0s are allowed": func(s *tools.Spec) { s.Settle = 24*time.Hour + 1 },
		"base is 0s; 1ms to 1h0m0s are allowed":                  func(s *tools.Spec) { s.Retry.Base = 0 },
		"max is 25h0m0s; 1ms to 24h0m0s are allowed":             func(s *tools.Spec) { s.Retry.Max = 25 * time.Hour },
		"max_after is -1s; 1ms to 24h0m0s are allowed":           func(s *tools.Spec) { s.Retry.MaxAfter = -time.Second },
		"budget is 1ms; 1s to 720h0m0s are allowed":              func(s *tools.Spec) { s.Retry.Budget = time.Millisecond },
		"attempts is 0; 1 to 1000 are allowed":                   func(s *tools.Spec) { s.MaxAttempts = 0 },
		"attempts is 1001; 1 to 1000 are allowed":                func(s *tools.Spec) { s.MaxAttempts = 1001 },
		"concurrency is -1; 1 to 200 are allowed":                func(s *tools.Spec) { s.Concurrency = -1 },
		"concurrency is 201; 1 to 200 are allowed":               func(s *tools.Spec) { s.Concurrency = 201 },
		"rate is -0.5; 0 to 10000 are allowed":                   func(s *tools.Spec) { s.Rate = -0.5 },
		"rate is 10001; 0 to 10000 are allowed":                  func(s *tools.Spec) { s.Rate = 10_001 },
		"rate is NaN; 0 to 10000 are allowed":                    func(s *tools.Spec) { s.Rate = math.NaN() },
		"rate is +Inf; 0 to 10000 are allowed":                   func(s *tools.Spec) { s.Rate = math.Inf(1) },
		"retry.base is 1m0s, and retry.max only 10s":             func(s *tools.Spec) { s.Retry.Base = time.Minute },
	} {
		s := right()
		change(&s)
		require.EqualError(t, declared.CheckLimits(s), says)
	}
	// Whoever mends one wants to know of the others: call_timeout, base, max, attempts.
	require.Len(t, strings.Split(declared.CheckLimits(tools.Spec{}).Error(), "\n"), 4)
}

// limits has the same value for all limits of a kind.
func limits(call, settle, pause, budget time.Duration, places int, rate float64) tools.Spec {
	return tools.Spec{
		CallTimeout: call, Settle: settle, MaxAttempts: places, Concurrency: places, Rate: rate,
		Retry: faults.Retry{Base: pause, Max: pause, MaxAfter: pause, Budget: budget},
	}
}
