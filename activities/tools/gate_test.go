package tools_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/tools"
)

// limited is a tool of which only the name and the limits matter.
type limited struct {
	named
	concurrency int
	rate        float64
}

func (l limited) Spec() tools.Spec {
	return tools.Spec{Name: string(l.named), Concurrency: l.concurrency, Rate: l.rate}
}

func registry(t *testing.T, all ...tools.Tool) *tools.Registry {
	t.Helper()
	r, err := tools.NewRegistry(all...)
	require.NoError(t, err)
	return r
}

func TestEnterKnowsOnlyTheRegistrysTools(t *testing.T) {
	leave, err := registry(t, named("http")).Enter(t.Context(), "smtp")
	require.EqualError(t, err, `there is no tool "smtp"`)
	require.Nil(t, leave)
}

func TestNoMoreCallsAtATimeThanTheToolAllows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := registry(t, limited{named: "http", concurrency: 3}, limited{named: "smtp", concurrency: 1})
		var now, done atomic.Int32
		var most int32
		var mu sync.Mutex
		var callers sync.WaitGroup
		for range 50 {
			callers.Go(func() {
				leave, err := r.Enter(t.Context(), "http")
				if err != nil {
					return
				}
				defer leave()
				mu.Lock()
				most = max(most, now.Add(1))
				mu.Unlock()
				time.Sleep(time.Second)
				now.Add(-1)
				done.Add(1)
			})
		}
		synctest.Wait()
		require.EqualValues(t, 3, now.Load(), "the limit is used")
		leave, err := r.Enter(t.Context(), "smtp")
		require.NoError(t, err, "one tool's callers are not in another's way")
		leave()
		callers.Wait()
		require.EqualValues(t, 3, most)
		require.EqualValues(t, 50, done.Load())
	})
}

func TestToolWithoutLimitsLetsEverybodyIn(t *testing.T) {
	r := registry(t, named("http"))
	for range 1000 {
		_, err := r.Enter(t.Context(), "http") // and nobody leaves
		require.NoError(t, err)
	}
}

func TestCallsBeginNoFasterThanTheToolsRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := registry(t, limited{named: "http", rate: 4})
		begin := time.Now()
		for n := range 9 {
			leave, err := r.Enter(t.Context(), "http")
			require.NoError(t, err)
			leave()
			require.Equal(t, time.Duration(n)*250*time.Millisecond, time.Since(begin), "call %d", n)
		}
		time.Sleep(time.Hour)
		begin = time.Now()
		for range 3 {
			_, err := r.Enter(t.Context(), "http")
			require.NoError(t, err)
		}
		require.Equal(t, 500*time.Millisecond, time.Since(begin), "a quiet hour is not made up for")
	})
}

// A caller whose context ends while it waits neither keeps a place nor uses up
// a turn.
func TestCallerThatGivesUpLeavesNothingBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := registry(t, limited{named: "places", concurrency: 1}, limited{named: "turns", concurrency: 2, rate: 1})
		leave, err := r.Enter(t.Context(), "places")
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = r.Enter(ctx, "places")
		require.ErrorIs(t, err, context.DeadlineExceeded)
		leave()
		leave, err = r.Enter(t.Context(), "places")
		require.NoError(t, err)
		leave()

		begin := time.Now()
		_, err = r.Enter(t.Context(), "turns") // at once, and stays
		require.NoError(t, err)
		ctx, cancel = context.WithTimeout(t.Context(), 500*time.Millisecond)
		defer cancel()
		_, err = r.Enter(ctx, "turns")
		require.ErrorIs(t, err, context.DeadlineExceeded)
		_, err = r.Enter(t.Context(), "turns")
		require.NoError(t, err, "its place is free")
		require.Equal(t, time.Second, time.Since(begin), "and its turn was not used")
	})
}

func TestCallerWhoseContextHasEndedDoesNotEnter(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := registry(t, limited{named: "http", concurrency: 1})
	for range 100 {
		_, err := r.Enter(ctx, "http")
		require.ErrorIs(t, err, context.Canceled)
	}
	_, err := r.Enter(t.Context(), "http")
	require.NoError(t, err)
}

// Nobody is overtaken: an action whose tool is busy waits as long as those
// before it need, and no longer.
func TestCallersEnterInTheOrderInWhichTheyCame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := registry(t, limited{named: "http", concurrency: 1})
		leave, err := r.Enter(t.Context(), "http")
		require.NoError(t, err)
		var order []int
		var callers sync.WaitGroup
		for n := range 20 {
			callers.Go(func() {
				leave, err := r.Enter(t.Context(), "http")
				if err == nil {
					order = append(order, n) // one at a time
					leave()
				}
			})
			synctest.Wait() // it stands in the queue
		}
		leave()
		callers.Wait()
		require.Len(t, order, 20)
		require.IsIncreasing(t, order)
	})
}
