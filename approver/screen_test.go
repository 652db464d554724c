package main

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/runs"
	"github.com/holdpoint/holdpoint/workflows"
)

// hostile stands in every text that somebody else may have written.
const hostile = "\x1b]0;owned\a\x1b[2J\r\u202e\u009b31m"

func TestNothingHostileReachesTheScreen(t *testing.T) {
	at := time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)
	screens := map[string]func(out *bytes.Buffer){
		"list": func(out *bytes.Buffer) {
			listed := []runs.Listed{{ID: "acme/x" + hostile, Risk: hostile, PlanHash: hostile}}
			require.NoError(t, new(session).printList(out, listed))
		},
		"show": func(out *bytes.Buffer) {
			status := workflows.Status{
				RunID: "acme/x", Status: workflows.WaitingApproval, DecideBy: &at,
				Approvers: []string{"bo" + hostile}, Approver: "bo.lin",
			}
			require.NoError(t, show(out, &runs.Run{ID: "acme/x", Status: status}, plan.Plan{Goal: hostile}))
		},
	}
	for name, screen := range screens {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			screen(&out)
			require.Contains(t, out.String(), `\u{001B}]0;owned`)
			for _, c := range out.String() {
				require.False(t, c < ' ' && c != '\n' || c >= 0x7f && c < 0xa0 || c == '\u202e', "%q in %q", c, out.String())
			}
		})
	}
}

// The command that is shown is one that works: the first on the list may be
// the requester, who may not approve.
func TestShowNamesOneWhoMayApprove(t *testing.T) {
	at := time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)
	var out bytes.Buffer
	require.NoError(t, show(&out, &runs.Run{ID: "acme/x", Status: workflows.Status{
		RunID: "acme/x", Status: workflows.WaitingApproval, DecideBy: &at,
		Approvers: []string{"ann.wu", "bo.lin"}, Approver: "bo.lin",
	}}, plan.Plan{}))
	require.Contains(t, out.String(), `"approver":"bo.lin"`)
}
