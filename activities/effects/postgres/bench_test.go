package postgres_test

import (
	"testing"

	"github.com/holdpoint/holdpoint/activities/effects/ledgertest"
	"github.com/holdpoint/holdpoint/activities/effects/postgres"
)

// On the disk of TMPDIR, with fsync; a tmpfs measures nothing.
func BenchmarkLedger(b *testing.B) {
	l, err := postgres.Open(b.Context(), mortal.Server(b).NewDatabase(b))
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	ledgertest.Benchmark(b, l)
}
