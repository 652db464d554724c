package ledgertest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/effects"
)

func testStorm(t *testing.T, s subject) {
	require.Zero(t, Storm(t, []effects.Ledger{s.Ledger}, nil))
}

const (
	// stormKeys is few enough for the callers to meet at every key.
	stormKeys = 8
	// stormLease is short, because claims are given up all the time.
	stormLease = 100 * time.Millisecond
)

// Storm lets many callers, spread over several handles of one ledger, claim
// the same keys until each key is completed. On the way claims are renewed,
// released, parked, given up and completed late, at random. disturb, which may
// be nil, does to the database what it likes until its context ends. After it,
// the record of all claims must show one live claim a key at any time, rising
// tokens, and one receipt a key, which is that of the claim that completed it.
// Storm returns how many calls did not reach the database.
func Storm(t *testing.T, ledgers []effects.Ledger, disturb func(context.Context)) (unavailable int) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 2*patience)
	defer stop()
	record := &claims{disturbed: disturb != nil, of: map[string][]*held{}}
	var disturbing sync.WaitGroup
	disturbed, calm := context.WithCancel(ctx)
	if disturb != nil {
		disturbing.Go(func() { disturb(disturbed) })
	}
	allAtOnce(func(i int) {
		c := &stormCaller{
			ledger: ledgers[i%len(ledgers)], record: record,
			chance: rand.New(rand.NewPCG(1, uint64(i))), //nolint:gosec // a different order for each caller
		}
		record.failed(c.completeAll(ctx, i))
	})
	calm()
	disturbing.Wait()
	require.NoError(t, ctx.Err(), "every key is completed in time")
	require.Empty(t, record.failures)
	for i := range stormKeys {
		key := stormKey(i)
		rows, err := ledgers[0].Rows(t.Context(), []string{key})
		require.NoError(t, err)
		require.Len(t, rows, 1)
		record.check(t, key, rows[0])
	}
	return record.unavailable
}

func stormKey(i int) string { return fmt.Sprint("storm-", i) }

// stormCaller is one of the callers.
type stormCaller struct {
	ledger effects.Ledger
	record *claims
	chance *rand.Rand
}

// completeAll goes over the keys, each caller from another one on, until all
// are completed.
func (c *stormCaller) completeAll(ctx context.Context, from int) error {
	left := stormKeys
	done := [stormKeys]bool{}
	for i := from; left > 0 && ctx.Err() == nil; i++ {
		n := i % stormKeys
		if done[n] {
			continue
		}
		completed, err := c.work(ctx, stormKey(n))
		if err != nil && !c.record.excuses(err) {
			return err
		}
		if completed {
			done[n] = true
			left--
		}
	}
	return nil
}

// work claims the key and does something with the claim.
func (c *stormCaller) work(ctx context.Context, key string) (completed bool, err error) {
	begun, err := c.ledger.Begin(ctx, claim(key, stormLease))
	if err != nil || begun.Token == 0 {
		return err == nil && begun.Row.State == effects.Completed, err
	}
	h := c.record.add(key, begun)
	switch c.chance.IntN(8) {
	case 0:
		h.ends(released)
		return false, h.ended(c.ledger.Release(ctx, key, h.token, "refused"))
	case 1, 2:
		h.ends(parked)
		return false, h.ended(c.ledger.Park(ctx, key, h.token, "no answer", true))
	case 3:
		return false, nil // given up: its lease runs out
	case 4:
		if err := ignoreNotHeld(c.ledger.Renew(ctx, key, h.token, stormLease)); err != nil {
			return false, err
		}
	case 5:
		late := time.NewTimer(stormLease * time.Duration(1+c.chance.IntN(2)))
		defer late.Stop()
		select { // most often somebody else has it by then
		case <-ctx.Done():
		case <-late.C:
		}
	default:
	}
	h.ends(complete)
	r := receipt(key)
	r.Ref = strconv.FormatInt(h.token, 10)
	return false, h.ended(c.ledger.Complete(ctx, key, h.token, r))
}

// check holds the record of one key against the ledger's rules.
func (c *claims) check(t *testing.T, key string, row effects.Row) {
	t.Helper()
	all := c.of[key]
	slices.SortFunc(all, func(a, b *held) int { return int(a.token - b.token) })
	require.NotEmpty(t, all, key)
	require.Equal(t, effects.Completed, row.State, key)
	completed := 0
	for i, h := range all {
		if h.end == complete && h.err == nil {
			completed++
			require.Equal(t, h.token, row.Token, "%s: nobody claims it after its receipt", key)
		}
		if i == 0 {
			require.Equal(t, h.token > 1, h.recover, "%s: before the first there is nothing to recover", key)
			continue
		}
		before := all[i-1]
		require.Greater(t, h.token, before.token, "%s: no token is given twice", key)
		if before.end == none || before.end == complete {
			// It ended by its lease, for a receipt would have been the end.
			require.False(t, h.at.Before(before.until), "%s: token %d was given while the lease of %d ran", key, h.token, before.token)
		}
		if !c.disturbed {
			require.Equal(t, before.token+1, h.token, key)
			require.Equal(t, before.end != released || before.err != nil, h.recover, "%s: token %d after %d", key, h.token, before.token)
		}
	}
	require.Equal(t, strconv.FormatInt(row.Token, 10), row.Receipt.Ref, "%s: the receipt is that of its claim", key)
	require.LessOrEqual(t, completed, 1, key)
	if !c.disturbed {
		require.Equal(t, 1, completed, key)
	}
}
