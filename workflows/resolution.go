package workflows

import (
	"errors"
	"fmt"
	"strconv"

	"go.temporal.io/sdk/workflow"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// resolveDoubts is a change to the sequence of commands, see doc.go: an action
// of unknown outcome waits for a person. Before it, the run failed.
const resolveDoubts = "resolve-doubts"

func resolvesDoubts(ctx workflow.Context) bool {
	return workflow.GetVersion(ctx, resolveDoubts, workflow.DefaultVersion, 1) == 1
}

// look asks the ledger what became of an action, and tells it what a person
// found out, if one has.
func (x *execution) look(ctx workflow.Context, i int, word *Resolved) {
	planned, row := x.state.Plan.Actions[i], x.state.Actions[i]
	in := SettleActionInput{
		RunID: x.runID, Tenant: x.task.Tenant, PlanHash: x.state.Plan.PlanHash,
		ActionID: planned.ID, Key: planned.Key, Resolution: word,
	}
	if word != nil {
		in.Token = row.Doubt.Token
	}
	var out SettleActionResult
	if err := workflow.ExecuteActivity(x.settleContext(ctx, planned), SettleAction, in).Get(ctx, &out); err != nil {
		x.state.ActionUnsettled(i, err)
		return
	}
	x.state.ActionSettled(i, out)
	// An effect that did not happen after all is begun anew; a failure, not.
	x.begun[i] = x.state.Actions[i].Status != StepPending
}

// act begins what the accepted resolutions ask for.
func (x *execution) act(ctx workflow.Context) {
	for i := range x.state.Actions {
		row := &x.state.Actions[i]
		if row.Resolution == nil || row.Resolution.Applied {
			continue
		}
		row.Resolution.Applied = true
		if row.Resolution.Outcome == approvals.Abort {
			x.aborted = true
			x.state.Halt.fail(row.Aborted())
			continue
		}
		word := *row.Resolution
		x.inFlight++
		workflow.GoNamed(ctx, "settle "+row.ID, func(ctx workflow.Context) {
			x.look(ctx, i, &word)
			x.note(i)
			x.inFlight--
			x.landed++
		})
	}
}

// waits reports whether the run needs a person's word before it can go on.
func (x *execution) waits() bool {
	return !x.canceled && !x.aborted && len(x.state.waiting()) > 0 || !x.stopping() && len(x.state.unconfirmed()) > 0
}

// show keeps the status at WAITING_RESOLUTION for as long as an action waits
// for a person to find out, and else at WAITING_APPROVAL for as long as one
// waits for its own word, whatever else goes on meanwhile.
func (x *execution) show(ctx workflow.Context) {
	waiting := x.state.waiting()
	switch {
	case len(waiting) > 0 && !x.canceled && !x.aborted:
		x.setStatus(ctx, WaitingResolution, x.state.WhatWaits())
		x.tellOfDoubts(ctx)
	case !x.stopping() && len(x.state.unconfirmed()) > 0:
		x.setStatus(ctx, WaitingApproval, x.state.whatIsUnconfirmed())
	case x.state.Status == WaitingResolution, x.state.Status == WaitingApproval:
		x.setStatus(ctx, Running, "")
	}
}

// mayContinueAsNew is asked only while no activity is in flight.
func (x *execution) mayContinueAsNew(ctx workflow.Context) bool {
	waits := x.state.Status == WaitingResolution || x.state.Status == WaitingApproval
	return x.inFlight == 0 && waits && x.agentRun.mayContinueAsNew(ctx)
}

// waiting lists the places of the actions that wait for a person.
func (s *State) waiting() []int {
	var places []int
	for i, a := range s.Actions {
		if a.Status == StepInDoubt && a.Doubt != nil && a.Resolution == nil {
			places = append(places, i)
		}
	}
	return places
}

// resolved reports whether an accepted resolution has not been acted upon.
func (s *State) resolved() bool {
	for _, a := range s.Actions {
		if a.Resolution != nil && !a.Resolution.Applied {
			return true
		}
	}
	return false
}

// WhatWaits says why a run waits for a resolution; "" when it does not.
func (s *State) WhatWaits() string {
	places := s.waiting()
	if len(places) == 0 {
		return ""
	}
	row := s.Actions[places[0]]
	text := "nobody knows what became of action " + row.ID
	if more := len(places) - 1; more > 0 {
		text += fmt.Sprintf(" and of %d more", more)
	}
	return plan.Clip(text+": "+row.Doubt.Detail, maxErrorText)
}

// Doubts is what resolutions are judged against now.
func (s *State) Doubts() approvals.Doubts {
	d := approvals.Doubts{RunID: s.Gate.RunID, Requester: s.Gate.Requester, Ended: s.Status.Ended()}
	if s.Plan == nil || s.Request == nil {
		return d
	}
	d.PlanHash, d.Terms = s.Plan.PlanHash, s.Request.Terms
	for _, i := range s.waiting() {
		row := s.Actions[i]
		d.Waiting = append(d.Waiting, approvals.InDoubt{ActionID: row.ID, Claim: strconv.FormatInt(row.Doubt.Token, 10)})
	}
	for _, a := range s.Actions {
		if a.Resolution != nil {
			d.Resolved = append(d.Resolved, a.ID)
		}
	}
	return d
}

// Resolve lets an accepted resolution change the run. The verdict was given by
// the judge; plan and action are compared once more.
func (s *State) Resolve(v *approvals.Verdict) {
	if v.Code != approvals.Accepted {
		return
	}
	for _, i := range s.waiting() {
		if row := &s.Actions[i]; row.ID == v.ActionID && s.Plan.PlanHash.String() == v.PlanHash {
			row.Resolution = &Resolved{
				Outcome: v.Outcome, Operator: v.Approver, Evidence: v.Evidence, At: v.At, Via: v.Via,
			}
			return
		}
	}
	v.Code, v.Reason = approvals.TooLate, "the action was resolved while this resolution was judged"
}

// Settling marks a person's word as acted upon.
func (s *State) Settling(i int, word *Resolved) {
	if row := &s.Actions[i]; word != nil && row.Resolution != nil {
		row.Resolution.Applied = true
	}
}

// ActionSettled records what the ledger says of an action in doubt.
func (s *State) ActionSettled(i int, out SettleActionResult) {
	row := &s.Actions[i]
	word := row.Resolution
	switch {
	case out.Standing == StandingDone && out.Receipt != nil:
		row.Status, row.Ref, row.Error, row.Doubt = StepCompleted, out.Receipt.Ref, "", nil
	case out.Standing == StandingAbsent && word != nil:
		row.Status, row.Error, row.Doubt = StepPending, "", nil
	case out.Standing == StandingAbsent:
		row.Status, row.Doubt = StepFailed, nil
		if row.Error == "" {
			// Nothing failed: the approval, or the target, was in the way.
			row.Status = StepPending
		}
	case out.Standing == StandingInDoubt && out.Doubt != nil:
		// A word about an earlier claim says nothing about this one.
		row.Status, row.Doubt, row.Resolution = StepInDoubt, out.Doubt, nil
	default:
		s.ActionUnsettled(i, errors.New("the activity named no standing"))
	}
}

// ActionUnsettled records that the ledger could not be asked: the action stays
// in doubt, and no word about it can be taken.
func (s *State) ActionUnsettled(i int, err error) {
	row := &s.Actions[i]
	row.Status, row.Doubt = StepInDoubt, nil
	row.Error = plan.Clip(SettleAction+": "+FaultText(err), maxErrorText)
}

const (
	maxShownDetail   = 300 // bytes of a doubt's detail in a status
	maxShownEvidence = 200
)

func (d *Doubt) short() *Doubt {
	if d == nil {
		return nil
	}
	short := *d
	short.Detail = plan.Clip(short.Detail, maxShownDetail)
	return &short
}

func (r *Resolved) short() *Resolved {
	if r == nil {
		return nil
	}
	short := *r
	short.Evidence = plan.Clip(short.Evidence, maxShownEvidence)
	return &short
}
