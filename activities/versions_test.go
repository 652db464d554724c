package activities_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/workflows"
)

// propose plans one page of the knowledge base with a content.
func (h *house) onePage(content string) (workflows.MakePlanResult, error) {
	h.t.Helper()
	return h.propose(task(), page("report", "kb", "report.md", content))
}

// written plans one page and carries the plan out.
func (h *house) written(content string) plan.Action {
	h.t.Helper()
	p, err := h.onePage(content)
	require.NoError(h.t, err)
	h.carryOut(p)
	return h.document(p).Actions[0]
}

func keyOf(version string) string {
	return plan.Identity{
		Tenant: tenant, BusinessID: "weekly-2025-w40", Tool: "gitpages", Target: "kb/report.md", SemanticVersion: version,
	}.Key()
}

func TestAPlanOfWhatWasDoneNeedsNothing(t *testing.T) {
	h := newHouse(t)
	first := h.planned()
	h.carryOut(first)
	again := h.planned()
	require.Len(t, again.Actions, len(first.Actions))
	for i, action := range again.Actions {
		require.NotEmpty(t, action.DoneRef)
		require.Equal(t, first.Actions[i].Key, action.Key)
	}
	for _, action := range h.document(again).Actions {
		require.Equal(t, action.IdempotencyKey, action.Done.IdempotencyKey)
		require.Equal(t, "v1", action.SemanticVersion)
	}
	require.Equal(t, workflows.Completed, h.run().Status)
	require.Len(t, h.keys(), len(first.Actions))
}

func TestOtherContentIsANewVersion(t *testing.T) {
	h := newHouse(t)
	first := h.written("one\n")
	require.Equal(t, keyOf("v1"), first.IdempotencyKey)
	require.Empty(t, first.Replaces)
	commit := h.git("rev-parse", "main")

	second := h.written("two\n")
	require.Equal(t, "v2", second.SemanticVersion)
	require.Equal(t, keyOf("v2"), second.IdempotencyKey)
	require.Equal(t, "version v1 of kb/report.md, written as "+commit+" by run "+runID, second.Replaces)
	require.Nil(t, second.Done, "an approval is needed")
	require.Equal(t, "two", h.git("show", "main:report.md"))
	require.Equal(t, []string{keyOf("v2"), keyOf("v1")}, h.keys())
}

// A page that was written as A, then as B, and is wanted as A again is not
// done: B stands there now.
func TestAnOlderVersionOfTheSameContentIsNotDone(t *testing.T) {
	h := newHouse(t)
	h.written("A\n")
	h.written("B\n")
	third := h.written("A\n")
	require.Equal(t, "v3", third.SemanticVersion)
	require.Nil(t, third.Done)
	require.Contains(t, third.Replaces, "version v2 of kb/report.md")
	require.Equal(t, "A", h.git("show", "main:report.md"))

	p, err := h.onePage("A\n")
	require.NoError(t, err)
	done := h.document(p).Actions[0]
	require.Equal(t, keyOf("v3"), done.Done.IdempotencyKey, "the newest one has this content")
	require.Empty(t, done.Replaces, "nothing is written")
}

// Over an unknown outcome no version is raised.
func TestInDoubtIsSettledBeforeAnythingElse(t *testing.T) {
	h := newHouse(t)
	p, err := h.onePage("one\n")
	require.NoError(t, err)
	h.inDoubt(p, 0)

	_, err = h.onePage("two\n")
	app := refused(t, err, faults.Permanent, "in_doubt")
	require.Contains(t, app.Message(), "kb/report.md")
	require.Contains(t, app.Message(), runID)
	rows, err := h.acts.Effects.Ledger.Rows(t.Context(), []string{keyOf("v1"), keyOf("v2")})
	require.NoError(t, err)
	require.Len(t, rows, 1, "no second version")

	same, err := h.onePage("one\n")
	require.NoError(t, err)
	require.Empty(t, same.Actions[0].DoneRef)
	require.Equal(t, keyOf("v1"), same.Actions[0].Key, "planned under its key; execution recovers it")
	out, err := h.execute(h.action(same, 0))
	require.NoError(t, err)
	require.True(t, out.Recovered)
	require.Equal(t, []string{keyOf("v1")}, h.keys())
}

// A second version in doubt says what it replaces, and is not mistaken for the
// first when that one is wanted again.
func TestASecondVersionInDoubt(t *testing.T) {
	h := newHouse(t)
	h.written("one\n")
	p, err := h.onePage("two\n")
	require.NoError(t, err)
	h.inDoubt(p, 0)

	_, err = h.onePage("one\n")
	refused(t, err, faults.Permanent, "in_doubt")
	same, err := h.onePage("two\n")
	require.NoError(t, err)
	action := h.document(same).Actions[0]
	require.Equal(t, keyOf("v2"), action.IdempotencyKey)
	require.Contains(t, action.Replaces, "version v1 of kb/report.md")
}

// What was surely not written leaves no trace in the next plan.
func TestAReleasedVersionIsPlannedAsNew(t *testing.T) {
	h := newHouse(t)
	h.written("one\n")
	p, err := h.onePage("two\n")
	require.NoError(t, err)
	begun, err := h.acts.Effects.Ledger.Begin(t.Context(), effects.Claim{
		Key: p.Actions[0].Key, Fingerprint: plan.Sum([]byte("two")), RunID: runID, ActionID: "report", Lease: 1 << 30,
	})
	require.NoError(t, err)
	require.NoError(t, h.acts.Effects.Ledger.Release(t.Context(), p.Actions[0].Key, begun.Token, "refused"))

	three, err := h.onePage("three\n")
	require.NoError(t, err)
	require.Equal(t, keyOf("v2"), three.Actions[0].Key)
	one, err := h.onePage("one\n")
	require.NoError(t, err)
	require.Equal(t, keyOf("v1"), one.Actions[0].Key)
	require.NotEmpty(t, one.Actions[0].DoneRef)
}

func TestTheTasksOwnVersionIsAnotherEffect(t *testing.T) {
	h := newHouse(t)
	h.written("one\n")
	special := task()
	special.SemanticVersion = "corrected"
	p, err := h.propose(special, page("report", "kb", "report.md", "one\n"))
	require.NoError(t, err)
	require.Equal(t, keyOf("corrected"), p.Actions[0].Key)
	require.Empty(t, p.Actions[0].DoneRef)
}
