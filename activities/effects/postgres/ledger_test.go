package postgres_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/effects/ledgertest"
	"github.com/holdpoint/holdpoint/activities/effects/postgres"
	"github.com/holdpoint/holdpoint/internal/pgtest"
)

// cluster serves all tests but those that stop their server; mortal serves
// these, and is left running by each.
var (
	cluster pgtest.Shared
	mortal  = pgtest.Shared{Options: pgtest.Options{Durable: true}}
)

func TestMain(m *testing.M) {
	if address := os.Getenv(claimerVariable); address != "" {
		if err := claimAll(address); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	code := cluster.Run(m)
	if err := mortal.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	os.Exit(code)
}

func TestConformance(t *testing.T) {
	address := cluster.Server(t).NewDatabase(t)
	n := 0
	ledgertest.Run(t, func(t *testing.T) effects.Ledger {
		n++ // a schema is made faster than a database, and is apart as well
		schema := fmt.Sprint("ledger_", n)
		execute(t, address, `CREATE SCHEMA `+schema)
		return open(t, address+"&search_path="+schema)
	})
}

func open(t *testing.T, url string) *postgres.Ledger {
	t.Helper()
	l, err := postgres.Open(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, l.Close()) })
	return l
}
