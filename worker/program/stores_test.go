package program

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/config"
	"github.com/holdpoint/holdpoint/internal/pgtest"
	"github.com/holdpoint/holdpoint/internal/secrets"
)

// The ledger is a file unless a database is named, whose address is a secret.
func TestLedgerIsWhereTheConfigurationSays(t *testing.T) {
	t.Run("file", func(t *testing.T) {
		cfg := config.Default()
		cfg.Data = t.TempDir()
		keepsAKey(t, cfg)
		require.FileExists(t, filepath.Join(cfg.Data, "ledger.db"))
	})
	t.Run("database", func(t *testing.T) {
		t.Setenv("HP_LEDGER", pgtest.Start(t).NewDatabase(t))
		cfg := config.Default()
		cfg.Data = t.TempDir()
		cfg.Ledger = reference(t, "${env:HP_LEDGER}")
		keepsAKey(t, cfg)
		require.NoFileExists(t, filepath.Join(cfg.Data, "ledger.db"))
	})
}

func TestLedgerWhoseAddressIsMissing(t *testing.T) {
	require.NoError(t, os.Unsetenv("HP_LEDGER_ABSENT"))
	cfg := config.Default()
	cfg.Data = t.TempDir()
	cfg.Ledger = reference(t, "${env:HP_LEDGER_ABSENT}")
	_, _, err := openStores(t.Context(), cfg)
	require.EqualError(t, err, "ledger: the environment variable HP_LEDGER_ABSENT is not set")
}

// keepsAKey claims a key, and sees it when the stores are opened again.
func keepsAKey(t *testing.T, cfg config.Config) {
	t.Helper()
	for attempt := range 2 {
		store, ledger, err := openStores(t.Context(), cfg)
		require.NoError(t, err)
		rows, err := ledger.Rows(t.Context(), []string{"k"})
		require.NoError(t, err)
		require.Len(t, rows, attempt)
		if attempt == 0 {
			_, err = ledger.Begin(t.Context(), effects.Claim{
				Key: "k", Fingerprint: plan.Sum([]byte("x")), Tenant: "acme", RunID: "acme/r", ActionID: "a", Tool: "t",
				Target: "t/x", Attempt: 1, Owner: "test", Lease: time.Second, Quiet: time.Second,
			})
			require.NoError(t, err)
		}
		require.NoError(t, ledger.Close())
		require.NoError(t, store.Close())
	}
}

func reference(t *testing.T, text string) secrets.Text {
	t.Helper()
	parsed, err := secrets.Parse(text)
	require.NoError(t, err)
	return parsed
}
