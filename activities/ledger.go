package activities

import (
	"context"

	"github.com/holdpoint/holdpoint/activities/effects"
)

// checkedLedgerID is the identity of this worker's ledger, if it is the one wanted.
func (a *Activities) checkedLedgerID(ctx context.Context, wanted string) (string, error) {
	identity, err := a.Effects.Ledger.Identity(ctx)
	if err != nil {
		return "", err
	}
	return identity, effects.CheckIdentity(wanted, identity)
}
