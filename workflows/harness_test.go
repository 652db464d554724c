package workflows_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"

	"github.com/holdpoint/holdpoint/activities"
	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/approvals/policy"
	"github.com/holdpoint/holdpoint/workflows"
)

// world stands for the activities in workflow tests, where the workflow alone
// is tried and time is skipped. The judge is the real one.
type world struct {
	t   *testing.T
	env *testsuite.TestWorkflowEnvironment

	mu       sync.Mutex
	plans    []workflows.MakePlanResult
	made     []workflows.MakePlanInput
	executed []string // action ids, in the order of their beginning
	// act is what execute_action does; nil completes with a receipt.
	act func(workflows.ExecuteActionInput) (workflows.ExecuteActionResult, error)
	// settle is what settle_action says; nil is a ledger in which what
	// execute_action left in doubt is in doubt.
	settle  func(workflows.SettleActionInput) (workflows.SettleActionResult, error)
	judging time.Duration  // how long a resolution is judged, by the machine's clock
	today   *policy.Policy // that of the judge's worker; nil is that of the request
	// collect fails collect_context when set.
	collect error

	decideWithin, grantLife time.Duration
	// terms changes those of each request, which wants one of two people.
	terms     func(t *approvals.Terms)
	channels  []string // each wants every event
	execution string   // in which requests are opened; "" is the one that runs
	requests  int
	notices   []workflows.Notice
	// notify fails a channel when it returns an error.
	notify func(workflows.Notice) error
}

func newWorld(t *testing.T, actions ...workflows.PlannedAction) *world {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(log.NewStructuredLogger(slog.New(slog.DiscardHandler)))
	w := &world{t: t, env: suite.NewTestWorkflowEnvironment(), decideWithin: time.Hour, grantLife: time.Hour}
	w.env.SetWorkerOptions(worker.Options{
		Interceptors:             []interceptor.WorkerInterceptor{workflows.NewInterceptor()},
		DeadlockDetectionTimeout: time.Minute, // a busy machine is none
	})
	w.env.SetStartWorkflowOptions(startOptions())
	workflows.Register(w.env, workflows.DefaultSettings())
	w.plans = []workflows.MakePlanResult{planOf("plan 0", actions...)}
	for name, f := range map[string]any{
		string(workflows.CollectContext):  w.collectContext,
		string(workflows.MakePlan):        w.makePlan,
		string(workflows.RequestApproval): w.requestApproval,
		string(workflows.ExecuteAction):   w.executeAction,
		string(workflows.Summarize):       w.summarize,
		workflows.SettleAction:            w.settleAction,
		workflows.Notify:                  w.takeNotice,
		workflows.JudgeDecisions:          (&activities.Activities{}).JudgeDecisions,
		workflows.JudgeResolutions:        w.judgeResolutions,
	} {
		w.env.RegisterActivityWithOptions(f, activity.RegisterOptions{Name: name})
	}
	return w
}

// planOf is a plan whose hash is the digest of its name.
func planOf(name string, actions ...workflows.PlannedAction) workflows.MakePlanResult {
	digest := plan.Sum([]byte(name))
	return workflows.MakePlanResult{
		Attempt: 1, PlanHash: digest, Blob: workflows.BlobRef{Digest: digest, Size: 1}, Risk: plan.LowRisk,
		Actions: actions, Parallel: 3, Summary: name,
	}
}

func actionsNamed(ids ...string) []workflows.PlannedAction {
	var actions []workflows.PlannedAction
	for _, id := range ids {
		actions = append(actions, workflows.PlannedAction{ID: id, Tool: "gitpages", Key: "key-" + id})
	}
	return actions
}

func (w *world) collectContext(workflows.CollectContextInput) (workflows.CollectContextResult, error) {
	return workflows.CollectContextResult{Attempt: 1, Read: 1}, w.collect
}

// makePlan hands out the next plan; the last one again and again.
func (w *world) makePlan(in workflows.MakePlanInput) (workflows.MakePlanResult, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.made = append(w.made, in)
	return w.plans[min(len(w.made), len(w.plans))-1], nil
}

