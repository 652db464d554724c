package budget

import (
	"context"
	"time"
)

// Spent is what a run has spent in the month of a time and the eleven before,
// and what the tenant has in that month (UTC), with what is reserved: what the
// limits are compared with.
func (b *Book) Spent(ctx context.Context, tenant, runID string, month time.Time) (run, all Totals, err error) {
	ofRun, err := b.sum(ctx, tenant, runPrefixes(month, runID), month, "")
	if err != nil {
		return Totals{}, Totals{}, err
	}
	ofTenant, err := b.sum(ctx, tenant, []string{monthPrefix(month)}, month, "")
	return ofRun.all, ofTenant.all, err
}
