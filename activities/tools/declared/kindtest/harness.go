package kindtest

import (
	"context"
	"io"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/effects/sqlite"
	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/activities/tools/declared"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// Declare makes the tool of a name by its declaration's text, which ends with
// the test, or says what is wrong with the text.
func Declare(tb testing.TB, name, text string, kind declared.Kind) (tools.Tool, error) {
	tb.Helper()
	var node yaml.Node
	require.NoError(tb, yaml.Unmarshal([]byte(text), &node))
	tool, err := declared.New(name, "holdpoint.yaml", node.Content[0], []declared.Kind{kind})
	if closer, ok := tool.(io.Closer); ok && err == nil {
		tb.Cleanup(func() { require.NoError(tb, closer.Close()) })
	}
	return tool, err
}

// KeyOf makes an idempotency key of a name.
func KeyOf(name string) string { return plan.Sum([]byte(name)).Hex()[:40] }

// Apply makes one call past the protocol, within the tool's time for it.
func Apply(tb testing.TB, tool tools.Tool, c tools.Call) (plan.Receipt, error) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), tool.Spec().CallTimeout)
	defer cancel()
	return tool.Apply(ctx, c)
}

// RequireFault wants an error to be a fault, with nothing around it.
func RequireFault(tb testing.TB, err error, class faults.Class, code string) *faults.Fault {
	tb.Helper()
	require.Error(tb, err)
	fault, ok := err.(*faults.Fault) //nolint:errorlint // the contract is the type itself
	require.True(tb, ok, "%T", err)
	require.Equal(tb, []any{class, code}, []any{fault.Class, fault.Code}, fault.Reason)
	return fault
}

// NewProtocol has a ledger of its own, and leases that a test can wait for.
func NewProtocol(tb testing.TB) *effects.Protocol {
	tb.Helper()
	return &effects.Protocol{
		Ledger: newLedger(tb), Owner: "test", Lease: 500 * time.Millisecond, Renew: 100 * time.Millisecond,
	}
}

func newLedger(tb testing.TB) effects.Ledger {
	tb.Helper()
	ledger, err := sqlite.Open(tb.Context(), filepath.Join(tb.TempDir(), "effects.db"))
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, ledger.Close()) })
	return ledger
}

// Retried makes attempts after the first one until one is the last, with the
// waits that they ask for and no shorter ones than shortestPause.
func Retried(tb testing.TB, p *effects.Protocol, tool tools.Tool, c tools.Call) (effects.Outcome, error) {
	tb.Helper()
	for number := 2; number < mostAttempts; number++ {
		out, err := p.Run(tb.Context(), tool, c, number, "acme")
		if err == nil || faults.Final(err) {
			return out, err
		}
		time.Sleep(max(faults.Name(err).RetryAfter, shortestPause))
	}
	require.Fail(tb, "the action did not end")
	return effects.Outcome{}, nil
}