func (w *world) requestApproval(ctx context.Context, _ workflows.RequestApprovalInput) (workflows.RequestApprovalResult, error) {
	w.requests++
	terms := termsOf("bo.lin", "cy.ma", w.decideWithin, w.grantLife)
	if w.terms != nil {
		w.terms(&terms)
	}
	return workflows.RequestApprovalResult{
		Attempt: 1, RequestID: fmt.Sprintf("request-%d", w.requests), Terms: terms, Notify: channelsOf(w.channels...),
		Execution: cmp.Or(w.execution, activity.GetInfo(ctx).WorkflowExecution.RunID),
	}, nil
}

// channelsOf want every event.
func channelsOf(names ...string) map[workflows.Event][]string {
	return map[workflows.Event][]string{
		workflows.ApprovalRequested: names, workflows.ApprovalReminded: names, workflows.ApprovalExpired: names,
		workflows.ConfirmationRequested: names, workflows.ResolutionNeeded: names,
	}
}

func (w *world) takeNotice(n workflows.Notice) (workflows.NoticeResult, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.notices = append(w.notices, n)
	if w.notify != nil {
		return workflows.NoticeResult{Attempt: 1, Answer: "202"}, w.notify(n)
	}
	return workflows.NoticeResult{Attempt: 1, Answer: "202"}, nil
}

// told lists the notices that were sent, as "event to channel".
func (w *world) told() []string {
	var all []string
	for _, n := range w.notices {
		all = append(all, string(n.Event)+" to "+n.Channel)
	}
	return all
}

// confirm sends a word about one action.
func (w *world) confirm(decision, action, approver string) {
	w.sendRaw(fmt.Sprintf(`{"decision":%q,"plan_hash":%q,"action_id":%q,"approver":%q}`, decision, w.hash(0), action, approver))
}
func (w *world) executeAction(in workflows.ExecuteActionInput) (workflows.ExecuteActionResult, error) {
	w.mu.Lock()
	w.executed = append(w.executed, in.ActionID)
	w.mu.Unlock()
	if w.act != nil {
		return w.act(in)
	}
	return done(in), nil
}

// settleAction takes a person's word about the last claim of an action.
func (w *world) settleAction(in workflows.SettleActionInput) (workflows.SettleActionResult, error) {
	if w.settle != nil {
		return w.settle(in)
	}
	return w.settled(in)
}

func (w *world) settled(in workflows.SettleActionInput) (workflows.SettleActionResult, error) {
	claims := int64(w.times(in.ActionID))
	out := workflows.SettleActionResult{Attempt: 1, Standing: workflows.StandingInDoubt}
	switch word := in.Resolution; {
	case word != nil && word.Outcome == approvals.Abort && in.Token == 0:
		out.Doubt = in.Doubt
	case word == nil || in.Token != claims:
		out.Doubt = &workflows.Doubt{Token: claims, Target: "kb/" + in.ActionID, Detail: "no answer"}
	case word.Outcome == approvals.Abort:
		panic("an abort is told to no claim")
	case word.Outcome == approvals.Happened:
		out.Standing, out.Receipt = workflows.StandingDone, &plan.Receipt{IdempotencyKey: in.Key, Ref: "by the word of " + word.Operator}
	default:
		out.Standing = workflows.StandingAbsent
	}
	return out, nil
}

// judgeResolutions takes its time when the test wants it to.
func (w *world) judgeResolutions(ctx context.Context, in workflows.JudgeResolutionsInput) (workflows.JudgeDecisionsResult, error) {
	time.Sleep(w.judging)
	return (&activities.Activities{Policy: w.today}).JudgeResolutions(ctx, in)
}

// unknown is an outcome that the attempts of an action could not find out.
func unknown() error {
	return temporal.NewNonRetryableApplicationError("outcome_unknown: no answer", workflows.ClassUnknown, nil)
}

// resolve sends a resolution as the signal that people type, about the last
// claim of the action.
func (w *world) resolve(action, outcome, operator string) {
	w.resolveRaw(fmt.Sprintf(`{"action_id":%q,"plan_hash":%q,"claim":"%d","outcome":%q,"operator":%q,"evidence":"looked at the wiki"}`,
		action, w.hash(0), w.times(action), outcome, operator))
}

