package activities_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	sdkworker "go.temporal.io/sdk/worker"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/holdpoint/holdpoint/activities"
	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/effects/sqlite"
	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/planners"
	"github.com/holdpoint/holdpoint/activities/planners/outline"
	"github.com/holdpoint/holdpoint/activities/sources"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/activities/tools/gitpages"
	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/approvals/policy"
	"github.com/holdpoint/holdpoint/internal/blobs"
	"github.com/holdpoint/holdpoint/internal/config"
	"github.com/holdpoint/holdpoint/workflows"
)

const (
	tenant = "acme"
	runID  = "acme/weekly-2025-w40"
)

// house is a worker's activities on real parts: a folder of notes, a Git
// repository, a SQLite ledger and a blob store, with the interceptor that a
// worker has around them.
type house struct {
	t     *testing.T
	dir   string
	acts  *activities.Activities
	pages *spied
	log   *observer.ObservedLogs
	core  zapcore.Core
	// doubts are the actions in doubt that run has come upon.
	doubts []workflows.Doubt
	beat   func() // called at each heartbeat; nil when nobody listens
	said   any    // the last heartbeat of an attempt before; nil for the first attempt
}

// newHouse makes a house with one note: a topic of one dated entry, so a plan
// of a weekly report, a topic's page and the index.
func newHouse(t *testing.T) *house {
	t.Helper()
	needGit(t)
	h := &house{t: t, dir: t.TempDir()}
	h.core, h.log = observer.New(zap.DebugLevel)
	h.note("billing.md", "# Billing\n\n## 2025-09-30\n\n- planned: one transfer of amount 82000\n")
	pages, err := gitpages.New(t.Context(), []gitpages.Repo{{Name: "kb", Path: h.path("kb"), Place: "kb"}}, gitpages.Options{})
	require.NoError(t, err)
	h.pages = &spied{Tool: pages, spec: pages.Spec()}
	store, err := blobs.Config{URL: config.BlobURL(h.dir)}.Open()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	ledger, err := sqlite.Open(t.Context(), h.path("ledger.db"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, ledger.Close()) })
	h.acts = &activities.Activities{
		Sources:  map[string]sources.Source{"notes": sources.Dir{Root: h.path("notes")}},
		Limits:   sources.Limits{MaxFileBytes: 4 << 20, MaxTotalBytes: 64 << 20, MaxEntries: 10_000},
		Planners: map[string]planners.Planner{"outline": outline.Planner{}},
		Blobs:    store,
		Effects:  &effects.Protocol{Ledger: ledger, Lease: time.Minute, Owner: "test", Log: zap.New(h.core)},
		Policy:   policyOf(t, "test", "bo.lin", "cy.ma"),
		Parallel: 4,
		Log:      zap.New(h.core),
	}
	h.use(h.pages)
	return h
}

func needGit(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		require.NotEqual(t, "true", os.Getenv("CI"), "git is missing")
		t.Skip("git is missing")
	}
}

func policyOf(t *testing.T, label string, approvers ...string) *policy.Policy {
	t.Helper()
	p, err := policy.Simple(label, approvers, time.Hour, time.Hour)
	require.NoError(t, err)
	return p
}

// use gives the worker these tools and no others.
func (h *house) use(all ...tools.Tool) {
	h.t.Helper()
	registry, err := tools.NewRegistry(all...)
	require.NoError(h.t, err)
	h.acts.Tools = registry
}

func (h *house) path(parts ...string) string {
	return filepath.Join(append([]string{h.dir}, parts...)...)
}

