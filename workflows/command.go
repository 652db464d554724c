package workflows

import (
	"fmt"
	"strings"

	"github.com/holdpoint/holdpoint/approvals/plan"
)

// ApproveCommand is the plain temporal command that approves a plan. Address,
// namespace and credentials come from the sender's Temporal profile.
func ApproveCommand(runID string, hash plan.Digest, approver string) string {
	return fmt.Sprintf(
		`temporal workflow signal --workflow-id %s --name %s --input '{"decision":"approve","plan_hash":"%s","approver":"%s"}'`,
		shellQuote(runID), ApprovalName, hash, approver)
}

// ResolveCommand is the plain temporal command that says that an action's
// effect is at its target. The other outcomes are "not_happened" and "abort".
func ResolveCommand(runID string, hash plan.Digest, actionID, operator string) string {
	return fmt.Sprintf(
		`temporal workflow signal --workflow-id %s --name %s --input `+
			`'{"action_id":"%s","plan_hash":"%s","outcome":"happened","operator":"%s","evidence":"what you saw"}'`,
		shellQuote(runID), ResolutionName, actionID, hash, operator)
}

// shellQuote leaves plain words as they are.
func shellQuote(s string) string {
	plain := func(c rune) bool {
		return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.ContainsRune("-_./@:", c)
	}
	if s != "" && strings.IndexFunc(s, func(c rune) bool { return !plain(c) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
