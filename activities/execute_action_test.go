package activities_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/workflows"
)

func TestExecuteActionWritesOnceAndAnswersWithTheReceipt(t *testing.T) {
	h := newHouse(t)
	p := h.planned()
	in := h.action(p, 0)
	first, err := h.execute(in)
	require.NoError(t, err)
	require.Equal(t, workflows.OutcomeDone, first.Outcome)
	require.False(t, first.Duplicate)
	require.Equal(t, in.Key, first.Receipt.IdempotencyKey)
	require.Equal(t, h.git("rev-parse", "main"), first.Receipt.Ref, "the receipt names the commit")

	again, err := h.execute(in)
	require.NoError(t, err)
	require.True(t, again.Duplicate)
	require.Equal(t, first.Receipt, again.Receipt)
	require.Equal(t, []string{in.Key}, h.keys())
	require.EqualValues(t, 1, h.pages.applied.Load())
}

// Approve A, execute B: never. Whatever became of the stored plan, the
// executor reads it again and verifies every byte before each action.
func TestC014_StoredPlanIsNotTheApprovedOne(t *testing.T) {
	change := func(f func(raw []byte) []byte) func(*house, *workflows.ExecuteActionInput) {
		return func(h *house, in *workflows.ExecuteActionInput) {
			file := h.blobFile(in.PlanHash)
			raw, err := os.ReadFile(file)
			require.NoError(h.t, err)
			changed := f(raw)
			require.NotEqual(h.t, raw, changed)
			require.NoError(h.t, os.WriteFile(file, changed, 0o600))
		}
	}
	for name, tc := range map[string]struct {
		tamper     func(*house, *workflows.ExecuteActionInput)
		code, says string
	}{
		"another amount": {
			change(func(raw []byte) []byte { return []byte(strings.ReplaceAll(string(raw), "82000", "820000")) }),
			"plan_changed", "plan changed after approval",
		},
		"an amount of the same length": {
			change(func(raw []byte) []byte { return []byte(strings.ReplaceAll(string(raw), "82000", "92000")) }),
			"plan_changed", "plan changed after approval",
		},
		"another action first": {
			change(func(raw []byte) []byte {
				return []byte(strings.Replace(string(raw), `"actions":[`, `"actions":[{},`, 1))
			}),
			"plan_changed", "plan changed after approval",
		},
		"a space behind it": {
			change(func(raw []byte) []byte { return append(raw, ' ') }),
			"plan_changed", "plan changed after approval",
		},
		"cut off": {
			change(func(raw []byte) []byte { return raw[:len(raw)/2] }),
			"plan_changed", "plan changed after approval",
		},
		"emptied": {
			change(func([]byte) []byte { return nil }),
			"plan_changed", "plan changed after approval",
		},
		"larger than any plan": {
			change(func(raw []byte) []byte { return append(raw, make([]byte, plan.MaxBytes)...) }),
			"plan_changed", "plan changed after approval",
		},
		"another address": {
			func(h *house, in *workflows.ExecuteActionInput) {
				h.note("billing.md", "# Billing\n\n## 2025-09-30\n\n- planned: one transfer of amount 820000\n")
				in.Blob = h.planned().Blob
			},
			"plan_changed", "plan changed after approval",
		},
		"missing": {
			func(h *house, in *workflows.ExecuteActionInput) {
				require.NoError(h.t, os.Remove(h.blobFile(in.PlanHash)))
			},
			"blob_missing", "is not in the blob store",
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			p := h.planned()
			in := h.action(p, 0)
			tc.tamper(h, &in)
			_, err := h.execute(in)
			app := refused(t, err, faults.Permanent, tc.code)
			require.Contains(t, app.Message(), tc.says)
			require.NotContains(t, app.Message(), "820000")
			require.NotContains(t, app.Message(), h.dir)
			h.nothingWritten(in.Key)
		})
	}
}

// The plan that an earlier action was taken from may be remembered decoded;
// its bytes are read and verified each time all the same.
func TestC014_PlanChangedBetweenTwoActions(t *testing.T) {
	h := newHouse(t)
	p := h.planned()
	first, second := h.action(p, 0), h.action(p, 1)
	_, err := h.execute(first)
	require.NoError(t, err)
	raw, err := os.ReadFile(h.blobFile(p.PlanHash))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(h.blobFile(p.PlanHash), []byte(strings.ReplaceAll(string(raw), "82000", "820000")), 0o600))

	_, err = h.execute(second)
	require.Contains(t, refused(t, err, faults.Permanent, "plan_changed").Message(), "plan changed after approval")
	require.Equal(t, []string{first.Key}, h.keys())
}

