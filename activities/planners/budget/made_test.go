package budget_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/planners/budget"
	"github.com/holdpoint/holdpoint/activities/planners/model"
)

func of(c model.Call, tenant, key string) model.Call {
	c.Tenant, c.Key = tenant, key
	return c
}

// How often a request was made is what the records say, whoever asks: all calls but
// those that were given back.
func TestCallsOfARequestAreCounted(t *testing.T) {
	s := newShop(t)
	a, _ := s.worker(budget.Config{})
	other := strings.Repeat("cd", 32)
	settle := func(c model.Call, u model.Usage) {
		require.NoError(t, reserve(t, a, c).Settle(t.Context(), u))
	}
	reserve(t, a, call(run, 10, 10)) // its worker died
	reserve(t, a, call(run, 0, 0))   // so did its, though it could use nothing
	settle(call(run, 10, 10), model.Usage{InputTokens: 5})
	settle(call(run, 10, 10), model.Usage{OutputTokens: 5})
	settle(call(run, 10, 10), model.Usage{})                   // it was refused
	reserve(t, a, of(call(run, 10, 10), "acme", other))        // another request
	reserve(t, a, call("acme/other", 10, 10))                  // of another run
	reserve(t, a, of(call(run, 10, 10), "other", key))         // and tenant
	reserve(t, a, of(call(run, 10, 10), "acme", key[:63]+"0")) // and nearly the same one

	for range 2 {
		fresh, _ := s.worker(budget.Config{})
		for _, tt := range []struct {
			keys []string
			want int
		}{
			{[]string{key}, 4}, {[]string{other}, 1}, {[]string{key, other}, 5}, {[]string{strings.Repeat("ef", 32)}, 0}, {nil, 0},
		} {
			made, err := fresh.Made(t.Context(), "acme", run, tt.keys)
			require.NoError(t, err)
			require.Equal(t, tt.want, made)
		}
		s.now = s.now.AddDate(0, 0, 10) // in December
	}
	s.now = s.now.AddDate(1, 0, 0)
	made, err := a.Made(t.Context(), "acme", run, []string{key})
	require.NoError(t, err)
	require.Zero(t, made, "as far back as a run's budget looks, and no further")
}

// The question costs one look at each month and the records of the request, and no
// more of those that no longer change.
func TestCallsOfARequestAreReadOnce(t *testing.T) {
	s := newShop(t)
	store := &entries{Entries: s.store}
	a, _ := s.workerOn(store, budget.Config{})
	for _, k := range []string{key, strings.Repeat("cd", 32)} {
		require.NoError(t, reserve(t, a, of(call(run, 10, 10), "acme", k)).Settle(t.Context(), model.Usage{InputTokens: 5}))
	}
	for range 3 {
		_, err := a.Made(t.Context(), "acme", run, []string{key})
		require.NoError(t, err)
		require.Equal(t, int32(1), store.reads.Load())
	}
}

func TestCallsThatCannotBeCountedAreAFault(t *testing.T) {
	s := newShop(t)
	a, _ := s.workerOn(&entries{Entries: s.store, onList: errors.New("GET https://key:SECRET@store/x")}, budget.Config{})
	_, err := a.Made(t.Context(), "acme", run, []string{key})
	require.NotContains(t, requireFault(t, err, faults.Transient, "spend_unreachable").Reason, "SECRET")
	require.True(t, faults.Waits(err), "the store comes back by itself")

	ended, cancel := context.WithTimeout(t.Context(), -time.Second)
	defer cancel()
	_, err = a.Made(ended, "acme", run, []string{key})
	requireFault(t, err, faults.Transient, "deadline_exceeded")
}
