package ledgertest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/effects"
)

// Benchmark measures what a ledger adds to an action that goes well: one Begin
// and one Complete. It prints the median as ms/action, for a caller alone, for
// many at a time, and for what no ledger can save: two waits for the disk.
func Benchmark(b *testing.B, l effects.Ledger) {
	var n atomic.Int64 // keys are never used twice
	action := func(b *testing.B) time.Duration {
		b.Helper()
		key := fmt.Sprintf("%s-%d-%d", b.Name(), b.N, n.Add(1))
		start := time.Now()
		begun, err := l.Begin(b.Context(), claim(key, long))
		require.NoError(b, err)
		require.NoError(b, l.Complete(b.Context(), key, begun.Token, receipt(key)))
		return time.Since(start)
	}
	b.Run("one caller", func(b *testing.B) {
		var took []time.Duration
		for b.Loop() {
			took = append(took, action(b))
		}
		report(b, took)
	})
	b.Run(fmt.Sprint(callers, " callers"), func(b *testing.B) {
		took := make([]time.Duration, b.N)
		var next atomic.Int64
		allAtOnce(func(int) {
			for i := int(next.Add(1)) - 1; i < b.N; i = int(next.Add(1)) - 1 {
				took[i] = action(b)
			}
		})
		report(b, took)
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "actions/s")
	})
	b.Run("the disk alone", waits)
}

// waits measures two writes that are on the disk when they return.
func waits(b *testing.B) {
	f, err := os.Create(filepath.Join(b.TempDir(), "disk"))
	require.NoError(b, err)
	defer f.Close()
	page := make([]byte, 8192)
	var took []time.Duration
	for b.Loop() {
		start := time.Now()
		for range 2 {
			_, err := f.WriteAt(page, 0)
			require.NoError(b, err)
			require.NoError(b, f.Sync())
		}
		took = append(took, time.Since(start))
	}
	report(b, took)
}

func report(b *testing.B, took []time.Duration) {
	b.Helper()
	slices.Sort(took)
	median := took[len(took)/2]
	b.ReportMetric(float64(median)/float64(time.Millisecond), "ms/action")
}
