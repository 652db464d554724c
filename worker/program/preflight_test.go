package program

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/internal/config"
	"github.com/holdpoint/holdpoint/internal/secrets"
)

// Files cannot be the stores of workers on several machines, unless the
// operator says that there is only this one.
func TestFileStoresNeedAServerOnThisMachine(t *testing.T) {
	cfg := config.Default()
	for _, here := range []string{"localhost:7233", "127.0.0.1:7233", "127.1.2.3:7233", "[::1]:7233"} {
		require.NoError(t, storesInReach(here, cfg), here)
	}
	for _, elsewhere := range []string{"temporal:7233", "10.0.0.7:7233", "acme.tmprl.cloud:7233", "localhost.example.com:7233"} {
		require.ErrorContains(t, storesInReach(elsewhere, cfg), "single_machine: true", elsewhere)
	}
	err := storesInReach("temporal:7233", cfg)
	require.ErrorContains(t, err, "the blob store and the ledger in .holdpoint would be")
	ledger, err := secrets.Parse("postgres://db/holdpoint")
	require.NoError(t, err)
	cfg.Ledger = ledger
	err = storesInReach("temporal:7233", cfg)
	require.ErrorContains(t, err, "the blob store in .holdpoint would be", "the ledger is a database, and in reach")
	cfg.Blobs.URL = "s3://acme-holdpoint"
	require.NoError(t, storesInReach("temporal:7233", cfg), "both are in reach")
	cfg.Ledger = secrets.Text{}
	require.ErrorContains(t, storesInReach("temporal:7233", cfg), "but the ledger in .holdpoint would be")
	cfg.Blobs.URL = "file:///srv/blobs"
	require.ErrorContains(t, storesInReach("temporal:7233", cfg), "the blob store and the ledger", "another folder is a folder")
	cfg.SingleMachine = true
	require.NoError(t, storesInReach("temporal:7233", cfg))
}
