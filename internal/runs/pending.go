package runs

import (
	commonpb "go.temporal.io/api/common/v1"
	workflowpb "go.temporal.io/api/workflow/v1"

	"github.com/holdpoint/holdpoint/workflows"
)

// pending joins what the server knows of running activities with the plan.
func (f *fold) pending(infos []*workflowpb.PendingActivityInfo) []Pending {
	var all []Pending
	for _, info := range infos {
		p := Pending{
			Activity: info.GetActivityType().GetName(), Attempt: info.GetAttempt(),
			Failure: info.GetLastFailure().GetMessage(), NextAt: info.GetNextAttemptScheduleTime().AsTime(),
		}
		for _, s := range f.running {
			if s.id == info.GetActivityId() && s.action != noAction {
				p.Activity += " " + f.state.Actions[s.action].ID
			}
		}
		if p.Activity == string(workflows.CollectContext) {
			p.Progress = progress(info.GetHeartbeatDetails())
		}
		all = append(all, p)
	}
	return all
}

// progress is what a heartbeat says. One that cannot be read says nothing, and
// keeps nobody from seeing the rest.
func progress(details *commonpb.Payloads) *workflows.CollectProgress {
	var p *workflows.CollectProgress // stays nil at a null, which stands before what is not the step's
	if decode(details, &p) != nil {
		return nil
	}
	return p
}