// The gate once more, at the point of effect.
func TestExecuteActionBeginsNothingWithoutALiveApproval(t *testing.T) {
	for name, tc := range map[string]struct {
		change  func(*house, *workflows.ExecuteActionInput)
		outcome workflows.ActionOutcome
		detail  string
	}{
		"expired": {expired, workflows.OutcomeExpired, "the approval has expired"},
		"without times": {
			func(_ *house, in *workflows.ExecuteActionInput) {
				in.Grant.ApprovedAt, in.Grant.ExpiresAt = time.Time{}, time.Time{}
			}, workflows.OutcomeExpired, "the approval has expired",
		},
		"for a year": {
			func(_ *house, in *workflows.ExecuteActionInput) {
				in.Grant.ExpiresAt = in.Grant.ApprovedAt.AddDate(1, 0, 0)
			}, workflows.OutcomeExpired, "the approval has expired",
		},
		"in the execution before a reset": {
			func(_ *house, in *workflows.ExecuteActionInput) { in.Grant.Execution = "another" },
			workflows.OutcomePolicyChanged, "the run was reset since it was approved",
		},
		"by one who may not any more": {
			func(h *house, _ *workflows.ExecuteActionInput) { h.acts.Policy = policyOf(h.t, "test", "cy.ma") },
			workflows.OutcomePolicyChanged, "bo.lin is in no group",
		},
		"by the requester, when the policy has changed": {
			func(h *house, in *workflows.ExecuteActionInput) {
				h.acts.Policy = policyOf(h.t, "test", "ann.wu", "bo.lin")
				in.Grant.Approvals[0].Approver = "ann.wu"
			}, workflows.OutcomePolicyChanged, "ann.wu requested this run",
		},
		"for another version of the tool": {
			func(h *house, _ *workflows.ExecuteActionInput) { h.pages.spec.Version = "2" },
			workflows.OutcomeDrifted, "not the version that the plan was made for",
		},
		"for another schema of the tool": {
			func(h *house, _ *workflows.ExecuteActionInput) { h.pages.spec.SchemaDigest = plan.Sum([]byte("{}")) },
			workflows.OutcomeDrifted, "not the version that the plan was made for",
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			p := h.planned()
			in := h.action(p, 0)
			tc.change(h, &in)
			out, err := h.execute(in)
			require.NoError(t, err, "no fault: the run goes back to the gate, or ends")
			require.Equal(t, tc.outcome, out.Outcome)
			require.Contains(t, out.Detail, tc.detail)
			require.Nil(t, out.Receipt)
			require.False(t, out.InDoubt)
			h.nothingWritten(in.Key)
		})
	}
}

// A grant that is none for this plan is broken: a new plan would not mend it.
func TestExecuteActionWithABrokenGrant(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*house, *workflows.ExecuteActionInput)
		says   string
	}{
		"of another plan": {
			func(h *house, in *workflows.ExecuteActionInput) { in.Grant = h.grant(plan.Sum([]byte("another plan"))) },
			"the approval is of another plan",
		},
		"by nobody": {
			func(_ *house, in *workflows.ExecuteActionInput) { in.Grant.Approvals = nil }, "there is no approval",
		},
		"none at all": {
			func(_ *house, in *workflows.ExecuteActionInput) { in.Grant = workflows.ExecuteActionInput{}.Grant }, "there is no approval",
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			p := h.planned()
			in := h.action(p, 0)
			tc.change(h, &in)
			_, err := h.execute(in)
			require.Contains(t, refused(t, err, faults.Permanent, "not_granted").Message(), tc.says)
			h.nothingWritten(in.Key)
		})
		t.Run(name+", in doubt", func(t *testing.T) {
			h := newHouse(t)
			p := h.planned()
			h.inDoubt(p, 0)
			in := h.action(p, 0)
			tc.change(h, &in)
			_, err := h.execute(in)
			require.Contains(t, refused(t, err, faults.Unknown, faults.CodeOutcomeUnknown).Message(), tc.says)
			require.Zero(t, h.pages.applied.Load())
		})
	}
}

