package postgres_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/activities/tools/declared/kindtest"
)

// C017 for PostgreSQL within one process: the effect was made, its receipt
// dropped, and the claim left to its lease.
func TestPostgresAttemptThatEndsAfterTheEffectIsRecovered(t *testing.T) {
	o := newOrders(t)
	tool, p, key := open(t, declaration(o.url, insert)), kindtest.NewProtocol(t), kindtest.KeyOf("C017")
	ending := *p
	ending.Reached = func(at effects.Point) {
		if at == effects.PointEffect {
			runtime.Goexit()
		}
	}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		ending.Run(t.Context(), tool, call(key, "one"), 1, "acme")
	}()
	<-gone
	require.Equal(t, 1, o.count(key))

	out, err := kindtest.Retried(t, p, tool, call(key, "one"))
	require.NoError(t, err)
	require.True(t, out.Recovered)
	require.Equal(t, "1", out.Receipt.Ref)
	require.Equal(t, 1, o.count(key))
	rows, err := p.Ledger.Rows(t.Context(), []string{key})
	require.NoError(t, err)
	require.Equal(t, effects.Completed, rows[0].State)
}

func TestC029_CommitWithoutAnswer(t *testing.T) {
	for name, fault := range map[string]func(*kindtest.Link, string){
		"the answer is lost":      (*kindtest.Link).LoseAnswers,
		"the answer is cut":       (*kindtest.Link).CutAnswers,
		"the connection is reset": (*kindtest.Link).ResetAnswers,
	} {
		t.Run(name, func(t *testing.T) {
			o := newOrders(t)
			link := kindtest.NewLink(t, o.address())
			tool, p, key := open(t, quick(declaration(o.through(link.Addr()), insert))), kindtest.NewProtocol(t), kindtest.KeyOf("C029")
			fault(link, commit)
			_, err := p.Run(t.Context(), tool, call(key, "one"), 1, "acme")
			require.Error(t, err)
			require.Equal(t, faults.Unknown, faults.ClassOf(err))
			require.Equal(t, "commit_unknown", faults.Name(err).Code)
			require.Eventually(t, func() bool { return o.count(key) == 1 }, patience, tick, "COMMIT reached the server")
			link.Heal()

			out, err := p.Run(t.Context(), tool, call(key, "one"), 2, "acme")
			require.NoError(t, err, "its own first try is no conflict and no concurrent request")
			require.True(t, out.Recovered)
			require.Equal(t, "1", out.Receipt.Ref)
			require.Equal(t, 1, o.count(key))
		})
	}
}

func TestC029_SameKeyOtherPayload(t *testing.T) {
	o := newOrders(t)
	tool, p, key := open(t, declaration(o.url, insert)), kindtest.NewProtocol(t), kindtest.KeyOf("C029")
	_, err := p.Run(t.Context(), tool, call(key, "one"), 1, "acme")
	require.NoError(t, err)

	t.Run("the ledger refuses it", func(t *testing.T) {
		_, err := p.Run(t.Context(), tool, call(key, "two"), 1, "acme")
		kindtest.RequireFault(t, err, faults.Permanent, "key_conflict")
	})
	t.Run("without the ledger's memory, the receipts table does", func(t *testing.T) {
		_, err := kindtest.NewProtocol(t).Run(t.Context(), tool, call(key, "two"), 1, "acme")
		fault := kindtest.RequireFault(t, err, faults.Permanent, "key_conflict")
		require.Equal(t, "the idempotency key was used in this database with other parameters, by action a1 of run acme/weekly-2026-W48", fault.Reason)
		require.NotErrorIs(t, err, tools.ErrAbsent)
	})
	require.Equal(t, 1, o.count(key))
	require.Equal(t, "one", ask[string](o, `SELECT note FROM orders`))
}

// A row of the key alone proves nothing.
func TestC029_ForeignReceiptIsNoProof(t *testing.T) {
	o := newOrders(t)
	key := kindtest.KeyOf("C029")
	o.exec(`INSERT INTO holdpoint_receipts VALUES ($1, 'sha256:0', 'book', 'shop/orders', 'other', 'a9', '', '', 'x', '', now())`, key)
	_, err := kindtest.Apply(t, open(t, declaration(o.url, insert)), call(key, "one"))
	kindtest.RequireFault(t, err, faults.Permanent, "key_conflict")
	require.Zero(t, o.count(key))
}

