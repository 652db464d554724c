package effects_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/effects/sqlite"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// BenchmarkOverheadOnSQLite is what the protocol adds to an action beside the
// tool's own call, with its ledger in a SQLite file: the median in
// microseconds, and how often the ledger is asked.
func BenchmarkOverheadOnSQLite(b *testing.B) {
	ledger, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "effects.db"))
	require.NoError(b, err)
	defer ledger.Close()
	counted := &counting{Ledger: ledger}
	p := &effects.Protocol{Ledger: counted, Owner: "bench", Lease: 3 * time.Second}

	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		call := theCall()
		call.Action.IdempotencyKey = fmt.Sprintf("%040x", i)
		receipt := theReceipt
		receipt.IdempotencyKey = call.Action.IdempotencyKey
		var inTool time.Duration
		tool := &scripted{apply: func(context.Context) (plan.Receipt, error) {
			since := time.Now()
			defer func() { inTool = time.Since(since) }()
			return receipt, nil
		}}
		since := time.Now()
		_, err := p.Run(b.Context(), tool, call, 1, "acme")
		took = append(took, time.Since(since)-inTool)
		require.NoError(b, err)
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Nanoseconds())/1e3, "µs/action(median)")
	b.ReportMetric(float64(counted.calls.Load())/float64(len(took)), "ledger-calls/action")
}
