package runs

import (
	"time"

	commonpb "go.temporal.io/api/common/v1"

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

// settled takes what was answered about an action in doubt.
func (f *fold) settled(s scheduled, result *commonpb.Payloads, at time.Time) error {
	var out workflows.SettleActionResult
	err := decode(result, &out)
	switch {
	case err != nil:
		return err
	case s.hears:
		f.state.Hear(out)
	case s.action == noAction:
	default:
		f.state.ActionSettled(s.action, s.word, out)
		switch row := f.state.Actions[s.action]; {
		case out.Wait > 0:
		case row.Resolution != nil && row.Resolution.Outcome == approvals.Abort:
			f.givenUp(s.action, at)
		default:
			f.landed(s, at)
		}
	}
	return nil
}

// aborted is the end that a person makes of an action in doubt. The run may still
// ask whether the policy of the day takes her word: see unskip.
func (f *fold) aborted(v approvals.Verdict, at time.Time) {
	if i := f.place(v.ActionID); i != noAction {
		f.state.Settling(i)
		f.givenUp(i, at)
	}
}

// givenUpOn is for an answer that is not waited for any more: another word has taken
// the place of the one that was told, or the run ends before it was recorded.
func (f *fold) givenUpOn(scheduledEvent int64) {
	s, ok := f.end(scheduledEvent)
	if !ok || s.word == nil || s.action == noAction {
		return
	}
	if now := f.state.Actions[s.action].Resolution; now != nil && now.Outcome == s.word.Outcome {
		f.state.Unrecorded(s.action)
	}
}

// givenUp ends the step with what a person has given up. As in the workflow, those
// in flight are waited for.
func (f *fold) givenUp(i int, at time.Time) {
	if !f.inFlight() {
		f.state.SkipRest()
		f.state.Fail(workflows.ExecuteAction, f.state.Actions[i].Aborted(), 0, at)
	}
}

// unskip is for a word that ends the run only when the policy of the day takes it:
// what it keeps from beginning may still begin.
func (f *fold) unskip(word *workflows.Resolved) {
	if word.Outcome != approvals.Abort {
		return
	}
	for i := range f.state.Actions {
		if row := &f.state.Actions[i]; row.Status == workflows.StepSkipped {
			row.Status = workflows.StepPending
		}
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
