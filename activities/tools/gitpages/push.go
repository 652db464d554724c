package gitpages

import (
	"errors"
	"strings"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/gitcli"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// answer is what became of one ref of a push, as "push --porcelain" tells it:
// flag TAB from:to TAB summary.
type answer struct {
	flag    byte // '!' for a ref that was not moved, '=' for one that was there already
	summary string
}

// answers returns none for a push that ended before the remote answered.
func answers(porcelain []byte) []answer {
	var all []answer
	for line := range strings.Lines(string(porcelain)) {
		fields := strings.SplitN(strings.TrimRight(line, "\n"), "\t", 3)
		if len(fields) == 3 && len(fields[0]) == 1 {
			all = append(all, answer{fields[0][0], fields[2]})
		}
	}
	return all
}

// reason is what stands behind a summary: "[remote rejected] (hook declined)".
func (a answer) reason() string {
	_, reason, _ := strings.Cut(a.summary, "(")
	return strings.TrimSuffix(reason, ")")
}

// moved reports a ref that this push moved.
func (a answer) moved() bool { return a.flag != '!' && a.flag != '=' }

// unanswered reports a ref about which the remote said nothing.
func (a answer) unanswered() bool {
	return a.flag == '!' && strings.HasPrefix(a.summary, "[remote failure]")
}

// refused reports a ref that the remote would not move for a reason of its
// own, rather than because it stood elsewhere or is locked.
func (a answer) refused() bool {
	return a.flag == '!' && strings.HasPrefix(a.summary, "[remote rejected]") && !hasOneOf(a.reason(), raceReasons)
}

// raceReasons are what git, and hosts that have their own, say of a ref that
// somebody else has moved or is about to move, and of its companions.
var raceReasons = []string{
	"atomic push failure", "atomic transaction failed", "transaction failed", "failed to update ref", "cannot lock ref",
	"failed to lock", "unable to lock", "reference already exists", "incorrect old value", "stale info", "fetch first", "non-fast-forward",
}

// lastingReasons mark refusals that trying again does not change.
var lastingReasons = []string{
	"hook", "declin", "denied", "deny", "refus", "not allowed", "protect", "permi", "prohibit", "forbid", "violat", "hidden", "shallow", "checked out",
}

// unpushed names what became of a push that git did not report as done.
func (m *remoteRefs) unpushed(err error) error {
	if fault, ok := errors.AsType[*faults.Fault](err); ok {
		return fault // no program was run
	}
	failed, ended := errors.AsType[*gitcli.Error](err)
	if !ended {
		return m.inFlight(err, "it did not end in time")
	}
	refs := answers(failed.Stdout)
	if len(refs) == 0 {
		if trouble, ok := m.address.BeforeContact(m.who(), failed); ok {
			return trouble
		}
		return m.inFlight(err, plan.Escape(m.address.Redact(failed.Error())))
	}
	refused := ""
	for _, ref := range refs {
		switch {
		case ref.moved(), ref.unanswered():
			return m.inFlight(err, "the remote did not answer for each ref")
		case ref.refused():
			refused = ref.reason()
		}
	}
	if refused != "" {
		return &lostError{cause: err, verdict: m.refusal(refused)}
	}
	return &lostError{cause: errors.New(m.who() + " did not move the refs (" + gitcli.Quote(refs[0].reason()) + ")")}
}

// refusal is the verdict on a push that the remote surely refused.
func (m *remoteRefs) refusal(reason string) *faults.Fault {
	class := faults.Transient
	if hasOneOf(reason, lastingReasons) {
		class = faults.Permanent
	}
	return &faults.Fault{Class: class, Code: gitcli.CodePushRefused, Reason: m.who() + " refused the push: " + gitcli.Quote(m.address.Redact(reason))}
}

// inFlight is the verdict on a push that may have arrived, or may yet arrive.
// A look at the remote can show that it did, and not that it will not.
func (m *remoteRefs) inFlight(err error, why string) error {
	return &lostError{cause: err, doubt: true, verdict: &faults.Fault{
		Class:  faults.Unknown,
		Code:   codePushUnknown,
		Reason: "a push to " + m.who() + " ended without an answer, and whether it arrives is not known: " + gitcli.Clip(why),
		Cause:  err,
	}}
}

func hasOneOf(text string, words []string) bool {
	text = strings.ToLower(text)
	for _, word := range words {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}
