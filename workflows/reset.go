package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/holdpoint/holdpoint/approvals"
)

// A reset takes back what people said after the event that it goes to: somebody
// who may reset a run could take back a rejection so, and repeat a signature that
// stands in the history. Therefore a request, and the grant that it leads to,
// belong to the execution in which the gate was opened. In another one nothing is
// let go: the judge says so in a verdict, and the workflow, which goes by
// that verdict and never by the id itself, asks everybody anew.

// carriedOn stands in a carried state for the execution that will have it: a
// request goes on with the run, unless that was reset before.
const carriedOn = "continued"

// isExecution tells the state in which execution it is. By its original id, one
// that continues another stays another one than its own reset.
func (s *State) isExecution(info *workflow.Info) {
	s.execution = info.WorkflowExecution.RunID
	if s.Request != nil && s.Request.Execution == carriedOn {
		s.Request.Execution, s.Gate.Execution = info.OriginalRunID, info.OriginalRunID
	}
	if s.Grant != nil && s.Grant.Execution == carriedOn {
		s.Grant.Execution = info.OriginalRunID
	}
}

// handOn prepares a state that is carried over.
func (s *State) handOn(wasReset bool) {
	if wasReset {
		return
	}
	if s.Request != nil && s.Request.Execution != "" {
		request := *s.Request
		request.Execution = carriedOn
		s.Request = &request
	}
	if s.Grant != nil && s.Grant.Execution != "" {
		grant := *s.Grant
		grant.Execution = carriedOn
		s.Grant = &grant
	}
}

// wasReset reports whether the run was reset since its request was opened.
func (s *State) wasReset() bool {
	return s.execution != "" && s.Gate.Execution != "" && s.Gate.Execution != s.execution
}

const whyAskedAnew = "the run was reset since its approval was asked for"

// askAnew closes the gate until it opens anew, or takes the run back to it.
func (s *State) askAnew(v *approvals.Verdict) {
	if v.ActionID == "" && s.Gate.Phase == approvals.PhaseOpen {
		s.Gate.Phase = approvals.PhaseNoPlan
		s.Reason = whyAskedAnew
		return
	}
	for i := range s.Actions {
		if s.Actions[i].ID == v.ActionID && s.Actions[i].Unconfirmed {
			s.Actions[i].Unconfirmed = false
			s.Halt.Replan = whyAskedAnew
		}
	}
}
