package ledgertest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// callers is how many ask for one key at the same moment.
const callers = 64

func testManyCallers(t *testing.T, s subject) {
	t.Run("a new key", func(t *testing.T) {
		require.Equal(t, []int64{1}, race(t, s, "new"))
	})
	t.Run("a released key", func(t *testing.T) {
		token := s.claimed(t, claim("released", long)).Token
		require.NoError(t, s.Release(t.Context(), "released", token, "refused"))
		require.Equal(t, []int64{2}, race(t, s, "released"))
	})
	t.Run("a key in doubt", func(t *testing.T) {
		token := s.claimed(t, claim("doubt", long)).Token
		require.NoError(t, s.Park(t.Context(), "doubt", token, "no answer", false))
		require.Equal(t, []int64{2}, race(t, s, "doubt"))
	})
	t.Run("a completed key", func(t *testing.T) {
		token := s.claimed(t, claim("completed", long)).Token
		require.NoError(t, s.Complete(t.Context(), "completed", token, receipt("completed")))
		require.Empty(t, race(t, s, "completed"))
	})
	t.Run("each its own key", func(t *testing.T) {
		tokens := together(t, func(i int) (effects.Begun, error) {
			return s.Begin(t.Context(), claim(fmt.Sprintf("own-%d", i), long))
		})
		require.Len(t, tokens, callers)
	})
}

// race lets all callers ask for the key and returns the tokens handed out.
func race(t *testing.T, s subject, key string) []int64 {
	t.Helper()
	return together(t, func(int) (effects.Begun, error) { return s.Begin(t.Context(), claim(key, long)) })
}

func together(t *testing.T, begin func(i int) (effects.Begun, error)) []int64 {
	t.Helper()
	begun, errs := make([]effects.Begun, callers), make([]error, callers)
	allAtOnce(func(i int) { begun[i], errs[i] = begin(i) })
	var tokens []int64
	for i := range callers {
		require.NoError(t, errs[i])
		requireOneAnswer(t, begun[i])
		if begun[i].Token > 0 {
			tokens = append(tokens, begun[i].Token)
		}
	}
	return tokens
}

// allAtOnce lets all callers make their call at the same moment.
func allAtOnce(call func(i int)) {
	var start, done sync.WaitGroup
	start.Add(1)
	for i := range callers {
		done.Go(func() {
			start.Wait()
			call(i)
		})
	}
	start.Done()
	done.Wait()
}

func testRows(t *testing.T, s subject) {
	const many = 1200 // more than a plan has actions
	keys := make([]string, many)
	for i := range keys {
		keys[i] = fmt.Sprintf("key-%04d", i)
	}
	present := slices.Concat(keys[:20], keys[many-1:])
	for _, key := range present {
		s.claimed(t, claim(key, long))
	}
	slices.Reverse(keys)
	slices.Reverse(present)

	require.Equal(t, present, keysOf(t, s, keys), "in the order asked for, without those that are missing")
	require.Equal(t, []string{"key-0007", "key-0003"}, keysOf(t, s, []string{"key-0007", "none", "key-0003"}))
	require.Empty(t, keysOf(t, s, []string{"none"}))
	require.Empty(t, keysOf(t, s, nil))
}

func keysOf(t *testing.T, s subject, asked []string) []string {
	t.Helper()
	rows, err := s.Rows(t.Context(), asked)
	require.NoError(t, err)
	var keys []string
	for _, row := range rows {
		keys = append(keys, row.Key)
	}
	return keys
}

func testTexts(t *testing.T, s subject) {
	odd := "周报 'a' \"b\" \\ ; -- \n\t é " + strings.Repeat("长", 5000)
	c := claim(odd, long)
	c.Tenant, c.RunID, c.ActionID, c.Tool, c.Target, c.Owner = odd, odd, odd, odd, odd, odd
	begun := s.claimed(t, c)
	require.Equal(t, begun.Row, s.row(t, odd))
	require.Equal(t, odd, begun.Row.Target)

	want := receipt(odd)
	want.Detail = odd + "\x00"
	require.NoError(t, s.Complete(t.Context(), odd, begun.Token, want))
	require.Equal(t, want, *s.row(t, odd).Receipt)

	t.Run("a reason can be anything that a target said", func(t *testing.T) {
		const noise = "\x00 \xff\xfe \xed\xa0\x80 refused"
		for name, end := range map[string]func(key string, token int64) error{
			"released": func(key string, token int64) error { return s.Release(t.Context(), key, token, noise) },
			"parked":   func(key string, token int64) error { return s.Park(t.Context(), key, token, noise, true) },
			"settled": func(key string, token int64) error {
				if err := s.Park(t.Context(), key, token, "", true); err != nil {
					return err
				}
				_, err := s.Settle(t.Context(), effects.Settlement{Key: key, Token: token, Reason: noise})
				return err
			},
		} {
			require.NoError(t, end(name, s.claimed(t, claim(name, long)).Token), name)
			require.Contains(t, s.row(t, name).Reason, "refused", name)
		}
	})
}

func testBadClaims(t *testing.T, s subject) {
	for name, spoil := range map[string]func(*effects.Claim){
		"no key":            func(c *effects.Claim) { c.Key = "" },
		"no fingerprint":    func(c *effects.Claim) { c.Fingerprint = plan.Digest{} },
		"no lease":          func(c *effects.Claim) { c.Lease = 0 },
		"a negative lease":  func(c *effects.Claim) { c.Lease = -time.Second },
		"an unusable lease": func(c *effects.Claim) { c.Lease = time.Microsecond },
		"a negative quiet":  func(c *effects.Claim) { c.Quiet = -time.Second },
	} {
		t.Run(name, func(t *testing.T) {
			c := claim("k", long)
			spoil(&c)
			_, err := s.Begin(t.Context(), c)
			require.Equal(t, faults.Permanent, faults.ClassOf(err))
		})
	}
	require.Empty(t, keysOf(t, s, []string{"k", ""}))
}

func testCanceledContext(t *testing.T, s subject) {
	token := s.claimed(t, claim("k", long)).Token
	for name, call := range map[string]func(context.Context) error{
		"Begin": func(ctx context.Context) error {
			_, err := s.Begin(ctx, claim("other", long))
			return err
		},
		"Renew":    func(ctx context.Context) error { return s.Renew(ctx, "k", token, short) },
		"Complete": func(ctx context.Context) error { return s.Complete(ctx, "k", token, receipt("k")) },
		"Release":  func(ctx context.Context) error { return s.Release(ctx, "k", token, "x") },
		"Park":     func(ctx context.Context) error { return s.Park(ctx, "k", token, "x", false) },
		"Settle": func(ctx context.Context) error {
			_, err := s.Settle(ctx, effects.Settlement{Key: "k", Token: token})
			return err
		},
		"Rows": func(ctx context.Context) error {
			_, err := s.Rows(ctx, []string{"k"})
			return err
		},
	} {
		require.ErrorIs(t, call(canceled(t)), context.Canceled, name)
	}
	require.Empty(t, keysOf(t, s, []string{"other"}))
	require.NoError(t, s.Complete(t.Context(), "k", token, receipt("k")), "the claim is as it was")
}
