package approvals

import "slices"

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
	at := slices.IndexFunc(d.Waiting, func(w InDoubt) bool { return w.ActionID == r.ActionID })
	if at < 0 || r.Outcome != NotHappened {
		return ""
	}
	return d.Waiting[at].Anew
}
