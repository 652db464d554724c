package postgres_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/effects/ledgertest"
)

// Connections are killed all the time, and no caller notices.
func TestStormWithKilledConnections(t *testing.T) {
	s := cluster.Server(t)
	address := s.NewDatabase(t)
	ledgers := []effects.Ledger{open(t, address), open(t, address)}
	killed := 0
	conn := connect(t, address)
	failed := ledgertest.Storm(t, ledgers, func(ctx context.Context) {
		// A busy machine, too, must come through with a call between two kills.
		for wait(ctx, 200*time.Millisecond) {
			var n int
			err := conn.QueryRow(context.WithoutCancel(ctx), `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
				WHERE datname = current_database() AND pid <> pg_backend_pid() AND random() < 0.3`).Scan(&n)
			if err == nil {
				killed += n
			}
		}
	})
	require.Zero(t, failed)
	require.Positive(t, killed)
	t.Logf("%d connections killed", killed)
}

// The server is killed, and starts again, twice.
func TestStormWithKilledServer(t *testing.T) {
	s := mortal.Server(t)
	address := s.NewDatabase(t)
	ledgers := []effects.Ledger{open(t, address), open(t, address)}
	kills := 0
	failed := ledgertest.Storm(t, ledgers, func(ctx context.Context) {
		for kills < 2 && wait(ctx, 200*time.Millisecond) {
			if s.Kill() != nil || s.Start(context.WithoutCancel(ctx)) != nil {
				return // the storm does not end then, and says so
			}
			kills++
		}
	})
	require.Positive(t, kills)
	t.Logf("%d kills, %d calls that did not reach the server", kills, failed)
}

// wait reports whether the context let it.
func wait(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
