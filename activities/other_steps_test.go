package activities_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities"
	"github.com/holdpoint/holdpoint/activities/effects/sqlite"
	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/approvals/policy"
	"github.com/holdpoint/holdpoint/workflows"
)

// Each opening of the gate is a request of its own, and the policy that it
// names can be looked up later.
func TestRequestApproval(t *testing.T) {
	h := newHouse(t)
	h.note("a.md", "# A")
	made := h.planned()
	ask := func() (out workflows.RequestApprovalResult) {
		require.NoError(t, h.do(string(workflows.RequestApproval), workflows.RequestApprovalInput{
			RunID: runID, Task: task(), PlanHash: made.PlanHash, Blob: made.Blob,
		}, &out))
		return out
	}
	first, second := ask(), ask()
	require.NotEqual(t, first.RequestID, second.RequestID)
	require.GreaterOrEqual(t, len(first.RequestID), 20)
	require.Equal(t, h.acts.Policy.Version(), first.Terms.Version)
	require.Equal(t, "1 of approvers", first.Terms.Asks())
	kept, err := os.ReadFile(h.blobFile(plan.Sum(h.acts.Policy.Canonical())))
	require.NoError(t, err)
	require.Equal(t, h.acts.Policy.Canonical(), kept)
}

// Terms that no event could carry are refused before anybody is asked.
func TestRequestApprovalOfTooManyPeople(t *testing.T) {
	h := newHouse(t)
	h.note("a.md", "# A")
	made := h.planned()
	var file strings.Builder
	file.WriteString("label: crowd\ndefault: {quorums: [1 of g0, 1 of g1, 1 of g2, 1 of g3], decide_within: 1h, grant_life: 1h}\ngroups:\n")
	for group := range 4 {
		fmt.Fprintf(&file, "  g%d:\n    members:\n", group)
		for person := range 100 {
			fmt.Fprintf(&file, "      - p%03d-%d-%s\n", person, group, strings.Repeat("x", 240))
		}
	}
	crowd, err := policy.Parse([]byte(file.String()), "policy.yaml", nil)
	require.NoError(t, err)
	h.acts.Policy = crowd
	err = h.do(string(workflows.RequestApproval), workflows.RequestApprovalInput{RunID: runID, Task: task(), PlanHash: made.PlanHash, Blob: made.Blob}, nil)
	require.ErrorContains(t, err, "at most 49152 fit a history")

	many, err := policy.Parse([]byte("label: many\ndefault: {quorums: [21 of all], decide_within: 1h, grant_life: 1h}\ngroups:\n  all: {members: ["+
		"a0,a1,a2,a3,a4,a5,a6,a7,a8,a9,b0,b1,b2,b3,b4,b5,b6,b7,b8,b9,c0]}\n"), "policy.yaml", nil)
	require.NoError(t, err)
	h.acts.Policy = many
	err = h.do(string(workflows.RequestApproval), workflows.RequestApprovalInput{RunID: runID, Task: task(), PlanHash: made.PlanHash, Blob: made.Blob}, nil)
	require.ErrorContains(t, err, "asks 21 people about this plan (21 of all); at most 20 are possible")
}

func (h *house) summarize(p workflows.MakePlanResult) (out workflows.SummarizeResult, err error) {
	h.t.Helper()
	grant := h.grant(p.PlanHash)
	err = h.do(string(workflows.Summarize), workflows.SummarizeInput{
		RunID: runID, Task: task(), PlanHash: p.PlanHash, Blob: p.Blob, Grant: &grant,
	}, &out)
	return out, err
}

func TestSummarizeReportsReceiptsAndCountsAtTheTarget(t *testing.T) {
	h := newHouse(t)
	p := h.planned()
	h.carryOut(p)
	summary, err := h.summarize(p)
	require.NoError(t, err)
	require.Equal(t, 3, summary.EffectCount)
	require.Zero(t, summary.Uncounted)

	raw, err := h.acts.Blobs.Get(t.Context(), tenant, summary.Report.Digest, summary.Report.Size)
	require.NoError(t, err)
	var report activities.Report
	require.NoError(t, json.Unmarshal(raw, &report))
	require.Equal(t, p.PlanHash, report.PlanHash)
	require.Equal(t, "bo.lin", report.Approval.Approvals[0].Approver)
	commits := h.git("rev-list", "main")
	for i, action := range report.Actions {
		require.Equal(t, p.Actions[i].ID, action.ID)
		require.Equal(t, p.Actions[i].Key, action.Receipt.IdempotencyKey)
		require.Contains(t, commits, action.Receipt.Ref)
		require.Equal(t, 1, action.Effects)
	}
}

// A run is not summarized from what it should have done.
func TestSummarizeWithoutEveryReceipt(t *testing.T) {
	t.Run("an action is not done", func(t *testing.T) {
		h := newHouse(t)
		p := h.planned()
		_, err := h.execute(h.action(p, 0))
		require.NoError(t, err)
		_, err = h.summarize(p)
		require.Contains(t, refused(t, err, faults.Permanent, "no_receipt").Message(), p.Actions[1].ID)
	})
	t.Run("an action is in doubt", func(t *testing.T) {
		h := newHouse(t)
		p := h.planned()
		h.inDoubt(p, 0)
		_, err := h.summarize(p)
		refused(t, err, faults.Permanent, "no_receipt")
	})
	t.Run("another ledger", func(t *testing.T) {
		h := newHouse(t)
		p := h.planned()
		h.carryOut(p)
		empty, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "other.db"))
		require.NoError(t, err)
		defer empty.Close()
		h.acts.Effects.Ledger = empty
		_, err = h.summarize(p)
		require.Contains(t, refused(t, err, faults.Permanent, "no_receipt").Message(), "is this the ledger")
	})
	t.Run("another plan", func(t *testing.T) {
		h := newHouse(t)
		p := h.planned()
		h.carryOut(p)
		h.rewrite(h.blobFile(p.PlanHash), func(raw string) string { return raw + " " })
		_, err := h.summarize(p)
		refused(t, err, faults.Permanent, "plan_changed")
	})
}

// The server hears of an attempt that takes long, without the tool's help.
func TestALongAttemptHeartbeats(t *testing.T) {
	h := newHouse(t)
	p := h.planned()
	alive := make(chan struct{}, 1)
	h.beat = sync.OnceFunc(func() { alive <- struct{}{} })
	h.pages.apply = func(ctx context.Context, c tools.Call) (plan.Receipt, error) {
		select {
		case <-alive:
			return h.pages.Tool.Apply(ctx, c)
		case <-ctx.Done():
			return plan.Receipt{}, ctx.Err()
		}
	}
	out, err := h.execute(h.action(p, 0))
	require.NoError(t, err)
	require.Equal(t, workflows.OutcomeDone, out.Outcome)
}
