package approvals

import (
	"slices"

	"github.com/holdpoint/holdpoint/approvals/plan"
)

// Doubts is what resolutions are judged against: the actions of a run that
// wait for one, and what has been said of others.
type Doubts struct {
	RunID     string      `json:"run_id"`
	PlanHash  plan.Digest `json:"plan_hash"`
	Requester string      `json:"requester"`
	Terms     Terms       `json:"terms"`
	Waiting   []InDoubt   `json:"waiting"`
	Resolved  []InDoubt   `json:"resolved"` // actions that were in doubt, of this plan, with what was said
	Ended     bool        `json:"ended"`    // the run has ended, or is ending
}

// InDoubt is an action that waits for a resolution, or has had one.
type InDoubt struct {
	ActionID string `json:"action_id"`
	Claim    string `json:"claim"`
	// Said is the word that was accepted; "" is none. While the action still
	// waits, it is a NotHappened that is not recorded yet, and the cautious words
	// take its place.
	Said Outcome `json:"said,omitempty"`
	// Request names the asking that a NotHappened answers, once it was asked anew;
	// empty before.
	Request string `json:"request,omitempty"`
	// Anew is set in a run that was reset since this was asked: the name under which
	// it is asked anew. What was said then may be missing, so no NotHappened is
	// taken before. It is set too for words that had arrived when it was asked under
	// that name; Request is the same then.
	Anew string `json:"asked_anew,omitempty"`
}

// open reports whether a word about the action can still change something.
func (i InDoubt) open(to Outcome) bool {
	return i.Said == "" || i.Said == NotHappened && to != NotHappened
}

// After returns the doubts as they stand after v. A refusal changes nothing, but
// for the one that asks anew. The receiver's own lists stay as they are.
func (d Doubts) After(v Verdict) Doubts {
	switch v.Code {
	case AskedAnew:
		return d.askedAnew(v)
	case Accepted:
	default:
		return d
	}
	said := InDoubt{ActionID: v.ActionID, Claim: v.Claim, Said: v.Outcome}
	before := slices.IndexFunc(d.Waiting, about(v.ActionID))
	if v.Outcome == NotHappened && before >= 0 {
		said.Request = d.Waiting[before].Request
	}
	d.Waiting = slices.DeleteFunc(slices.Clone(d.Waiting), about(v.ActionID))
	if v.Outcome == NotHappened {
		d.Waiting = append(d.Waiting, said)
	} else {
		d.Resolved = append(slices.DeleteFunc(slices.Clone(d.Resolved), about(v.ActionID)), said)
	}
	return d
}

// about reports whether a doubt is about the action.
func about(actionID string) func(InDoubt) bool {
	return func(i InDoubt) bool { return i.ActionID == actionID }
}

func (d Doubts) askedAnew(v Verdict) Doubts {
	d.Waiting = slices.Clone(d.Waiting)
	for i := range d.Waiting {
		if w := &d.Waiting[i]; w.ActionID == v.ActionID {
			w.Request, w.Anew = v.RequestID, ""
		}
	}
	return d
}

// Anew returns the doubts as a judge saw them who gave these verdicts: with the
// names under which something was asked anew. A replay of a run that was reset
// does not know that it was, and the verdicts do.
func (d Doubts) Anew(verdicts []Verdict) Doubts {
	d.Waiting = slices.Clone(d.Waiting)
	for _, v := range verdicts {
		for i := range d.Waiting {
			if v.Code == AskedAnew && d.Waiting[i].ActionID == v.ActionID {
				d.Waiting[i].Anew = v.RequestID
			}
		}
	}
	return d
}

// ResolverOf returns one who may say what became of an action and, where words
// are signed, has a key to do so with; "" when nobody can.
func (d Doubts) ResolverOf(actionID string) string {
	for _, name := range d.Terms.ResolversFor(d.Requester, actionID) {
		if d.Terms.Proof != BySignature || len(d.Terms.keysOf(name)) > 0 {
			return name
		}
	}
	return ""
}

// asksAnew is the name under which this word must be asked anew; "" when it need
// not be.
func (d Doubts) asksAnew(r Resolution) string {
	at := slices.IndexFunc(d.Waiting, about(r.ActionID))
	if at < 0 || r.Outcome != NotHappened {
		return ""
	}
	return d.Waiting[at].Anew
}
