package activities_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	sdkworker "go.temporal.io/sdk/worker"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/workflows"
)

// run takes the default task through the workflow, with these activities and
// the interceptors of a worker, and bo.lin's approval of every plan. What is in
// doubt after ten minutes is aborted by cy.ma.
func (h *house) run() workflows.Status {
	h.t.Helper()
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(log.NewStructuredLogger(slog.New(slog.DiscardHandler)))
	env := suite.NewTestWorkflowEnvironment()
	env.SetWorkerOptions(sdkworker.Options{Interceptors: []interceptor.WorkerInterceptor{workflows.NewInterceptor(), h.attempts()}})
	env.SetStartWorkflowOptions(client.StartWorkflowOptions{ID: runID, TaskQueue: "test"})
	workflows.Register(env, workflows.DefaultSettings())
	h.acts.Register(env)
	env.RegisterDelayedCallback(func() {
		env.SignalWorkflow(workflows.ApprovalName, json.RawMessage(fmt.Sprintf(
			`{"decision":"approve","plan_hash":%q,"approver":"bo.lin"}`, h.seen(env).PlanHash)))
	}, time.Minute)
	env.RegisterDelayedCallback(func() {
		for _, action := range h.seen(env).Actions {
			if action.Doubt != nil {
				h.doubts = append(h.doubts, *action.Doubt)
				env.SignalWorkflow(workflows.ResolutionName, json.RawMessage(fmt.Sprintf(
					`{"action_id":%q,"plan_hash":%q,"outcome":"abort","operator":"cy.ma","evidence":"nobody can tell"}`, action.ID, h.seen(env).PlanHash)))
			}
		}
	}, 10*time.Minute)
	env.ExecuteWorkflow(workflows.WorkflowType, task(), nil)
	require.True(h.t, env.IsWorkflowCompleted())
	var status workflows.Status
	err := env.GetWorkflowError()
	if app, ok := errors.AsType[*temporal.ApplicationError](err); ok {
		require.NoError(h.t, app.Details(&status))
		return status
	}
	require.NoError(h.t, err)
	require.NoError(h.t, env.GetWorkflowResult(&status))
	return status
}

// seen is the run's status as its query answers now.
func (h *house) seen(env *testsuite.TestWorkflowEnvironment) (status workflows.Status) {
	h.t.Helper()
	answer, err := env.QueryWorkflow(workflows.StatusQuery)
	require.NoError(h.t, err)
	require.NoError(h.t, answer.Get(&status))
	return status
}

// A whole run on real parts, and what its log lines say about it.
func TestEachAttemptsLogLineNamesRunStepAttemptKeyAndTenant(t *testing.T) {
	h := newHouse(t)
	done := h.run()
	require.Equal(t, workflows.Completed, done.Status, done.Reason)

	var want []string // step and key, as the run's own tables have them
	for _, step := range done.Steps {
		if step.Name != workflows.ExecuteAction {
			want = append(want, string(step.Name)+" "+step.IdempotencyKey)
		}
	}
	for _, action := range done.Actions {
		want = append(want, string(workflows.ExecuteAction)+" "+action.Key)
	}
	var got []string
	for _, line := range h.log.FilterMessage("attempt ended").All() {
		fields := line.ContextMap()
		require.Equal(t, runID, fields["run_id"])
		require.Equal(t, tenant, fields["tenant"])
		require.EqualValues(t, 1, fields["attempt"])
		require.Equal(t, "ok", fields["outcome"])
		if fields["step_name"] != workflows.JudgeDecisions {
			require.Len(t, fields["idempotency_key"], 40, fields["step_name"])
			got = append(got, fmt.Sprint(fields["step_name"], " ", fields["idempotency_key"]))
		}
	}
	require.ElementsMatch(t, want, got)
}

// A transient failure is logged with its class and tried again, by the bounds
// of the tool.
func TestFailedAttemptsAreLoggedWithTheirClass(t *testing.T) {
	h := newHouse(t)
	h.pages.apply = func(ctx context.Context, c tools.Call) (plan.Receipt, error) {
		if h.pages.applied.Load() == 1 {
			return plan.Receipt{}, &faults.Fault{Class: faults.Transient, Code: "locked", Reason: "the repository is locked", Cause: errors.New(secret)}
		}
		return h.pages.Tool.Apply(ctx, c)
	}
	done := h.run()
	require.Equal(t, workflows.Completed, done.Status, done.Reason)
	failed := h.log.FilterMessage("attempt failed").All()
	require.Len(t, failed, 1)
	fields := failed[0].ContextMap()
	require.Equal(t, runID, fields["run_id"])
	require.Equal(t, string(workflows.ExecuteAction), fields["step_name"])
	require.EqualValues(t, 1, fields["attempt"])
	require.Equal(t, "transient", fields["class"])
	retried := 0
	for _, action := range done.Actions {
		if action.Key == fields["idempotency_key"] {
			retried = action.Attempts
		}
	}
	require.Equal(t, 2, retried)
	require.Len(t, h.keys(), len(done.Actions))
}

func TestC037_ARunWhoseToolPanicsFailsByName(t *testing.T) {
	h := newHouse(t)
	h.pages.apply = func(context.Context, tools.Call) (plan.Receipt, error) { panic("token=" + secret) }
	failed := h.run()
	require.Equal(t, workflows.Failed, failed.Status)
	require.Contains(t, failed.Reason, string(workflows.ExecuteAction))
	require.Positive(t, failed.Counts.InDoubt, "nobody knows how far the tool had come")
	for _, action := range failed.Actions {
		require.LessOrEqual(t, action.Attempts, 1, "the same code would panic again")
	}
	raw, err := json.Marshal(failed)
	require.NoError(t, err)
	require.NotContains(t, string(raw), secret)
	require.Empty(t, h.keys())

	h.pages.apply = nil
	require.Equal(t, workflows.Completed, h.run().Status, "the worker has stayed up, and the next run recovers")
}

func TestC037_ARunWhoseToolReturnsNoReceiptIsNotCompleted(t *testing.T) {
	h := newHouse(t)
	h.pages.apply = func(context.Context, tools.Call) (plan.Receipt, error) { return plan.Receipt{}, nil }
	failed := h.run()
	require.Equal(t, workflows.Failed, failed.Status)
	require.NotEmpty(t, h.doubts)
	require.Contains(t, h.doubts[0].Detail, "neither an error nor a receipt")
	require.Zero(t, failed.Counts.Done)
}
