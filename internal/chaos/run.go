package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/internal/runs"
	"github.com/holdpoint/holdpoint/workflows"
)

// run is one run of the campaign.
type run struct {
	id      string
	task    workflows.Task
	actions []*action
	status  workflows.RunStatus
	reason  string
}

// newRun makes a run of a few actions by tools drawn from all, some of which
// depend on each other, and writes its plan where a worker reads it. The tools
// that the phase has used least come first.
func (s *stage) newRun(ctx context.Context, n int, f fault, deal *deck) (*run, error) {
	name := fmt.Sprintf("run-%04d", n)
	one := &run{id: "chaos/" + name, task: workflows.Task{
		Tenant: "chaos", BusinessID: name, Goal: "write what the plan says", Requester: "ann.wu", Planner: "given",
		Context: []workflows.Source{{Root: "plans", Path: name}}, OnFailure: workflows.Continue,
	}}
	type given struct {
		ID         string         `json:"id"`
		Tool       string         `json:"tool"`
		Parameters map[string]any `json:"parameters"`
		DependsOn  []string       `json:"depends_on,omitempty"`
	}
	var plan []given
	for i, t := range deal.draw(2 + deal.IntN(3)) {
		a := &action{ID: "a" + strconv.Itoa(i+1), Effect: name + "-" + t.name, tool: t, fault: f.name, run: one.id}
		g := given{ID: a.ID, Tool: t.name, Parameters: t.parameters(a.Effect)}
		if i > 0 && deal.IntN(3) == 0 {
			g.DependsOn = []string{"a" + strconv.Itoa(i)}
		}
		if t.prepare != nil {
			if err := t.prepare(ctx, a.Effect); err != nil {
				return nil, fmt.Errorf("prepare %s: %w", a, err)
			}
		}
		plan = append(plan, g)
		one.actions = append(one.actions, a)
		target, path, _ := strings.Cut(t.target, "/")
		one.task.Tools = append(one.task.Tools, workflows.ToolUse{Tool: t.name, Target: target, Path: path})
	}
	raw, err := json.Marshal(map[string]any{"format": "holdpoint.actions/1", "actions": plan})
	if err != nil {
		return nil, err
	}
	folder := filepath.Join(s.dir, "plans", name)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	return one, os.WriteFile(filepath.Join(folder, "actions.json"), raw, 0o600)
}

// look is how often a run is looked at.
const look = 500 * time.Millisecond

// play takes a run from its start to its end: it approves the plan as it comes
// to wait for that, and resolves what is in doubt by a look at the targets. It
// tries again whatever the server does not answer. It returns nil also when
// ctx ends first: the run's status then says that it hung.
func (s *stage) play(ctx context.Context, one *run) error {
	started := false
	for {
		if !started {
			_, err := s.client.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
				ID: one.id, TaskQueue: taskQueue, WorkflowTaskTimeout: 3 * time.Second, WorkflowExecutionErrorWhenAlreadyStarted: false,
			}, workflows.WorkflowType, one.task)
			started = err == nil
		} else if over, err := s.attend(ctx, one); over || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(look):
		}
	}
}

// attend looks at a run once, and does what it waits for.
func (s *stage) attend(ctx context.Context, one *run) (over bool, err error) {
	if waits, err := s.waits(ctx, one.id); err != nil || !waits {
		return false, nil //nolint:nilerr // the server is away: the next look tells
	}
	seen, err := s.reader.Read(ctx, one.id)
	if err != nil {
		return false, nil //nolint:nilerr // as above
	}
	one.status, one.reason = seen.Status.Status, seen.Status.Reason
	one.note(seen)
	switch {
	case seen.Closed:
		return true, nil
	case one.status == workflows.WaitingApproval:
		s.say(ctx, one, workflows.ApprovalName, approvals.Decision{
			Decision: approvals.Approve, PlanHash: seen.Status.PlanHash, Approver: "bo.lin",
		})
	case one.status == workflows.WaitingResolution:
		return false, s.resolve(ctx, one, seen)
	}
	return false, nil
}

// note keeps what the run says of its actions.
func (one *run) note(seen *runs.Run) {
	for i, row := range seen.State.Actions {
		a := one.actions[i]
		a.key, a.attempts = row.Key, max(a.attempts, row.Attempts)
		a.doubted = a.doubted || row.Status == workflows.StepInDoubt || row.Resolution != nil
	}
}

// waits asks the server, without the run's history, whether it has ended or
// waits for somebody.
func (s *stage) waits(ctx context.Context, id string) (bool, error) {
	seen, err := s.client.DescribeWorkflow(ctx, id, "")
	if err != nil {
		return false, err
	}
	var shown workflows.RunStatus
	payload := seen.RawResponse.GetWorkflowExecutionInfo().GetSearchAttributes().GetIndexedFields()[workflows.StatusAttribute]
	if err := converter.GetDefaultDataConverter().FromPayload(payload, &shown); err != nil {
		return false, err
	}
	return seen.Status != enums.WORKFLOW_EXECUTION_STATUS_RUNNING || shown == workflows.WaitingApproval || shown == workflows.WaitingResolution, nil
}

func (s *stage) say(ctx context.Context, one *run, signal string, payload any) {
	_ = s.client.SignalWorkflow(ctx, one.id, "", signal, payload) // said again at the next look if need be
}

// resolve says of each action in doubt what is at its target, once no call can
// be under way any more.
func (s *stage) resolve(ctx context.Context, one *run, seen *runs.Run) error {
	for i, row := range seen.State.Actions {
		if row.Status != workflows.StepInDoubt || row.Doubt == nil || row.Resolution != nil {
			continue
		}
		a := one.actions[i]
		if until := row.Doubt.QuietUntil; until != nil && time.Now().Before(until.Add(time.Second)) {
			continue
		}
		effects, err := s.count(ctx, a)
		if err != nil {
			return err
		}
		outcome := approvals.NotHappened
		if effects > 0 {
			outcome = approvals.Happened
		}
		s.say(ctx, one, workflows.ResolutionName, approvals.Resolution{
			ActionID: row.ID, PlanHash: seen.Status.PlanHash, Outcome: outcome, Operator: "cy.ma",
			Evidence: fmt.Sprintf("counted %d at the target", effects), Claim: strconv.FormatInt(row.Doubt.Token, 10),
		})
	}
	return nil
}

// count looks at the target of an action.
func (s *stage) count(ctx context.Context, a *action) (int, error) {
	return s.owner[a.tool.name].count(ctx, a)
}
