package approvals

import (
	"fmt"
	"slices"
	"strings"
)

// Unattended reports that the policy asks nobody about this plan.
func (t Terms) Unattended() bool { return len(t.Quorums) == 0 && len(t.ByPolicy) > 0 }

// Approvers lists everyone who is in a group of a quorum, sorted.
func (t Terms) Approvers() []string {
	var names []string
	for _, q := range t.Quorums {
		names = append(names, q.Members...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Allows judges a person, not a plan: may approver make this choice about a
// run of requester? The code is Accepted, or else SelfApproval, NotAnApprover
// or (for no choice at all) Malformed, with a sentence that says why. Whether it
// is that person, the proof must show.
//
//   - A requester may reject her own run; more only where the terms say so.
//   - Everyone else must be in a group of a quorum.
//   - A name that NormalizeIdentity refuses is nobody's.
func (t Terms) Allows(requester, approver string, choice Choice) (Code, string) {
	if !choice.known() {
		return Malformed, "There is no such decision. Send approve, reject or revise."
	}
	name, err := NormalizeIdentity(approver)
	if err != nil {
		return NotAnApprover, sentence(err) + " Write the name as the policy has it."
	}
	owner, err := NormalizeIdentity(requester)
	if err != nil {
		return SelfApproval, "It cannot be told who requested this run, so no one can be told apart from the requester. Start it again with a valid requester."
	}
	switch {
	case name == owner && choice == Reject:
		return Accepted, ""
	case name == owner && !t.SelfApproval:
		return SelfApproval, fmt.Sprintf("%s requested this run and may only reject it. Ask another approver of the policy %s.", name, t.Label)
	case !slices.Contains(t.Approvers(), name):
		return NotAnApprover, fmt.Sprintf("%s is in no group that the policy %s asks about this plan. Ask one who is: %s.",
			name, t.Label, t.Asks())
	}
	return Accepted, ""
}

// ApproverFor returns the first who may approve a run of requester, or "" when
// nobody may.
func (t Terms) ApproverFor(requester string) string {
	if names := t.ApproversFor(requester); len(names) > 0 {
		return names[0]
	}
	return ""
}

// ApproversFor lists who may approve a run of requester, or say a word about one
// of its actions.
func (t Terms) ApproversFor(requester string) []string {
	var names []string
	for _, name := range t.Approvers() {
		if code, _ := t.Allows(requester, name, Approve); code == Accepted {
			names = append(names, name)
		}
	}
	return names
}

// confirmersOf returns whose word lets an action go, as far as groups tell.
func (t Terms) confirmersOf(actionID string) []string {
	for _, c := range t.Confirmers {
		if slices.Contains(c.Actions, actionID) {
			return c.Members
		}
	}
	return t.Approvers()
}

// AllowsWord judges a person as Allows does, of a word about one action: only a
// confirmer's lets it go, and whoever is asked about the plan may stop it. Without
// an action it is Allows.
func (t Terms) AllowsWord(requester, approver string, choice Choice, actionID string) (Code, string) {
	code, reason := t.Allows(requester, approver, choice)
	if code != Accepted || actionID == "" || choice == Reject {
		return code, reason
	}
	name, err := NormalizeIdentity(approver)
	if may := t.confirmersOf(actionID); err != nil || !slices.Contains(may, name) {
		return NotAnApprover, fmt.Sprintf("%s is in no group that the policy %s asks for a word about this action. Ask one of %s, or reject the action.",
			name, t.Label, strings.Join(may[:min(len(may), maxNamed)], ", "))
	}
	return Accepted, ""
}

// maxNamed bounds the people whom a sentence names.
const maxNamed = 5

// ConfirmersFor lists whose word lets an action of a run of requester go.
func (t Terms) ConfirmersFor(requester, actionID string) []string {
	var names []string
	for _, name := range t.Approvers() {
		if code, _ := t.AllowsWord(requester, name, Approve, actionID); code == Accepted {
			names = append(names, name)
		}
	}
	return names
}

// resolversOf returns who may resolve an action.
func (t Terms) resolversOf(actionID string) []string {
	var rest []string
	for _, r := range t.Resolvers {
		if slices.Contains(r.Actions, actionID) {
			return r.Members
		}
		if len(r.Actions) == 0 && rest == nil {
			rest = r.Members
		}
	}
	return rest
}

// MayResolve judges whether operator may say what became of an action of a run
// of requester. The code is Accepted, SelfApproval or NotAResolver, with a
// sentence that says why. A requester never may.
func (t Terms) MayResolve(requester, operator, actionID string) (Code, string) {
	name, err := NormalizeIdentity(operator)
	owner, ownerErr := NormalizeIdentity(requester)
	switch {
	case err != nil:
		return NotAResolver, sentence(err) + " Write the name as the policy has it."
	case ownerErr != nil || name == owner:
		return SelfApproval, fmt.Sprintf("%s requested this run and may not resolve its actions. Ask a resolver of the policy %s.", name, t.Label)
	case !slices.Contains(t.resolversOf(actionID), name):
		return NotAResolver, fmt.Sprintf("%s is not a resolver of the policy %s. Ask one who is.", name, t.Label)
	}
	return Accepted, ""
}

// resolvesForAnother refuses the key of an operator that is the requester's too: a
// requester never resolves, under any name. An empty key is a claim's.
func (t Terms) resolvesForAnother(key, requester, operator string) (Code, string) {
	if t.isOf(key, requester, operator) {
		return SelfApproval, fmt.Sprintf("The key %s is also one of %s, who requested this run and may not resolve its actions. "+
			"Ask a resolver of the policy %s with a key of her own.", key, requester, t.Label)
	}
	return Accepted, ""
}

// ResolversFor lists who may resolve an action of a run of requester.
func (t Terms) ResolversFor(requester, actionID string) []string {
	var names []string
	for _, name := range t.resolversOf(actionID) {
		if code, _ := t.MayResolve(requester, name, actionID); code == Accepted {
			names = append(names, name)
		}
	}
	return names
}

// Asks says in words what the quorums want, such as "1 of editors and 2 of
// security".
func (t Terms) Asks() string {
	wanted := make([]int, len(t.Quorums))
	for i, q := range t.Quorums {
		wanted[i] = q.Need
	}
	return t.words(wanted)
}

// words names so many of each quorum's group.
func (t Terms) words(counts []int) string {
	var parts []string
	for i, q := range t.Quorums {
		if counts[i] > 0 {
			parts = append(parts, fmt.Sprintf("%d of %s", counts[i], q.Group))
		}
	}
	return strings.Join(parts, " and ")
}

// sentence makes a sentence of an error's text.
func sentence(err error) string {
	text := err.Error()
	return strings.ToUpper(text[:1]) + text[1:] + "."
}
