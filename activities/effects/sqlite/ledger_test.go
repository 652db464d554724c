package sqlite_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/effects/ledgertest"
	"github.com/holdpoint/holdpoint/activities/effects/sqlite"
)

func TestConformance(t *testing.T) {
	ledgertest.Run(t, func(t *testing.T) effects.Ledger {
		return open(t, filepath.Join(t.TempDir(), "effects.db"))
	})
}

func open(t *testing.T, path string) *sqlite.Ledger {
	t.Helper()
	l, err := sqlite.Open(t.Context(), path)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, l.Close()) })
	return l
}
