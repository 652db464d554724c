package postgres_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/effects/postgres"
	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// ledgerCall is one call that changes a row, and how one sees that it did.
type ledgerCall struct {
	name    string
	batches int // the last of which has the COMMIT
	before  func(t *testing.T, l effects.Ledger, key string) (token int64)
	call    func(t *testing.T, l effects.Ledger, key string, token int64) error
	made    func(effects.Row) bool
}

func ledgerCalls() []ledgerCall {
	ctx := context.Background()
	held := func(t *testing.T, l effects.Ledger, key string) int64 {
		return claimed(t, l, claim(key, time.Hour)).Token
	}
	parked := func(t *testing.T, l effects.Ledger, key string) int64 {
		token := held(t, l, key)
		require.NoError(t, l.Park(ctx, key, token, "no answer", true))
		return token
	}
	none := func(*testing.T, effects.Ledger, string) int64 { return 0 }
	begin := func(t *testing.T, l effects.Ledger, key string, before int64) error {
		begun, err := l.Begin(ctx, claim(key, 2*time.Hour))
		if err != nil {
			return err
		}
		require.Equal(t, before+1, begun.Token, "it is claimed once, by this call")
		require.Equal(t, before > 0, begun.Recover)
		rows, err := l.Rows(ctx, []string{key})
		require.NoError(t, err)
		require.Equal(t, []effects.Row{begun.Row}, rows, "the answer is what was stored")
		return l.Renew(ctx, key, begun.Token, time.Hour)
	}
	settle := func(word effects.Settlement) func(*testing.T, effects.Ledger, string, int64) error {
		return func(t *testing.T, l effects.Ledger, key string, token int64) error {
			word.Key, word.Token = key, token
			if word.Receipt != nil {
				word.Receipt = new(done(key))
			}
			settled, err := l.Settle(ctx, word)
			if err == nil {
				require.True(t, settled.Changed, "it was this word")
			}
			return err
		}
	}
	state := func(s effects.State) func(effects.Row) bool { return func(r effects.Row) bool { return r.State == s } }
	return []ledgerCall{
		{"Begin/new", 2, none, begin, func(r effects.Row) bool { return r.Token == 1 }},
		{"Begin/recovery", 2, parked, begin, func(r effects.Row) bool { return r.Token == 2 }},
		{"Renew", 1, held, func(_ *testing.T, l effects.Ledger, key string, token int64) error {
			return l.Renew(ctx, key, token, 9*time.Hour)
		}, func(r effects.Row) bool { return r.LeaseUntil.Sub(r.UpdatedAt) == 9*time.Hour }},
		{"Complete", 1, held, func(_ *testing.T, l effects.Ledger, key string, token int64) error {
			return l.Complete(ctx, key, token, done(key))
		}, func(r effects.Row) bool { return r.State == effects.Completed && *r.Receipt == done(r.Key) }},
		{"Release", 1, held, func(_ *testing.T, l effects.Ledger, key string, token int64) error {
			return l.Release(ctx, key, token, "refused")
		}, state(effects.Released)},
		{"Park", 1, held, func(_ *testing.T, l effects.Ledger, key string, token int64) error {
			return l.Park(ctx, key, token, "silence", true)
		}, func(r effects.Row) bool { return r.Reason == "silence" && r.LeaseUntil.IsZero() }},
		{"Settle/happened", 2, parked, settle(effects.Settlement{Receipt: &plan.Receipt{}}), state(effects.Completed)},
		{"Settle/not happened", 2, parked, settle(effects.Settlement{Reason: "looked"}), state(effects.Released)},
	}
}

// warm makes the call on a key of its own, and then prepares the call on key.
// All its statements are prepared on the one connection then, and each batch is
// one exchange.
func (c ledgerCall) warm(t *testing.T, l effects.Ledger, key string) (token int64) {
	t.Helper()
	other := "warm for " + key
	require.NoError(t, c.call(t, l, other, c.before(t, l, other)))
	return c.before(t, l, key)
}

func done(key string) plan.Receipt {
	return plan.Receipt{IdempotencyKey: key, Ref: "abc", At: time.Date(2026, 11, 29, 17, 0, 0, 0, time.UTC)}
}

