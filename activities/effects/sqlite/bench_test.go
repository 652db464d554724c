package sqlite_test

import (
	"path/filepath"
	"testing"

	"github.com/holdpoint/holdpoint/activities/effects/ledgertest"
	"github.com/holdpoint/holdpoint/activities/effects/sqlite"
)

// On the disk of TMPDIR; a tmpfs measures nothing.
func BenchmarkLedger(b *testing.B) {
	l, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "effects.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	ledgertest.Benchmark(b, l)
}
