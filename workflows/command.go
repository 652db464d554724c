package workflows

import (
	"fmt"
	"strings"

	"github.com/holdpoint/holdpoint/approvals/plan"
)

// ApproveCommand is the plain temporal command that approves a plan, or, with
// an actionID, one action of it that waits for a word of its own. Address,
// namespace and credentials come from the sender's Temporal profile. A policy
// that wants signatures refuses it.
func ApproveCommand(runID string, hash plan.Digest, approver, actionID string) string {
	about := ""
	if actionID != "" {
		about = fmt.Sprintf(`"action_id":"%s",`, actionID)
	}
	return fmt.Sprintf(
		`temporal workflow signal --workflow-id %s --name %s --input '{"decision":"approve","plan_hash":"%s",%s"approver":"%s"}'`,
		shellQuote(runID), ApprovalName, hash, about, approver)
}

// ResolveCommand is the plain temporal command that says that an action's
// effect is at its target. The other outcomes are "not_happened" and "abort".
// The claim binds the word to what is in doubt now.
func ResolveCommand(runID string, hash plan.Digest, a Action, operator string) string {
	return fmt.Sprintf(
		`temporal workflow signal --workflow-id %s --name %s --input `+
			`'{"action_id":"%s","plan_hash":"%s","claim":"%d","outcome":"happened","operator":"%s","evidence":"what you saw"}'`,
		shellQuote(runID), ResolutionName, a.ID, hash, a.Doubt.Token, operator)
}

// Command is a command that people copy into a shell: each word is quoted where
// a shell would read more than a word.
func Command(words ...string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = shellQuote(word)
	}
	return strings.Join(quoted, " ")
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
