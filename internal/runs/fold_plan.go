package runs

import (
	"time"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/workflows"
)

// planning is the beginning of a plan, the first or one in place of another,
// and says why there is one.
func (f *fold) planning(revision int) {
	f.state.Revision = revision
	f.state.Gate, f.first = approvals.Request{Requester: f.task.Requester}, noAction
	if why := f.state.Halt.Replan; why != "" {
		f.state.Reason = why
	}
	f.state.Halt = workflows.Halt{}
}

// planned takes a plan. One of which nothing is left to do goes on to the
// report.
func (f *fold) planned(p *workflows.MakePlanResult) {
	f.state.NewPlan(p)
	if f.left() {
		return
	}
	f.state.Skip(workflows.RequestApproval)
	f.state.Skip(workflows.ExecuteAction)
	f.state.Reason = "every action of the plan was done before; nothing to approve"
}

// granted is the last decision that was wanted: execution begins with the
// workflow task that takes it.
func (f *fold) granted(at time.Time) {
	f.state.Begin(workflows.ExecuteAction, f.task, at)
	f.state.Reason = ""
}