func (w *world) resolveRaw(payload string) {
	w.env.SignalWorkflow(workflows.ResolutionName, json.RawMessage(payload))
}

func done(in workflows.ExecuteActionInput) workflows.ExecuteActionResult {
	return workflows.ExecuteActionResult{
		Attempt: 1, Outcome: workflows.OutcomeDone,
		Receipt: &plan.Receipt{IdempotencyKey: in.Key, Ref: "ref-" + in.ActionID},
	}
}

func (w *world) summarize(workflows.SummarizeInput) (workflows.SummarizeResult, error) {
	return workflows.SummarizeResult{Attempt: 1, EffectCount: len(w.executed)}, nil
}

// at does something at a moment of the run's own time.
func (w *world) at(moment time.Duration, do func()) { w.env.RegisterDelayedCallback(do, moment) }

// send sends a decision as the signal that people type.
func (w *world) send(decision, hash, approver string) {
	w.sendRaw(fmt.Sprintf(`{"decision":%q,"plan_hash":%q,"approver":%q}`, decision, hash, approver))
}

func (w *world) sendRaw(payload string) {
	w.env.SignalWorkflow(workflows.ApprovalName, json.RawMessage(payload))
}

// sendPayload sends a payload with any metadata.
func (w *world) sendPayload(p *commonpb.Payload) {
	w.env.SignalWorkflow(workflows.ApprovalName, converter.NewRawValue(p))
}

func (w *world) hash(i int) string { return w.plans[i].PlanHash.String() }

func task() workflows.Task {
	return workflows.Task{
		Tenant: "tenant-a", BusinessID: "weekly-2025-w40", Goal: "weekly report", Requester: "ann.wu",
		Context: []workflows.Source{{Root: "notes"}}, Tools: []workflows.ToolUse{{Tool: "gitpages", Target: "kb"}},
	}
}

// run runs the workflow to its end and returns how it ended.
func (w *world) run() workflows.Status { return w.runTask(task()) }

// continues runs an execution that goes on with what another one has carried over.
func (w *world) continues(of workflows.Task, carried *workflows.State) {
	w.env.SetContinuedExecutionRunID("the one before")
	w.env.ExecuteWorkflow(workflows.WorkflowType, of, carried)
}

func (w *world) runTask(in workflows.Task) workflows.Status {
	w.t.Helper()
	w.env.ExecuteWorkflow(workflows.WorkflowType, in, nil)
	require.True(w.t, w.env.IsWorkflowCompleted())
	var status workflows.Status
	err := w.env.GetWorkflowError()
	var app *temporal.ApplicationError
	var canceled *temporal.CanceledError
	switch {
	case err == nil:
		require.NoError(w.t, w.env.GetWorkflowResult(&status))
	case errors.As(err, &app):
		require.NoError(w.t, app.Details(&status))
		require.True(w.t, app.NonRetryable(), "a failed run is never run again as a whole")
	case errors.As(err, &canceled):
		require.NoError(w.t, canceled.Details(&status))
	default:
		require.NoError(w.t, err)
	}
	return status
}

// codes are the verdicts in their order.
func codes(s workflows.Status) []string {
	var all []string
	for _, v := range s.Decisions.Recent {
		all = append(all, string(v.Code))
	}
	return all
}

// refusedByTarget is a failure after which the effect surely is not there.
func refusedByTarget() error {
	return temporal.NewNonRetryableApplicationError("http_400: refused", workflows.ClassPermanent, nil)
}

// termsOf want one of two people, whose name is believed.
func termsOf(one, other string, decideWithin, grantLife time.Duration) approvals.Terms {
	both := []string{one, other}
	return approvals.Terms{
		Label: "test", Version: "test@sha256:01", Proof: approvals.ByClaim, DecideWithin: decideWithin, GrantLife: grantLife,
		Quorums:   []approvals.Quorum{{Group: "approvers", Need: 1, Members: both}},
		Resolvers: []approvals.Resolvers{{Members: both}},
	}
}