// What ends the permission while the attempt waits for its claim is no less an
// end than what the first look finds.
func TestExecuteActionOfWhichThePermissionEndsMeanwhile(t *testing.T) {
	for name, earlier := range map[string]bool{"nothing before": false, "in doubt before": true} {
		prepare := func(t *testing.T) (*house, workflows.ExecuteActionInput) {
			h := newHouse(t)
			p := h.planned()
			if earlier {
				h.inDoubt(p, 0)
			}
			return h, h.action(p, 0)
		}
		requireEnded := func(t *testing.T, h *house, outcome workflows.ActionOutcome, out workflows.ExecuteActionResult, err error) {
			require.NoError(t, err)
			require.Equal(t, outcome, out.Outcome)
			require.Equal(t, earlier, out.InDoubt)
			require.Nil(t, out.Receipt)
			require.Zero(t, h.pages.applied.Load(), "the tool is never called")
			require.Empty(t, h.keys())
		}
		t.Run("the policy changes, "+name, func(t *testing.T) {
			h, in := prepare(t)
			h.acts.Effects.Reached = func(effects.Point) { h.acts.Policy = policyOf(t, "test", "cy.ma") }
			out, err := h.execute(in)
			requireEnded(t, h, workflows.OutcomePolicyChanged, out, err)
			require.Contains(t, out.Detail, "bo.lin is in no group")
		})
		t.Run("the approval expires, "+name, func(t *testing.T) {
			h, in := prepare(t)
			begun := false
			h.acts.Effects.Reached = func(effects.Point) {
				begun = true
				time.Sleep(time.Until(in.Grant.ExpiresAt) + 100*time.Millisecond)
			}
			// A busy machine may take longer than one life to come that far.
			for life := time.Second; !begun; life *= 2 {
				require.Less(t, life, time.Minute)
				in.Grant.ExpiresAt = time.Now().Add(life)
				out, err := h.execute(in)
				requireEnded(t, h, workflows.OutcomeExpired, out, err)
				require.Contains(t, out.Detail, "the approval has expired")
			}
		})
		t.Run("the policy changes at the tool, "+name, func(t *testing.T) {
			h, in := prepare(t)
			h.pages.apply = func(ctx context.Context, c tools.Call) (plan.Receipt, error) {
				h.acts.Policy = policyOf(t, "test", "cy.ma")
				return h.pages.Tool.Apply(ctx, c)
			}
			out, err := h.execute(in)
			h.pages.applied.Store(0) // what it was asked for, it refused
			requireEnded(t, h, workflows.OutcomePolicyChanged, out, err)
		})
	}
}

func expired(_ *house, in *workflows.ExecuteActionInput) {
	in.Grant.ApprovedAt, in.Grant.ExpiresAt = in.Grant.ApprovedAt.Add(-2*time.Hour), in.Grant.ExpiresAt.Add(-2*time.Hour)
}

// A policy of other bytes that still allows the approval changes nothing.
func TestExecuteActionUnderANewPolicyThatStillAllows(t *testing.T) {
	h := newHouse(t)
	p := h.planned()
	in := h.action(p, 0)
	h.acts.Policy = policyOf(t, "stricter", "bo.lin")
	require.NotEqual(t, in.Grant.PolicyVersion, h.acts.Policy.Version())
	out, err := h.execute(in)
	require.NoError(t, err)
	require.Equal(t, workflows.OutcomeDone, out.Outcome)
	require.Equal(t, []string{in.Key}, h.keys())
}

// What the workflow names must be what the verified plan has.
func TestExecuteActionThatIsNotInThePlan(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*house, *workflows.ExecuteActionInput)
		code   string
	}{
		"no such action":        {func(_ *house, in *workflows.ExecuteActionInput) { in.ActionID = "delete-everything" }, "not_in_plan"},
		"another action's key":  {func(_ *house, in *workflows.ExecuteActionInput) { in.Key = strings.Repeat("0", 40) }, "not_in_plan"},
		"another run's plan":    {func(_ *house, in *workflows.ExecuteActionInput) { in.RunID = "acme/other" }, "not_in_plan"},
		"another tenant's plan": {func(_ *house, in *workflows.ExecuteActionInput) { in.Tenant = "other" }, "blob_missing"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			p := h.planned()
			in := h.action(p, 0)
			tc.change(h, &in)
			_, err := h.execute(in)
			refused(t, err, faults.Permanent, tc.code)
			h.nothingWritten(in.Key)
		})
	}
}

