package gather

import (
	"errors"
	"fmt"

	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/converter"

	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/blobs"
	"github.com/holdpoint/holdpoint/internal/evidence"
	"github.com/holdpoint/holdpoint/internal/runs"
	"github.com/holdpoint/holdpoint/workflows"
)

// Blobs returns the bytes of a digest, of at most so many, from the run's
// tenant's part of the blob store. The errors of package blobs say that it does
// not have them; any other, that it could not be asked.
type Blobs func(tenant string, digest plan.Digest, limit int64) ([]byte, error)

// What bounds the documents of a bundle, in bytes.
const (
	maxManifest = 64 << 20
	maxPolicy   = 4 << 20
	maxReport   = 64 << 20
)

// Content makes the content of the bundle of one run, of all its executions, the
// oldest first. What the blob store does not have, or has damaged, is listed in it
// as missing.
//
// It is an error when a history is not one of AgentRun, or cannot be replayed, and
// when the blob store cannot be read: nobody knows then what it has.
func Content(chain []runs.Execution, store Blobs) (evidence.Content, error) {
	if len(chain) == 0 {
		return evidence.Content{}, errors.New("there is no history")
	}
	g := gathering{chain: chain, blobs: store, content: evidence.Content{
		RunID: started(chain[0].History).GetWorkflowId(), Executions: []evidence.Execution{}, Plans: []evidence.Plan{},
		Policies: []evidence.Policy{}, Requests: []evidence.Request{}, Judgements: []evidence.Judgement{},
		Unjudged: []evidence.Word{}, Actions: []evidence.Action{}, Notices: []evidence.Notice{}, Missing: []string{},
	}}
	for _, step := range []func() error{g.executions, g.task, g.words, g.activities, g.judgements, g.result} {
		if err := step(); err != nil {
			return evidence.Content{}, err
		}
	}
	g.policies()
	if g.unread != nil {
		return evidence.Content{}, g.unread
	}
	return g.content, nil
}

// gathering is a content on its way.
type gathering struct {
	chain   []runs.Execution
	blobs   Blobs
	content evidence.Content
	arrived []arrived // words, in the order of the history
	gates   []evidence.Gate
	judged  *evidence.Judgement // the last one, whose words the workflow has not taken yet
	unread  error               // the first that kept the blob store from being read
}

func started(h *historypb.History) *historypb.WorkflowExecutionStartedEventAttributes {
	if len(h.GetEvents()) == 0 {
		return nil
	}
	return h.GetEvents()[0].GetWorkflowExecutionStartedEventAttributes()
}

func (g *gathering) executions() error {
	for i, e := range g.chain {
		begin := started(e.History)
		if begin.GetWorkflowType().GetName() != workflows.WorkflowType || begin.GetWorkflowId() != g.content.RunID {
			return fmt.Errorf("the history of execution %s is not one of the run %q", e.RunID, g.content.RunID)
		}
		if i > 0 && begin.GetContinuedExecutionRunId() != g.chain[i-1].RunID {
			return fmt.Errorf("the execution %s did not continue %s", e.RunID, g.chain[i-1].RunID)
		}
		sum, err := Digest(e.History)
		if err != nil {
			return fmt.Errorf("the history of execution %s: %w", e.RunID, err)
		}
		events := e.History.GetEvents()
		g.content.Executions = append(g.content.Executions, evidence.Execution{
			WorkflowID: begin.GetWorkflowId(), RunID: e.RunID, StartedAt: events[0].GetEventTime().AsTime(),
			End: endOf(events[len(events)-1]), Events: len(events), History: sum,
		})
	}
	return nil
}

// endOf is the type of an event with which an execution ends.
func endOf(last *historypb.HistoryEvent) string {
	switch {
	case last.GetWorkflowExecutionCompletedEventAttributes() != nil, last.GetWorkflowExecutionFailedEventAttributes() != nil,
		last.GetWorkflowExecutionCanceledEventAttributes() != nil, last.GetWorkflowExecutionTerminatedEventAttributes() != nil,
		last.GetWorkflowExecutionTimedOutEventAttributes() != nil, last.GetWorkflowExecutionContinuedAsNewEventAttributes() != nil:
		return last.GetEventType().String()
	default:
		return ""
	}
}

// task is what the run was started with.
func (g *gathering) task() error {
	begin := started(g.chain[0].History)
	task := &g.content.Task
	if err := converter.GetDefaultDataConverter().FromPayloads(begin.GetInput(), &task.Asked); err != nil {
		return fmt.Errorf("the task: %w", err)
	}
	var err error
	task.SHA256, err = task.Asked.Digest() // the memo's is the word of whoever started the run
	return err
}

// document reads a blob, or says that it is missing.
func (g *gathering) document(what string, digest plan.Digest, limit int64) evidence.Document {
	if g.unread != nil {
		return evidence.Document{}
	}
	raw, err := g.blobs(g.content.Task.Asked.Tenant, digest, limit)
	switch {
	case err == nil:
	case errors.Is(err, blobs.ErrNotFound), errors.Is(err, blobs.ErrCorrupt), errors.Is(err, blobs.ErrTooLarge), errors.Is(err, blobs.ErrTenant):
		g.content.Missing = append(g.content.Missing, fmt.Sprintf("%s: %v", what, err))
	default:
		g.unread = fmt.Errorf("the blob store could not be read; try again when it can be reached: %s: %w", what, err)
	}
	return evidence.Document{SHA256: digest, Text: string(raw)}
}

// policies are those by which anything was judged.
func (g *gathering) policies() {
	for _, version := range g.content.PolicyVersions() {
		digest, err := policyDigest(version)
		if err != nil {
			g.content.Missing = append(g.content.Missing, err.Error())
			continue
		}
		text := g.document("policy "+version, digest, maxPolicy)
		g.content.Policies = append(g.content.Policies, evidence.Policy{Version: version, Canonical: text.Text})
	}
}

// result is where the run stands, or how it ended.
func (g *gathering) result() error {
	last := g.chain[len(g.chain)-1]
	status, err := runs.StatusOf(g.content.RunID, last.History)
	if err != nil {
		return fmt.Errorf("the history of execution %s: %w", last.RunID, err)
	}
	g.content.Result = evidence.Result{
		Status: status.Status, Reason: status.Reason, EffectCount: status.EffectCount,
		Total: status.Counts.Total, Done: status.Counts.Done, AlreadyDone: status.Counts.AlreadyDone,
		Verdicts: status.Decisions.Counts,
		// The gate opens when the workflow hears of its request, which may be a
		// while after that was made.
		Requests: len(g.content.Requests),
	}
	for _, step := range status.Steps {
		if step.Name == workflows.ExecuteAction {
			g.content.Result.Begun = step.Runs
		}
	}
	if status.Report != nil {
		report := g.document("report", status.Report.Digest, maxReport)
		g.content.Result.Report = &report
	}
	return nil
}
