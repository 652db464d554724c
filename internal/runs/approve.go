package runs

import (
	"time"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/workflows"
)

// ApproveCommand is the command that approves the plan which a run has now, or
// the action that waits for a word of its own, as somebody who may: a plain
// temporal command where a claim will do. It is "" when nobody may.
func ApproveCommand(s workflows.Status) string {
	approver := s.Approver
	if approver == "" && len(s.Approvers) > 0 {
		// A result of a build before the field.
		approver = s.Approvers[0]
	}
	if approver == "" {
		return ""
	}
	actionID := ""
	for _, a := range s.Actions {
		if a.Unconfirmed {
			actionID = a.ID
			break
		}
	}
	if s.Proof != approvals.BySignature {
		return workflows.ApproveCommand(s.RunID, s.PlanHash, approver, actionID)
	}
	if actionID != "" {
		return ConfirmCommand(s.RunID, actionID, approver)
	}
	return workflows.Command("approver", "approve", s.RunID, "--as", approver)
}

// ConfirmCommand is the command that lets one action go which waits for a word
// of its own, as somebody who may.
func ConfirmCommand(runID, actionID, approver string) string {
	return workflows.Command("approver", "approve", runID, "--action", actionID, "--as", approver)
}

// ResolveCommand is the command that says what became of an action, but for the
// outcome and the evidence, which only a person can fill in.
func ResolveCommand(runID, actionID, operator string) string {
	return workflows.Command("approver", "resolve", runID, actionID) + " happened|not_happened|abort --as " +
		workflows.Command(operator) + " --evidence '…'"
}

// Approved says in one line who approved, when, for whom and by what proof. It
// is not escaped.
func Approved(a approvals.Approval) string {
	text := a.Approver + ", " + a.At.UTC().Format(time.RFC3339)
	if a.Groups != "" {
		text += ", for " + a.Groups
	}
	return text + ", " + Proof(a.Proven)
}

// Proof says what showed that it was that person. It is not escaped.
func Proof(p approvals.Proven) string {
	if p.Proof == approvals.BySignature {
		return "signed with " + p.Key
	}
	return "by claim"
}

// Approvals lists who has approved the present plan and has not been made void,
// in order. Until the last that is wanted has, there is no grant.
func (r *Run) Approvals() []approvals.Approval {
	if r.Status.Approval != nil {
		return r.Status.Approval.Approvals
	}
	var all []approvals.Approval
	for _, t := range r.State.Gate.Taken {
		if t.Decision == approvals.Approve && t.ActionID == "" {
			all = append(all, t.Approval)
		}
	}
	return all
}

// MayStillApprove lists who may approve the plan and would bring the run nearer
// to its grant, or, while an action waits for a word of its own, who may give
// it.
func (r *Run) MayStillApprove() []string {
	switch gate := r.State.GateNow(); {
	case gate.Phase == approvals.PhaseOpen:
		return gate.Awaited()
	case len(gate.Confirm) > 0:
		return gate.Terms.ConfirmersFor(gate.Requester, gate.Confirm[0])
	default:
		return nil
	}
}
