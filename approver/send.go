package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/runs"
	"github.com/holdpoint/holdpoint/workflows"
)

// message is what a person says to a run: the name of the signal and of the
// update, and the payload of either.
type message struct {
	name    string
	payload json.RawMessage
}

// send sends a message so that its verdict comes back, or leaves it with the
// server when no worker answers.
func (s *session) send(ctx context.Context, c client.Client, run *runs.Run, m message, out io.Writer) error {
	if run.Pollers > 0 {
		answered, err := s.update(ctx, c, run, m, out)
		if answered || err != nil {
			return err
		}
	}
	return s.signal(ctx, c, run, m, out)
}

// answerWithin is how long an update may take. A worker that was killed still
// counts as one that polls, for about a minute.
const answerWithin = 10 * time.Second

// update reports false when no worker answered: an update that nobody has
// taken is not kept.
func (s *session) update(ctx context.Context, c client.Client, run *runs.Run, m message, out io.Writer) (answered bool, err error) {
	waiting, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	verdict, err := s.ask(waiting, c, run.ID, m)
	var unanswered *client.WorkflowUpdateServiceTimeoutOrCanceledError
	switch {
	case errors.As(err, &unanswered) && ctx.Err() == nil:
		return false, nil
	case err != nil:
		return false, err
	}
	if s.JSON() {
		if err := json.NewEncoder(out).Encode(verdict); err != nil {
			return true, err
		}
	}
	if verdict.Code != approvals.Accepted {
		return true, fmt.Errorf("refused: %s: %s", verdict.Code, byFlag(verdict.Reason))
	}
	if !s.JSON() {
		fmt.Fprint(out, accepted(run.ID, verdict))
	}
	return true, nil
}

// byFlag lets a verdict, which names the members of a decision, name this
// program's flags.
func byFlag(reason string) string { return strings.ReplaceAll(reason, "action_id", "--action") }

// accepted says what was accepted, what showed who it was, and what is still
// missing.
func accepted(runID string, v approvals.Verdict) string {
	said := string(v.Decision)
	switch {
	case v.Outcome != "":
		said = fmt.Sprintf("%s of action %s", v.Outcome, v.ActionID)
	case v.ActionID != "":
		said = fmt.Sprintf("%s of action %s", v.Decision, v.ActionID)
	}
	text := fmt.Sprintf("%s: %s of %s by %s, %s", v.Code, said, runID, v.Approver, runs.Proof(v.Proven))
	if v.Missing != "" {
		text += "; " + v.Missing + " must still approve"
	}
	return plan.Show(text) + "\nnext: " + plan.Show(workflows.Command("starter", "watch", runID)) + "\n"
}

func (s *session) ask(ctx context.Context, c client.Client, runID string, m message) (approvals.Verdict, error) {
	var verdict approvals.Verdict
	handle, err := c.UpdateWorkflow(ctx, client.UpdateWorkflowOptions{
		WorkflowID: runID, UpdateName: m.name, Args: []any{m.payload}, WaitForStage: client.WorkflowUpdateStageCompleted,
	})
	if err != nil {
		return verdict, fmt.Errorf("send the %s to %s: %w", m.name, runID, err)
	}
	if err := handle.Get(ctx, &verdict); err != nil {
		return verdict, fmt.Errorf("refused: %w", err)
	}
	return verdict, nil
}

// signal leaves the message with the server: no worker is there to judge it
// now, and the one that comes will. Should it also find the update that nobody
// answered, the second of the two changes nothing: a decision is then a
// duplicate, and a resolution is bound to one claim.
func (s *session) signal(ctx context.Context, c client.Client, run *runs.Run, m message, out io.Writer) error {
	if err := c.SignalWorkflow(ctx, run.ID, "", m.name, m.payload); err != nil {
		return fmt.Errorf("send the %s to %s: %w", m.name, run.ID, err)
	}
	if s.JSON() {
		return json.NewEncoder(out).Encode(map[string]bool{"judged": false})
	}
	fmt.Fprintf(out, "sent. No worker of %s answers, so there is no verdict yet: it will stand in '%s'\n",
		plan.Show(run.TaskQueue), plan.Show(workflows.Command("starter", "status", run.ID)))
	return nil
}