// What an earlier attempt may have done is never named as not done.
func TestExecuteActionThatAnEarlierAttemptLeftInDoubt(t *testing.T) {
	t.Run("is recovered while the approval lives", func(t *testing.T) {
		h := newHouse(t)
		p := h.planned()
		h.inDoubt(p, 0)
		out, err := h.execute(h.action(p, 0))
		require.NoError(t, err)
		require.Equal(t, workflows.OutcomeDone, out.Outcome)
		require.True(t, out.Recovered)
		require.Len(t, h.keys(), 1)
	})
	for name, tc := range map[string]struct {
		change  func(*house, *workflows.ExecuteActionInput)
		outcome workflows.ActionOutcome
	}{
		"expired": {expired, workflows.OutcomeExpired},
		"policy changed": {
			func(h *house, _ *workflows.ExecuteActionInput) { h.acts.Policy = policyOf(h.t, "test", "cy.ma") },
			workflows.OutcomePolicyChanged,
		},
		"ledger does not answer": {
			func(h *house, in *workflows.ExecuteActionInput) {
				expired(h, in)
				require.NoError(h.t, h.acts.Effects.Ledger.Close())
			}, workflows.OutcomeExpired,
		},
		"tool is gone": {
			func(h *house, in *workflows.ExecuteActionInput) {
				expired(h, in)
				h.use()
			}, workflows.OutcomeExpired,
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			p := h.planned()
			h.inDoubt(p, 0)
			in := h.action(p, 0)
			tc.change(h, &in)
			out, err := h.execute(in)
			require.NoError(t, err)
			require.Equal(t, tc.outcome, out.Outcome)
			require.True(t, out.InDoubt)
			require.Zero(t, h.pages.applied.Load())
		})
	}
	for name, tc := range map[string]struct {
		change func(*house, *workflows.ExecuteActionInput)
		code   string
	}{
		"plan is missing": {func(h *house, in *workflows.ExecuteActionInput) {
			require.NoError(h.t, os.Remove(h.blobFile(in.PlanHash)))
		}, faults.CodeOutcomeUnknown},
		// Another worker may have it, and the approval lives.
		"tool is gone": {func(h *house, _ *workflows.ExecuteActionInput) { h.use() }, "no_tool"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			p := h.planned()
			h.inDoubt(p, 0)
			in := h.action(p, 0)
			tc.change(h, &in)
			_, err := h.execute(in)
			app := refused(t, err, faults.Unknown, tc.code)
			require.Contains(t, app.Message(), "an earlier attempt may have had its effect")
			require.Zero(t, h.pages.applied.Load())
		})
	}
}

// An attempt that was recorded and not reported is done, whatever the next one
// finds: the run must not end with a written page named as not written.
func TestExecuteActionThatAnEarlierAttemptRecorded(t *testing.T) {
	for name, change := range map[string]func(*house, *workflows.ExecuteActionInput){
		"expired":        expired,
		"policy changed": func(h *house, _ *workflows.ExecuteActionInput) { h.acts.Policy = policyOf(h.t, "test", "cy.ma") },
		"tool is newer":  func(h *house, _ *workflows.ExecuteActionInput) { h.pages.spec.Version = "2" },
		"plan is missing": func(h *house, in *workflows.ExecuteActionInput) {
			require.NoError(h.t, os.Remove(h.blobFile(in.PlanHash)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			p := h.planned()
			in := h.action(p, 0)
			lost, err := h.execute(in)
			require.NoError(t, err)
			change(h, &in)
			out, err := h.execute(in)
			require.NoError(t, err)
			require.Equal(t, workflows.OutcomeDone, out.Outcome)
			require.Equal(t, lost.Receipt, out.Receipt)
			require.True(t, out.Duplicate)
			require.EqualValues(t, 1, h.pages.applied.Load())
			require.Len(t, h.keys(), 1)
		})
	}
	// The receipt of another run proves nothing about this one.
	t.Run("by another run", func(t *testing.T) {
		h := newHouse(t)
		p := h.planned()
		in := h.action(p, 0)
		begun, err := h.acts.Effects.Ledger.Begin(t.Context(), effects.Claim{
			Key: in.Key, Fingerprint: plan.Sum([]byte("other parameters")), RunID: "acme/other", ActionID: in.ActionID, Lease: time.Minute,
		})
		require.NoError(t, err)
		require.NoError(t, h.acts.Effects.Ledger.Complete(t.Context(), in.Key, begun.Token, plan.Receipt{IdempotencyKey: in.Key, Ref: "x"}))
		expired(h, &in)
		out, err := h.execute(in)
		require.NoError(t, err)
		require.Equal(t, workflows.OutcomeExpired, out.Outcome)
		require.Nil(t, out.Receipt)
		require.False(t, out.InDoubt)
	})
}

func TestExecuteActionOnAPageThatAPersonChanged(t *testing.T) {
	h := newHouse(t)
	p := h.planned()
	in := h.action(p, 0)
	target := h.document(p).Actions[0].Target
	file := h.path(target)
	require.NoError(t, os.MkdirAll(file[:strings.LastIndex(file, "/")], 0o755))
	require.NoError(t, os.WriteFile(file, []byte("by hand\n"), 0o644))
	h.git("add", "--all")
	h.git("-c", "user.name=Dana", "-c", "user.email=dana@example.com", "commit", "-q", "-m", "by hand")

	out, err := h.execute(in)
	require.NoError(t, err)
	require.Equal(t, workflows.OutcomeDrifted, out.Outcome)
	require.Empty(t, h.keys())
	require.Equal(t, "by hand", h.git("show", "main:"+strings.TrimPrefix(target, "kb/")))
}