// Whatever is cut where, a call that reaches the database in the end has done
// what it says, once.
func TestCutConnections(t *testing.T) {
	s := cluster.Server(t)
	address := s.NewDatabase(t)
	direct := open(t, address)
	l, w := wired(t, s, address)
	// What is sent and what is answered is longer than this, so each of these
	// lengths cuts it: between messages and in the middle of one.
	lengths := []int{0, 5, 40}
	for _, c := range ledgerCalls() {
		t.Run(c.name, func(t *testing.T) {
			for batch := 1; batch <= c.batches; batch++ {
				for _, stream := range []string{"upstream", "downstream"} {
					for _, length := range lengths {
						key := fmt.Sprint(c.name, batch, stream, length)
						token := c.warm(t, l, key)
						w.next(batch, cut{stream, length}, nil)
						require.NoError(t, c.call(t, l, key, token), key)
						require.Equal(t, 1, w.happened(), key)
						require.True(t, c.made(rowOf(t, direct, key)), key)
					}
				}
			}
		})
	}
}

// The change was made, and the answer to its COMMIT is lost.
func TestCommitWithoutAnAnswer(t *testing.T) {
	s := cluster.Server(t)
	address := s.NewDatabase(t)
	direct := open(t, address)
	l, w := wired(t, s, address)
	for _, c := range ledgerCalls() {
		t.Run(c.name, func(t *testing.T) {
			token := c.warm(t, l, c.name)
			made := false
			w.next(c.batches, cut{"downstream", 0}, func() {
				made = eventually(func() bool {
					rows, err := direct.Rows(context.Background(), []string{c.name})
					return err == nil && len(rows) == 1 && c.made(rows[0])
				})
			})
			require.NoError(t, c.call(t, l, c.name, token))
			require.True(t, made, "it was committed before the ledger went on")
			require.True(t, c.made(rowOf(t, direct, c.name)))
		})
	}
}

// The change was made, its answer is lost, and before the ledger can look
// somebody else has the key: that is what counts.
func TestOvertakenWhileTheAnswerWasLost(t *testing.T) {
	s := cluster.Server(t)
	address := s.NewDatabase(t)
	direct := open(t, address)
	l, w := wired(t, s, address)

	t.Run("Begin", func(t *testing.T) {
		claimed(t, l, claim("warm", time.Hour))
		w.next(2, cut{"downstream", 0}, func() {
			eventually(func() bool { // its lease of a millisecond is over, and the key is claimed once more
				begun, err := direct.Begin(context.Background(), claim("k", time.Hour))
				return err == nil && begun.Token > 1
			})
		})
		begun, err := l.Begin(t.Context(), claim("k", time.Millisecond))
		require.NoError(t, err)
		require.Zero(t, begun.Token, "the claim was lost again")
		require.Positive(t, begun.Held)
	})
	for name, end := range map[string]func(key string, token int64) error{
		"Release": func(key string, token int64) error { return l.Release(t.Context(), key, token, "refused") },
		"Park":    func(key string, token int64) error { return l.Park(t.Context(), key, token, "silence", true) },
	} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, end("warm for "+name, claimed(t, l, claim("warm for "+name, time.Hour)).Token))
			token := claimed(t, l, claim(name, time.Hour)).Token
			w.next(1, cut{"downstream", 0}, func() {
				eventually(func() bool {
					begun, err := direct.Begin(context.Background(), claim(name, time.Hour))
					return err == nil && begun.Token > token
				})
			})
			require.ErrorIs(t, end(name, token), effects.ErrNotHeld)
			require.Equal(t, effects.Started, rowOf(t, direct, name).State, "the new claim is untouched")
		})
	}
}

// A connection that has gone silent costs a call a few seconds, and other
// callers no more.
func TestSilentConnection(t *testing.T) {
	s := cluster.Server(t)
	address := s.NewDatabase(t)
	l, w := wired(t, s, address)
	require.NoError(t, l.Complete(t.Context(), "warm", claimed(t, l, claim("warm", time.Hour)).Token, done("warm")))
	token := claimed(t, l, claim("k", time.Hour)).Token
	w.next(1, cut{"downstream", -1}, nil)
	require.NoError(t, l.Complete(t.Context(), "k", token, done("k")))
	require.Equal(t, 1, w.happened())
	require.Equal(t, effects.Completed, rowOf(t, l, "k").State)
}

