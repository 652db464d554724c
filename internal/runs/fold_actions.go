package runs

import (
	"time"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/workflows"
)

// landed says what an action that came back means for its step. As in the
// workflow, those in flight are waited for, and the first failure names it; one
// in doubt is none, before the ledger and a person were asked.
func (f *fold) landed(s scheduled, at time.Time) {
	row := f.state.Actions[s.action]
	failed := row.Failed() && !(s.step == workflows.ExecuteAction && row.Status == workflows.StepInDoubt)
	switch {
	case failed && f.first == noAction:
		f.first = s.action
	case !failed && f.first == s.action:
		f.first = noAction // the ledger, or a person, knew better
	}
	attempts := int(s.attempt)
	if s.step == workflows.SettleAction {
		attempts = 0
	}
	switch {
	case f.inFlight():
	case f.first != noAction:
		row := f.state.Actions[f.first]
		f.state.Fail(workflows.ExecuteAction, row.ID+": "+row.Error, attempts, at)
	case f.state.Halt.Rejected != "":
		f.state.Fail(workflows.ExecuteAction, f.state.Halt.Rejected, attempts, at)
	case !f.left():
		f.state.Complete(workflows.ExecuteAction, attempts, at)
	}
}

// aborted is the end that a person makes of an action in doubt. As in the
// workflow, those in flight are waited for.
func (f *fold) aborted(v approvals.Verdict, at time.Time) {
	i := f.place(v.ActionID)
	if i == noAction {
		return
	}
	row := &f.state.Actions[i]
	row.Resolution.Applied = true
	if !f.inFlight() {
		f.state.SkipRest()
		f.state.Fail(workflows.ExecuteAction, row.Aborted(), 0, at)
	}
}

// inFlight reports whether an action is under way.
func (f *fold) inFlight() bool {
	for _, s := range f.running {
		if s.action != noAction {
			return true
		}
	}
	return false
}

// left reports whether the plan has actions that are not done.
func (f *fold) left() bool {
	for _, a := range f.state.Actions {
		if a.Status != workflows.StepCompleted {
			return true
		}
	}
	return false
}
