package effects

import (
	"fmt"

	"github.com/holdpoint/holdpoint/activities/faults"
)

// The codes of a ledger that cannot be asked now. The effect is none the nearer
// or farther for them, so they spend none of a tool's attempts.
const (
	// CodeUnavailable is a ledger that does not answer, or cannot be written.
	CodeUnavailable = "ledger_unavailable"
	// CodeOtherLedger is a ledger that holds other data than those by which the
	// plan was made: what is not in it may well have happened.
	CodeOtherLedger = "other_ledger"
)

// CheckIdentity compares the ledger that a claim or a settlement is for with
// the one that has it. The zero identity is that of plans that were made before
// ledgers had any, and is content with every ledger.
func CheckIdentity(wanted, here string) error {
	if wanted == "" || wanted == here {
		return nil
	}
	return &faults.Fault{
		Class: faults.Transient, Code: CodeOtherLedger,
		Reason: fmt.Sprintf("this worker's ledger is %.8s…, and the plan was made with %.8s…: nothing is sent; give the worker its ledger back, "+
			"or, when the rows were moved, move the identity with them (docs/ledger.md)", here, wanted),
	}
}

// ledgerIsAway reports errors of a ledger that cannot be asked now.
func ledgerIsAway(err error) bool {
	code := faults.Name(err).Code
	return code == CodeUnavailable || code == CodeOtherLedger
}