// A client that is gone in the middle of a transaction does not keep the row.
func TestAbandonedTransaction(t *testing.T) {
	address := cluster.Server(t).NewDatabase(t)
	gone, l := open(t, address), open(t, address)
	claimed(t, l, claim("k", time.Hour))
	conn, err := gone.Pool().Acquire(t.Context())
	require.NoError(t, err)
	defer conn.Release()
	row, err := postgres.Lock(t.Context(), conn, "k")
	require.NoError(t, err)
	require.Equal(t, int64(1), row.Token)

	begun, err := l.Begin(t.Context(), claim("k", time.Hour))
	require.NoError(t, err)
	require.Positive(t, begun.Held)
}

func TestDatabaseThatStaysAway(t *testing.T) {
	s := mortal.Server(t)
	address := s.NewDatabase(t)
	l, w := wired(t, s, address)
	l.SetPatience(time.Second)
	kept := claimed(t, l, claim("kept", time.Hour))
	short := claim("claimed", 500*time.Millisecond)

	// The first call commits, and is the last that the database hears of.
	w.next(2, cut{"downstream", 0}, func() { s.Kill() })
	_, err := l.Begin(t.Context(), short)
	require.Equal(t, 1, w.happened())
	require.Equal(t, faults.Unknown, faults.ClassOf(err))
	require.EqualError(t, err, "ledger_unavailable: the effect ledger on "+w.proxy.Listen+
		" did not answer; whether it has made the last change is not known")

	for name, call := range map[string]func() error{
		"Begin":    func() error { _, err := l.Begin(t.Context(), short); return err },
		"Complete": func() error { return l.Complete(t.Context(), "kept", kept.Token, done("kept")) },
		"Rows":     func() error { _, err := l.Rows(t.Context(), []string{"kept"}); return err },
	} {
		err := call()
		require.Equal(t, faults.Transient, faults.ClassOf(err), name)
		require.ErrorContains(t, err, "ledger_unavailable: the effect ledger on "+w.proxy.Listen+" did not answer", name)
	}

	require.NoError(t, s.Start(t.Context()))
	l.SetPatience(patience)
	require.NoError(t, l.Complete(t.Context(), "kept", kept.Token, done("kept")), "its claim outlived the outage")
	require.Equal(t, int64(1), rowOf(t, l, "claimed").Token, "the claim that nobody has")
	var begun effects.Begun
	require.Eventually(t, func() bool {
		begun, err = l.Begin(t.Context(), short)
		return err == nil && begun.Token > 0
	}, patience, tick)
	require.Equal(t, int64(2), begun.Token)
	require.True(t, begun.Recover)
}

// The server is killed in the middle of each call's COMMIT, and started again.
func TestServerKilledAtCommit(t *testing.T) {
	s := mortal.Server(t)
	address := s.NewDatabase(t)
	l, w := wired(t, s, address)
	l.SetPatience(patience)
	for i, c := range ledgerCalls() {
		if !slices.Contains([]string{"Begin/new", "Complete", "Settle/not happened"}, c.name) {
			continue // as another one of its kind, and each costs a start
		}
		t.Run(c.name, func(t *testing.T) {
			token := c.warm(t, l, c.name)
			restarted := make(chan error, 1)
			stream := []string{"upstream", "downstream"}[i%2]
			w.next(c.batches, cut{stream, 0}, func() {
				err := s.Kill()
				go func() {
					if err == nil {
						err = s.Start(context.Background())
					}
					restarted <- err
				}()
			})
			require.NoError(t, c.call(t, l, c.name, token))
			require.NoError(t, <-restarted)
			require.True(t, c.made(rowOf(t, l, c.name)))
		})
	}
}

const (
	patience = 30 * time.Second
	tick     = 10 * time.Millisecond
)

// eventually waits for a condition on a goroutine that is not the test's.
func eventually(condition func() bool) bool {
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(tick) {
		if condition() {
			return true
		}
	}
	return false
}

func rowOf(t *testing.T, l effects.Ledger, key string) effects.Row {
	t.Helper()
	rows, err := l.Rows(t.Context(), []string{key})
	require.NoError(t, err)
	require.Len(t, rows, 1)
	return rows[0]
}
