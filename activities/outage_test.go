package activities_test

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	sdkworker "go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
	"go.uber.org/zap/zapcore"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/planners"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/workflows"
)

// persist makes attempts at a step as the server does, one after the other, until
// one is the last. Nothing else bounds them: the server's own bound is far off.
func (h *house) persist(name string, in, out any) error {
	h.t.Helper()
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(log.NewStructuredLogger(slog.New(slog.DiscardHandler)))
	env := suite.NewTestWorkflowEnvironment()
	env.SetWorkerOptions(sdkworker.Options{Interceptors: []interceptor.WorkerInterceptor{h.attempts()}})
	h.acts.Register(env)
	env.ExecuteWorkflow(func(ctx workflow.Context) error {
		return workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
			StartToCloseTimeout: time.Hour, RetryPolicy: &temporal.RetryPolicy{MaximumAttempts: 100_000},
		}), name, in).Get(ctx, out)
	})
	require.True(h.t, env.IsWorkflowCompleted())
	return env.GetWorkflowError()
}

// troubled is a planner that meets these, one in each attempt, and then plans.
type troubled struct {
	proposing

	met  []error
	made int // attempts
}

func (p *troubled) Plan(ctx context.Context, r planners.Request) (planners.Draft, error) {
	p.made++
	if p.made <= len(p.met) {
		return planners.Draft{}, p.met[p.made-1]
	}
	return p.proposing.Plan(ctx, r)
}

// plansThrough makes attempts to plan with a planner that meets these.
func (h *house) plansThrough(met ...error) (planner *troubled, made workflows.MakePlanResult, err error) {
	h.t.Helper()
	planner = &troubled{proposing: proposing{page("a", "kb", "x.md", "x")}, met: met}
	h.acts.Planners["troubled"] = planner
	asked := task()
	asked.Planner = "troubled"
	collected, err := h.collect(asked)
	require.NoError(h.t, err)
	err = h.persist(string(workflows.MakePlan), workflows.MakePlanInput{
		RunID: runID, Task: asked, ContextDigest: collected.Digest, Manifest: collected.Manifest, WorkflowVersion: workflows.Version,
	}, &made)
	return planner, made, err
}

func times(n int, err error) []error { return slices.Repeat([]error{err}, n) }

var (
	busy   = &faults.Fault{Class: faults.Throttled, Code: "http_429", Reason: "models.example.com asks to wait"}
	broken = &faults.Fault{Class: faults.Transient, Code: "http_500", Reason: "models.example.com failed"}
)

// C033: a provider's rate limit and its outage fail no run, however many attempts
// they cost; trouble of another kind has the attempts that it always had.
func TestC033_APlanOutlastsAnOutage(t *testing.T) {
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, gone.Close())
	_, unreached := http.Get("http://" + gone.Addr().String()) //nolint:bodyclose // there is none
	require.Error(t, unreached)
	hopeless := &faults.Fault{Class: faults.Permanent, Code: "http_401", Reason: "models.example.com does not accept the key"}

	for _, tt := range []struct {
		name string
		met  []error
		made int
		code string // of the fault that ends it; empty for a plan
	}{
		{"twelve times busy", times(12, busy), 13, ""},
		{"twelve connections refused", times(12, unreached), 13, ""},
		{"trouble nine times", times(9, broken), 10, ""},
		{"trouble ten times", times(10, broken), 10, "http_500"},
		{"trouble before, within and after an outage", slices.Concat(times(4, broken), times(12, busy), times(4, broken), times(12, unreached), times(1, broken)), 34, ""},
		{"trouble ten times, with an outage between", slices.Concat(times(5, broken), times(12, busy), times(5, broken)), 22, "http_500"},
		{"what nobody can help", times(1, hopeless), 1, "http_401"},
		{"what nobody can help, after an outage", slices.Concat(times(12, busy), times(1, hopeless)), 13, "http_401"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			planner, made, err := newHouse(t).plansThrough(tt.met...)
			require.Equal(t, tt.made, planner.made)
			if tt.code != "" {
				require.ErrorContains(t, err, tt.code)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tt.made, made.Attempt)
			require.Len(t, made.Actions, 1)
		})
	}
}

