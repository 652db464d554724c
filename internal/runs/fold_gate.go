package runs

import (
	"time"

	commonpb "go.temporal.io/api/common/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/converter"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/workflows"
)

// marker reads the verdicts that a local activity recorded.
func (f *fold) marker(m *historypb.MarkerRecordedEventAttributes, at time.Time) error {
	if m.GetMarkerName() != "LocalActivity" || m.GetFailure() != nil {
		return nil
	}
	var judged workflows.JudgeDecisionsResult
	if err := decode(m.GetDetails()["result"], &judged); err != nil {
		return err
	}
	for _, v := range judged.Verdicts {
		if v.Code == approvals.Accepted && v.Outcome == "" && v.ActionID != "" {
			f.state.MarkUnconfirmed()
		}
		waited := f.state.Grant == nil
		f.state.Take(&v)
		switch {
		case v.Code == approvals.Accepted && v.Outcome == approvals.Abort:
			f.aborted(v, at)
		case waited && f.state.Grant != nil:
			f.granted(at)
		}
		f.state.Decisions.Add(v)
	}
	if rejected := f.state.Halt.Rejected; rejected != "" && !f.inFlight() {
		f.state.Fail(workflows.ExecuteAction, rejected, 0, at)
	}
	return nil
}

// attributes reads what the workflow shows outside: its status, and the
// deadline with which a gate opens.
func (f *fold) attributes(attributes *commonpb.SearchAttributes, at time.Time) error {
	fields := attributes.GetIndexedFields()
	if payload, ok := fields[workflows.DecideByAttribute]; ok {
		decideBy := new(time.Time)
		if err := converter.GetDefaultDataConverter().FromPayload(payload, decideBy); err != nil {
			return err
		}
		if f.request != nil {
			f.state.Request, f.request = f.request, nil
		}
		if f.state.DecideBy = decideBy; f.state.Request != nil {
			f.state.OpenGate(f.task, f.runID)
		}
	}
	if payload, ok := fields[workflows.StatusAttribute]; ok {
		var status workflows.RunStatus
		if err := converter.GetDefaultDataConverter().FromPayload(payload, &status); err != nil {
			return err
		}
		// An end is shown a moment before it comes. It is one when the
		// execution has closed, with its result.
		if !status.Ended() {
			if status == workflows.WaitingApproval && f.state.Grant != nil {
				f.state.MarkUnconfirmed()
			}
			f.state.Status, f.state.Reason = status, f.reason(status)
		}
		if status == workflows.Canceled && f.state.Step(workflows.ExecuteAction).Status == workflows.StepRunning {
			f.state.SkipRest()
			f.state.Fail(workflows.ExecuteAction, "canceled", 0, at)
		}
	}
	return nil
}

// reason is why the workflow shows the status, as far as the state tells.
func (f *fold) reason(status workflows.RunStatus) string {
	switch {
	case status == workflows.WaitingResolution:
		return f.state.WhatWaits()
	case f.state.Grant == nil:
		return f.state.Reason // of a second plan or request: why there is one
	case status == workflows.WaitingApproval:
		return f.state.WhatIsUnconfirmed()
	default:
		return ""
	}
}

// asked takes the request that a completed request_approval made. Its gate
// opens with the deadline that the workflow fixes, see attributes.
func (f *fold) asked(result *commonpb.Payloads) error {
	made := new(workflows.RequestApprovalResult)
	if err := decode(result, made); err != nil {
		return err
	}
	f.request = made
	return nil
}

// unattended opens the grant of a plan about which nobody is asked. That is of
// the workflow task after the request, whose beginning is the workflow's time.
func (f *fold) unattended(at time.Time) error {
	if f.request == nil || !f.request.Terms.Unattended() {
		return nil
	}
	decideBy := at.Add(f.request.Terms.DecideWithin)
	f.state.Request, f.state.DecideBy, f.request = f.request, &decideBy, nil
	f.state.OpenGate(f.task, f.runID)
	f.granted(at)
	return f.state.GrantByPolicy(at)
}
