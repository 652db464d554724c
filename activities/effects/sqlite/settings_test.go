package sqlite

import (
	"database/sql"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// A receipt that was acknowledged survives a loss of power only with these.
func TestConnectionSettings(t *testing.T) {
	l, err := Open(t.Context(), filepath.Join(t.TempDir(), "effects.db"))
	require.NoError(t, err)
	defer l.Close()
	for pragma, want := range map[string]string{
		"journal_mode":   "wal",
		"synchronous":    "2", // FULL
		"busy_timeout":   "5000",
		"application_id": "1215261796", // "Hold", big-endian
		"user_version":   "4",
	} {
		var got string
		require.NoError(t, l.db.QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(&got))
		require.Equal(t, want, got, pragma)
	}
}

// Another process that holds the write lock for too long is a reason to come
// back, not to fail.
func TestBusyLedgerIsTransient(t *testing.T) {
	path := filepath.Join(t.TempDir(), "effects.db")
	l, err := open(t.Context(), path, 500*time.Millisecond)
	require.NoError(t, err)
	defer l.Close()
	blocker, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	defer blocker.Close()
	blocker.SetMaxOpenConns(1)
	_, err = blocker.ExecContext(t.Context(), `BEGIN IMMEDIATE`)
	require.NoError(t, err)

	claim := effects.Claim{Key: "k", Fingerprint: plan.Sum(nil), Lease: time.Hour}
	_, err = l.Begin(t.Context(), claim)
	require.Equal(t, faults.Transient, faults.ClassOf(err))
	require.ErrorContains(t, err, "SQLITE_BUSY")

	_, err = blocker.ExecContext(t.Context(), `ROLLBACK`)
	require.NoError(t, err)
	begun, err := l.Begin(t.Context(), claim)
	require.NoError(t, err)
	require.Positive(t, begun.Token)
}