// The store's trouble is the step's wait, whatever the store's own error is.
func TestC033_AStepOutlastsItsStore(t *testing.T) {
	h := newHouse(t)
	collected, err := h.collect(task())
	require.NoError(t, err)
	require.NoError(t, os.Rename(h.path("blobs"), h.path("kept")))
	require.NoError(t, os.WriteFile(h.path("blobs"), nil, 0o600)) // no file can be below a file
	failures := 0
	h.core = zapcore.RegisterHooks(h.core, func(entry zapcore.Entry) error {
		if entry.Message != "attempt failed" {
			return nil
		}
		if failures++; failures != 12 {
			return nil
		}
		return errors.Join(os.Remove(h.path("blobs")), os.Rename(h.path("kept"), h.path("blobs")))
	})
	var made workflows.MakePlanResult
	require.NoError(t, h.persist(string(workflows.MakePlan), workflows.MakePlanInput{
		RunID: runID, Task: task(), ContextDigest: collected.Digest, Manifest: collected.Manifest, WorkflowVersion: workflows.Version,
	}, &made))
	require.Equal(t, 13, made.Attempt)
	failed := h.log.FilterMessage("attempt failed").All()
	require.Len(t, failed, 12)
	for _, entry := range failed {
		require.Equal(t, "store_unavailable: the blob store cannot be read or written; the worker's log says why", entry.ContextMap()["error"])
		require.Contains(t, entry.ContextMap()["cause"], "not a directory", "the log does say why")
	}
}

// What another worker of the task queue may have ends no run: in a rolling
// deploy the first worker that gets a step can be one with another configuration.
func TestNamesThatAnotherWorkerMayKnowWait(t *testing.T) {
	h := newHouse(t)
	asked := task()
	asked.Context[0].Root = "etc"
	_, err := h.collect(asked)
	h.waits(err, "no_source", `no source "etc" in its configuration, which names notes`)

	asked = task()
	asked.Planner = "oracle"
	_, err = h.makePlan(asked)
	h.waits(err, "no_planner", `no planner "oracle"; it has outline`)

	asked = task()
	asked.Tools = append(asked.Tools, workflows.ToolUse{Tool: "shell", Target: "kb"})
	_, err = h.propose(asked, planners.DraftAction{ID: "a", Proposal: tools.Proposal{Tool: "shell", AllowedTarget: "kb"}})
	app := refused(t, err, faults.Transient, "no_tool")
	require.Contains(t, app.Message(), `action "a": worker test has no tool "shell"; every worker`)

	made := h.planned()
	h.carryOut(made)
	h.use()
	_, err = h.summarize(made)
	h.waits(err, "no_tool", `no tool "gitpages"`)
}

// A worker that has not the tool yet, or cannot reach the plan, fails no action
// and takes none of the tool's attempts. After the approval's end nothing waits
// any more.
func TestAnActionWaitsForAWorkerThatHasItsTool(t *testing.T) {
	h := newHouse(t)
	in := h.action(h.planned(), 0)
	in.MaxAttempts = 1
	h.use()
	_, err := h.execute(in)
	h.waits(err, "no_tool", `no tool "gitpages"`)

	in.Grant.ApprovedAt, in.Grant.ExpiresAt = in.Grant.ApprovedAt.Add(-2*time.Hour), in.Grant.ExpiresAt.Add(-2*time.Hour)
	out, err := h.execute(in)
	require.NoError(t, err)
	require.Equal(t, workflows.OutcomeExpired, out.Outcome)
	require.Contains(t, out.Detail, `the approval expired while the action waited: `)
	require.Contains(t, out.Detail, `has no tool "gitpages"`)
	require.False(t, out.InDoubt)
	h.nothingWritten(in.Key)
}
