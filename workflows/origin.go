package workflows

import (
	"errors"

	"go.temporal.io/sdk/workflow"
)

// checkOrigin refuses a state that comes from anybody but the execution which
// this one continues: whoever can start a workflow could say so that he was
// approved. The server names the execution before in the first event of every
// continue-as-new. It also does so when it starts a workflow again by itself, for
// a cron schedule or a retry policy, and then with the input of whoever started
// the first, so a run with either takes over no state at all.
//
// See the fields continued_execution_run_id, cron_schedule and retry_policy of
// WorkflowExecutionStartedEventAttributes in the history's API.
func (s *State) checkOrigin(info *workflow.Info) error {
	switch {
	case s == nil:
		return nil
	case info.ContinuedExecutionRunID == "":
		return errors.New("a state comes from the execution that this one continues, and from nobody else: start a run with its task alone")
	case info.CronSchedule != "" || info.RetryPolicy != nil || info.Attempt > 1:
		return errors.New("a run that is started again by a cron schedule or a retry policy takes over no state: start it without either")
	case s.Plan == nil || s.Request == nil || s.Grant == nil && s.DecideBy == nil:
		return errors.New("the state is of no run that waits for people")
	}
	return nil
}
