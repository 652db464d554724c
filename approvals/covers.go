package approvals

import (
	"fmt"
	"slices"
	"time"
)

// StillAllows reports whether these terms, which may be newer than the
// grant's, are met by it for one action of a run of requester: nil, or
// ErrNotConfirmed or ErrPolicyChanged, which lead back to the gate, or
// ErrNotGranted, of a grant that nobody gave, which does not. Signatures are
// verified anew, with the keys of today. An approval that does not count today is
// passed over; those that do must meet the quorums. The periods are not asked: a
// grant's expiry was fixed when it was given.
func (t Terms) StillAllows(g Grant, requester, actionID string) error {
	if t.Unattended() {
		return nil
	}
	if len(g.Approvals) == 0 && len(g.ByPolicy) == 0 {
		return ErrNotGranted
	}
	var names []string
	var why string // the first approval that does not count
	var counted []Approval
	for _, a := range g.Approvals {
		err := t.stands(g, a, "", requester)
		if err == nil && slices.ContainsFunc(counted, func(c Approval) bool { return t.onePerson(c.Approver, c.Key, a.Approver, a.Key) }) {
			err = fmt.Errorf("%s: the key of %s has signed for another already, or is shared with one who signed", BadSignature, a.Approver)
		}
		if err == nil {
			names, counted = append(names, a.Approver), append(counted, a)
		} else if why == "" {
			why = ". " + err.Error()
		}
	}
	if missing := t.Missing(names); missing != "" {
		return fmt.Errorf("%w: %s must still approve%s", ErrPolicyChanged, missing, why)
	}
	return t.confirmed(g, requester, actionID)
}

// confirmed reports whether an action that must be confirmed was.
func (t Terms) confirmed(g Grant, requester, actionID string) error {
	if !slices.Contains(t.Confirm, actionID) {
		return nil
	}
	why := ""
	for _, c := range g.Confirmations {
		if c.ActionID != actionID {
			continue
		}
		err := t.stands(g, c.Approval, actionID, requester)
		if err == nil {
			return nil
		}
		why = ": " + err.Error()
	}
	return fmt.Errorf("%w: %s%s", ErrNotConfirmed, actionID, why)
}

// stands reports whether an approval, of the plan or of one action, counts
// under these terms.
func (t Terms) stands(g Grant, a Approval, actionID, requester string) error {
	if code, reason := t.AllowsWord(requester, a.Approver, Approve, actionID); code != Accepted {
		return fmt.Errorf("%s: %s", code, reason)
	}
	if _, code, reason := t.prove(a.Approver, g.statementOf(a, actionID).Bytes(), a.Signature, a.At); code != Accepted {
		return fmt.Errorf("%s: %s", code, reason)
	}
	if t.isOf(a.Key, requester, a.Approver) {
		return fmt.Errorf("%s: the key of %s is also the requester's", SelfApproval, a.Approver)
	}
	return nil
}

// statementOf is what an approver of the grant signed.
func (g Grant) statementOf(a Approval, actionID string) Statement {
	expires := g.DecideBy
	if actionID != "" && !a.Expires.IsZero() {
		expires = a.Expires
	}
	return Statement{
		Run: g.RunID, Request: g.RequestID, Plan: g.PlanHash, Decision: Approve, Action: actionID,
		Approver: a.Approver, Expires: expires, Text: a.Text,
	}
}

// StillResolves reports whether these terms, which may be newer than the word,
// take it: nil, or why not. The signature is verified anew. Without a requester,
// whom workers before this check did not name, only the operator is judged.
func (t Terms) StillResolves(said ResolutionStatement, signature, requester string, at time.Time) error {
	if requester == "" && slices.Contains(t.resolversOf(said.Action), said.Operator) {
		requester = "unknown"
	}
	if code, reason := t.MayResolve(requester, said.Operator, said.Action); code != Accepted {
		return fmt.Errorf("%s: %s", code, reason)
	}
	proven, code, reason := t.prove(said.Operator, said.Bytes(), signature, at)
	if code == Accepted {
		code, reason = t.resolvesForAnother(proven.Key, requester, said.Operator)
	}
	if code != Accepted {
		return fmt.Errorf("%s: %s", code, reason)
	}
	return nil
}
