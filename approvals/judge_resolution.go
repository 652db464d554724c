package approvals

import (
	"fmt"
	"slices"

	"github.com/holdpoint/holdpoint/approvals/plan"
)

// JudgeResolutions judges resolutions in the order in which they arrived, each
// against what the earlier ones left, and returns one verdict for each, in
// that order. The first valid word about an action counts, but for a
// NotHappened: until it is recorded, and so may be sent again, whoever knows
// better can still say so. In a run that was reset, a NotHappened is asked anew,
// under another name, and only words that come after that answer it: what took the
// first one back may be missing, and a reset repeats what was sent. Those that had
// arrived by then are asked anew too; in a later batch, InDoubt.Anew says so.
//
//	the action                          the word         code
//	----------------------------------  ---------------  ------------
//	is not in doubt, or another claim   any              not_in_doubt
//	waits, and must be asked anew       not_happened     asked_anew
//	waits, and nothing was said         any              accepted
//	waits to be sent again              not_happened     duplicate
//	waits to be sent again              another          accepted
//	was resolved                        the same         duplicate
//	was resolved                        another          contradicts
func JudgeResolutions(d Doubts, batch []Arrival) []Verdict {
	verdicts := make([]Verdict, 0, len(batch))
	for _, a := range batch {
		v := judgeResolution(d, a)
		if v.Code != Accepted {
			v = v.Short()
		}
		verdicts = append(verdicts, v)
		if v.Code == Accepted {
			d = d.After(v)
		}
	}
	return verdicts
}

func judgeResolution(d Doubts, a Arrival) Verdict {
	v := Verdict{At: a.At.UTC(), Via: a.Via}
	r, err := readResolution(a)
	if err != nil {
		v.Code = Malformed
		v.Reason = sentence(err) + ` Send one JSON object such as {"action_id":"a1","plan_hash":"sha256:…",` +
			`"outcome":"happened","operator":"you@example.com","evidence":"what you saw","claim":"1"}.`
		return v
	}
	v.PlanHash, v.Approver = r.PlanHash.String(), r.Operator
	v.ActionID, v.Outcome, v.Evidence = r.ActionID, r.Outcome, r.Evidence
	if v.Code, v.Reason = speaksOf(d, r); v.Code != Accepted {
		return v
	}
	statement, err := d.StatementOf(r)
	if err != nil {
		v.Code, v.Reason = NotAResolver, sentence(err) // MayResolve has refused it already
		return v
	}
	proven, code, reason := d.Terms.prove(statement.Operator, statement.Bytes(), r.Signature, a.At)
	if code == Accepted {
		code, reason = d.Terms.resolvesForAnother(proven.Key, d.Requester, statement.Operator)
	}
	if code == Accepted {
		code, reason = resolve(d, r)
	}
	if anew := d.asksAnew(r); code == Accepted && anew != "" {
		v.Code, v.Claim, v.RequestID = AskedAnew, statement.Claim, anew
		v.Reason = "The run was reset since this was asked, and what took it back may be missing. " +
			"It is asked anew: look at the run and at the target again, and say what is so now."
		return v
	}
	if v.Code, v.Reason = code, reason; code == Accepted {
		v.Approver, v.Proven, v.Claim = statement.Operator, proven, statement.Claim
	}
	return v
}

func readResolution(a Arrival) (Resolution, error) {
	if a.Unreadable != "" {
		return Resolution{}, fmt.Errorf("the input cannot be read: %s", a.Unreadable)
	}
	return ParseResolution(a.Raw)
}

// speaksOf judges who speaks, and of what.
func speaksOf(d Doubts, r Resolution) (Code, string) {
	switch {
	case d.Ended:
		return TooLate, "The run has ended or is ending; nothing can be resolved in it any more. See its result."
	case d.PlanHash.IsZero():
		return NoPlanYet, "The run has no plan yet, and so no action in doubt."
	case r.PlanHash != d.PlanHash:
		return StalePlan, fmt.Sprintf("The resolution is of the plan %s; the run's plan is %s. Look at the run again.", r.PlanHash, d.PlanHash)
	}
	return d.Terms.MayResolve(d.Requester, r.Operator, r.ActionID)
}

// resolve judges whether the action waits for this word.
func resolve(d Doubts, r Resolution) (Code, string) {
	id := plan.Escape(r.ActionID)
	if at := slices.IndexFunc(d.Waiting, about(r.ActionID)); at >= 0 {
		now := d.Waiting[at]
		switch {
		case r.Claim != "" && r.Claim != now.Claim:
			return NotInDoubt, fmt.Sprintf("The resolution is of the claim %s of action %s; it is the claim %s that is in doubt now. Look at the run again.",
				plan.Escape(shorten(r.Claim)), id, now.Claim)
		case now.open(r.Outcome):
			return Accepted, ""
		default:
			return Duplicate, fmt.Sprintf("That the action %s did not happen was said already. Nothing is left to do.", id)
		}
	}
	at := slices.IndexFunc(d.Resolved, about(r.ActionID))
	switch {
	case at < 0, r.Claim != "" && d.Resolved[at].Claim != "" && r.Claim != d.Resolved[at].Claim:
		return NotInDoubt, fmt.Sprintf("The action %s is not in doubt. Look at the run's status.", id)
	case d.Resolved[at].Said == r.Outcome:
		return Duplicate, fmt.Sprintf("The action %s was resolved so already. Nothing is left to do.", id)
	default:
		said := d.Resolved[at].Said
		return Contradicts, fmt.Sprintf("The action %s was resolved as %s before, and that is recorded; it stands. %s", id, said, tooLateFor(said))
	}
}

// tooLateFor says what can still be done about a word that stands.
func tooLateFor(said Outcome) string {
	if said == NotHappened {
		return "It may have been sent again by now: look at the run's status and at the target, and cancel the run if nothing more must be sent."
	}
	return "Nothing is sent because of it. Look at the run's status."
}