// unfinished is a transaction of a worker that does not go on: it has inserted
// the receipt and the order.
func unfinished(t *testing.T, o *orders, key string) pgx.Tx {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), o.url)
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close(context.Background()) })
	tx, err := conn.Begin(t.Context())
	require.NoError(t, err)
	fingerprint := fingerprintOf(t, call(key, "one"))
	for _, statement := range []string{
		`INSERT INTO orders (key, number) VALUES ('` + key + `', 'W-17')`,
		`INSERT INTO holdpoint_receipts VALUES ('` + key + `', '` + fingerprint + `', 'book', 'shop/orders', 'r', 'a1', '', '', 'theirs', '', now())`,
	} {
		_, err := tx.Exec(t.Context(), statement)
		require.NoError(t, err)
	}
	return tx
}

func TestZombieThatHasNotCommittedIsWaitedFor(t *testing.T) {
	o := newOrders(t)
	tool, key := open(t, declaration(o.url, insert)), kindtest.KeyOf("zombie")
	zombie := unfinished(t, o, key)

	_, err := kindtest.Apply(t, open(t, quick(declaration(o.url, insert))), call(key, "one"))
	fault := kindtest.RequireFault(t, err, faults.InProgress, "key_in_progress")
	require.Equal(t, "an earlier call of this key has not ended, or has ended just now; this one made no effect", fault.Reason)
	require.NotErrorIs(t, err, tools.ErrAbsent, "the other one may still commit")

	ended := make(chan error)
	go func() {
		for !waitsForLock(o) {
			time.Sleep(tick)
		}
		ended <- zombie.Commit(context.Background())
	}()
	receipt, err := kindtest.Apply(t, tool, call(key, "one"))
	require.NoError(t, <-ended)
	require.NoError(t, err)
	require.Equal(t, "theirs", receipt.Ref, "it committed, and its receipt counts")
	require.Equal(t, 1, o.count(key))
}

func TestZombieThatRollsBackMakesPlace(t *testing.T) {
	o := newOrders(t)
	tool, key := open(t, declaration(o.url, insert)), kindtest.KeyOf("zombie")
	zombie := unfinished(t, o, key)
	ended := make(chan error)
	go func() {
		for !waitsForLock(o) {
			time.Sleep(tick)
		}
		ended <- zombie.Rollback(context.Background())
	}()
	receipt, err := kindtest.Apply(t, tool, call(key, "one"))
	require.NoError(t, <-ended)
	require.NoError(t, err)
	require.Equal(t, "2", receipt.Ref, "the first id went with the zombie's order")
	require.Equal(t, 1, o.count(key))
}

// waitsForLock reports whether a session of this database waits for a lock.
func waitsForLock(o *orders) bool {
	return ask[bool](o, `SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')`)
}

// A worker that is suspended right before COMMIT: the server ends its session,
// so that nobody waits for it for ever.
func TestSilentTransactionIsEndedByTheServer(t *testing.T) {
	o := newOrders(t)
	silent, tool, key := open(t, quick(declaration(o.url, insert))), open(t, declaration(o.url, insert)), kindtest.KeyOf("silent")
	stopped, resumed := make(chan struct{}), make(chan struct{})
	c := call(key, "one")
	c.MayBegin = func(context.Context) error {
		close(stopped)
		<-resumed
		return nil
	}
	ended := make(chan error)
	go func() {
		_, err := kindtest.Apply(t, silent, c)
		ended <- err
	}()
	<-stopped
	receipt, err := kindtest.Apply(t, tool, call(key, "one"))
	require.NoError(t, err, "the session of the silent one is gone")
	require.Equal(t, 1, o.count(key))

	close(resumed)
	err = <-ended
	require.Error(t, err)
	require.Equal(t, faults.Transient, faults.ClassOf(err))
	require.Equal(t, 1, o.count(key))
	again, err := kindtest.Apply(t, tool, call(key, "one"))
	require.NoError(t, err)
	require.Equal(t, receipt, again)
}

// A worker that wakes up after another one took its action over.
func TestTakenOverTransactionIsNotCommitted(t *testing.T) {
	o := newOrders(t)
	superseded := &faults.Fault{Class: faults.InProgress, Code: "superseded", Reason: "another attempt took over"}
	c := call(kindtest.KeyOf("k"), "one")
	asked := 0
	c.MayBegin = func(context.Context) error {
		asked++
		require.Zero(t, o.receipts(), "nothing is committed yet")
		return superseded
	}
	_, err := kindtest.Apply(t, open(t, declaration(o.url, insert)), c)
	require.Same(t, superseded, err)
	require.Equal(t, 1, asked)
	require.Zero(t, o.count(kindtest.KeyOf("k")))
	require.Zero(t, o.receipts())
}
