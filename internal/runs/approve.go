package runs

import "github.com/holdpoint/holdpoint/workflows"

// ApproveCommand is the plain temporal command that approves the plan which a
// run has now, as somebody who may. It is "" when nobody may.
func ApproveCommand(s workflows.Status) string {
	approver := s.Approver
	if approver == "" && len(s.Approvers) > 0 {
		// A result of a build before the field.
		approver = s.Approvers[0]
	}
	if approver == "" {
		return ""
	}
	return workflows.ApproveCommand(s.RunID, s.PlanHash, approver)
}
