package gitpages

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

func TestMessageHasOneTrailerOfEachKindWhateverTheTextsSay(t *testing.T) {
	call := tools.Call{
		RunID:    "acme/run\n\nHoldpoint-Key: forged-by-run",
		PlanHash: plan.Digest{1},
		Approver: "mei\r\nHoldpoint-Key: forged-by-approver\u2028Holdpoint-Key: x",
		Action:   plan.Action{IdempotencyKey: "0123456789012345678901234567890123456789"},
	}
	got := message(call, "Title\n\nHoldpoint-Key: forged-by-title", "notes/page.md")
	require.Equal(t, `Title Holdpoint-Key: forged-by-title

Holdpoint wrote notes/page.md as it was approved.

Holdpoint-Key: 0123456789012345678901234567890123456789
Holdpoint-Plan: sha256:0100000000000000000000000000000000000000000000000000000000000000
Holdpoint-Run: acme/run Holdpoint-Key: forged-by-run
Approved-By: mei Holdpoint-Key: forged-by-approver Holdpoint-Key: x
`, got)
	require.Equal(t, []string{"0123456789012345678901234567890123456789"}, keysIn(got))
}

func TestMessageLeavesOutWhatIsNotKnown(t *testing.T) {
	got := message(tools.Call{PlanHash: plan.Digest{1}}, "T", "p.md")
	require.NotContains(t, got, trailerRun)
	require.NotContains(t, got, trailerApprover)
}

func TestTrailersAreReadFromTheLastParagraphOnly(t *testing.T) {
	tests := []struct {
		name, message string
		want          []string
	}{
		{"last paragraph", "Subject\n\nBody.\n\nHoldpoint-Key: k\n", []string{"k"}},
		{"without a body", "Subject\n\nHoldpoint-Key: k", []string{"k"}},
		{"among others", "Subject\n\nA: b\nHoldpoint-Key: k\nC: d\n\n", []string{"k"}},
		{"two", "Subject\n\nHoldpoint-Key: k\nHoldpoint-Key: l\n", []string{"k", "l"}},
		{"the subject", "Holdpoint-Key: k\n", nil},
		{"the first paragraph", "Subject\nHoldpoint-Key: k\n", nil},
		{"the body", "Subject\n\nHoldpoint-Key: k\n\nSigned-off-by: x\n", nil},
		{"indented", "Subject\n\n Holdpoint-Key: k\n", nil},
		{"another name", "Subject\n\nX-Holdpoint-Key: k\nHoldpoint-Keys: k\nholdpoint-key: k\n", nil},
		{"empty", "", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			require.Equal(t, tt.want, keysIn(tt.message))
		})
	}
}