func (h *house) note(name, text string) {
	h.t.Helper()
	file := h.path("notes", name)
	require.NoError(h.t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(h.t, os.WriteFile(file, []byte(text), 0o644))
}

// git asks the knowledge base.
func (h *house) git(args ...string) string {
	h.t.Helper()
	out, err := exec.Command("git", append([]string{"-C", h.path("kb")}, args...)...).CombinedOutput()
	require.NoError(h.t, err, "git %v: %s", args, out)
	return strings.TrimSpace(string(out))
}

// keys are the effects as Git tells them: the key of each commit.
func (h *house) keys() []string {
	h.t.Helper()
	if h.git("for-each-ref") == "" {
		return nil
	}
	return strings.Fields(h.git("log", "main", "--format=%(trailers:key=Holdpoint-Key,valueonly)"))
}

// nothingWritten says that the tool was not asked to write, and that neither
// the repository nor the ledger knows of an effect.
func (h *house) nothingWritten(keys ...string) {
	h.t.Helper()
	require.Zero(h.t, h.pages.applied.Load(), "the tool is never called")
	require.Empty(h.t, h.git("for-each-ref"))
	rows, err := h.acts.Effects.Ledger.Rows(h.t.Context(), keys)
	require.NoError(h.t, err)
	for _, row := range rows {
		require.NotEqual(h.t, effects.Completed, row.State)
	}
}

// do runs one attempt of an activity as a worker does.
func (h *house) do(name string, in, out any) error {
	h.t.Helper()
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(log.NewStructuredLogger(slog.New(slog.DiscardHandler)))
	env := suite.NewTestActivityEnvironment()
	env.SetWorkerOptions(sdkworker.Options{Interceptors: []interceptor.WorkerInterceptor{h.attempts()}})
	if h.beat != nil {
		env.SetOnActivityHeartbeatListener(func(*activity.Info, converter.EncodedValues) { h.beat() })
	}
	if h.said != nil {
		env.SetHeartbeatDetails(h.said)
	}
	h.acts.Register(env)
	value, err := env.ExecuteActivity(name, in)
	if err != nil {
		return err
	}
	return value.Get(out)
}

func (h *house) attempts() *activities.Attempts {
	return &activities.Attempts{
		Log: zap.New(h.core), Heartbeat: 20 * time.Millisecond, Retry: faults.DefaultRetry(),
		Steps: activities.StepLimits{Attempts: 10, Patience: 24 * time.Hour},
	}
}

func task() workflows.Task {
	return workflows.Task{
		Tenant: tenant, BusinessID: "weekly-2025-w40", Goal: "weekly report", Requester: "ann.wu",
		Context: []workflows.Source{{Root: "notes"}}, Tools: []workflows.ToolUse{{Tool: "gitpages", Target: "kb"}},
	}.WithDefaults()
}

func (h *house) collect(task workflows.Task) (out workflows.CollectContextResult, err error) {
	h.t.Helper()
	err = h.do(string(workflows.CollectContext), workflows.CollectContextInput{RunID: runID, Task: task}, &out)
	return out, err
}

// makePlan collects and plans a task.
func (h *house) makePlan(task workflows.Task) (out workflows.MakePlanResult, err error) {
	h.t.Helper()
	collected, err := h.collect(task)
	require.NoError(h.t, err)
	err = h.do(string(workflows.MakePlan), workflows.MakePlanInput{
		RunID: task.RunID(), Task: task, ContextDigest: collected.Digest, Manifest: collected.Manifest, WorkflowVersion: workflows.Version,
	}, &out)
	return out, err
}

// planned makes the plan of the default task.
func (h *house) planned() workflows.MakePlanResult {
	h.t.Helper()
	p, err := h.makePlan(task())
	require.NoError(h.t, err)
	return p
}

// document is the plan itself, from the blob store.
func (h *house) document(p workflows.MakePlanResult) plan.Plan {
	h.t.Helper()
	raw, err := h.acts.Blobs.Get(h.t.Context(), tenant, p.PlanHash, plan.MaxBytes)
	require.NoError(h.t, err)
	read, err := plan.Load(raw, p.PlanHash)
	require.NoError(h.t, err)
	return read
}

// blobFile is where the file store keeps a blob.
func (h *house) blobFile(d plan.Digest) string {
	return h.path("blobs", tenant, d.Hex()[:2], d.Hex())
}

// grant is an approval of a plan by bo.lin, given just now.
func (h *house) grant(hash plan.Digest) approvals.Grant {
	h.t.Helper()
	now := time.Now()
	grant, err := approvals.NewGrant(approvals.Request{
		RunID: runID, RequestID: "request-1", PlanHash: hash, Phase: approvals.PhaseGranted,
		Terms: approvals.Terms{
			Version: h.acts.Policy.Version(), Proof: approvals.ByClaim, GrantLife: time.Hour,
			Quorums: []approvals.Quorum{{Group: "approvers", Need: 1, Members: []string{"bo.lin"}}},
		},
		Taken: []approvals.Taken{{Approval: approvals.Approval{Approver: "bo.lin", At: now}, Decision: approvals.Approve}},
	}, now)
	require.NoError(h.t, err)
	return grant
}

// action is the input that executes a plan's action.
func (h *house) action(p workflows.MakePlanResult, i int) workflows.ExecuteActionInput {
	h.t.Helper()
	return workflows.ExecuteActionInput{
		RunID: runID, Tenant: task().Tenant, Requester: task().Requester, PlanHash: p.PlanHash, Blob: p.Blob,
		ActionID: p.Actions[i].ID, Key: p.Actions[i].Key, Grant: h.grant(p.PlanHash), Ledger: p.Ledger, Expected: p.Actions[i].InDoubt,
	}
}

func (h *house) execute(in workflows.ExecuteActionInput) (out workflows.ExecuteActionResult, err error) {
	h.t.Helper()
	err = h.do(string(workflows.ExecuteAction), in, &out)
	return out, err
}

// carryOut executes every action of a plan that is left, in order.
func (h *house) carryOut(p workflows.MakePlanResult) {
	h.t.Helper()
	for i, action := range p.Actions {
		if action.DoneRef != "" {
			continue
		}
		out, err := h.execute(h.action(p, i))
		require.NoError(h.t, err)
		require.Equal(h.t, workflows.OutcomeDone, out.Outcome, out.Detail)
	}
}

// inDoubt leaves an action's row as a worker leaves it that was killed between
// the claim and the receipt, a lease ago.
func (h *house) inDoubt(p workflows.MakePlanResult, i int) {
	h.t.Helper()
	action, ok := h.document(p).Find(p.Actions[i].ID)
	require.True(h.t, ok)
	fingerprint, err := plan.Fingerprint(action.Parameters)
	require.NoError(h.t, err)
	begun, err := h.acts.Effects.Ledger.Begin(h.t.Context(), effects.Claim{
		Key: action.IdempotencyKey, Fingerprint: fingerprint, Tenant: tenant, RunID: runID, ActionID: action.ID,
		Tool: action.Tool, Target: action.Target, Attempt: 1, Owner: "killed", Lease: time.Minute,
	})
	require.NoError(h.t, err)
	require.Positive(h.t, begun.Token)
	require.NoError(h.t, h.acts.Effects.Ledger.Park(h.t.Context(), action.IdempotencyKey, begun.Token, "killed", false))
}

// refused checks the error of an activity as the server gets it.
func refused(t *testing.T, err error, class faults.Class, code string) *temporal.ApplicationError {
	t.Helper()
	var app *temporal.ApplicationError
	require.ErrorAs(t, err, &app)
	require.Equal(t, class.String(), app.Type(), err)
	var details workflows.FaultDetails
	require.NoError(t, app.Details(&details))
	require.Equal(t, workflows.FaultDetails{Class: class.String(), Code: code, Attempt: 1}, details)
	final := class == faults.Permanent || code == faults.CodeOutcomeUnknown || code == faults.CodePanic
	require.Equal(t, final, app.NonRetryable())
	return app
}

// waits checks the error of a step that waits for a worker with what the task
// names. It is not about this machine's folders.
func (h *house) waits(err error, code, says string) {
	h.t.Helper()
	app := refused(h.t, err, faults.Transient, code)
	require.Contains(h.t, app.Message(), "worker test has "+says)
	require.Contains(h.t, app.Message(), "; every worker of the task queue needs the same configuration")
	require.NotContains(h.t, app.Message(), h.dir)
}

// spied is a real tool of which tests may change what it declares or does, and
// which counts how often it was asked to write.
type spied struct {
	tools.Tool
	spec    tools.Spec
	applied atomic.Int32
	apply   func(context.Context, tools.Call) (plan.Receipt, error) // nil is the tool's own
}

func (s *spied) Spec() tools.Spec { return s.spec }

func (s *spied) Apply(ctx context.Context, c tools.Call) (plan.Receipt, error) {
	s.applied.Add(1)
	if s.apply != nil {
		return s.apply(ctx, c)
	}
	return s.Tool.Apply(ctx, c)
}

// Together implements tools.Companion, as the real tool does.
func (s *spied) Together(actions []plan.Action) (string, error) {
	return s.Tool.(tools.Companion).Together(actions)
}

// proposing is a planner that proposes what it is told to.
type proposing []planners.DraftAction

func (proposing) Name() string    { return "proposing" }
func (proposing) Version() string { return "1" }

func (p proposing) Plan(context.Context, planners.Request) (planners.Draft, error) {
	return planners.Draft{Actions: p}, nil
}

// propose makes the plan of a task whose planner proposes these actions.
func (h *house) propose(task workflows.Task, actions ...planners.DraftAction) (workflows.MakePlanResult, error) {
	h.t.Helper()
	h.acts.Planners["proposing"] = proposing(actions)
	task.Planner = "proposing"
	return h.makePlan(task)
}

// page is a proposal to write one page below an allowed target.
func page(id, target, path, content string) planners.DraftAction {
	parameters, err := json.Marshal(map[string]string{"page": path, "content": content, "title": "Write " + path})
	if err != nil {
		panic(err)
	}
	return planners.DraftAction{ID: id, Proposal: tools.Proposal{Tool: "gitpages", Parameters: parameters, AllowedTarget: target}}
}
