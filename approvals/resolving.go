package approvals

import (
	"slices"

	"github.com/holdpoint/holdpoint/approvals/signature"
)

// Resolving is the part of a policy's terms by which words about actions of
// unknown outcome are judged. A run may wait for such a word for as long as it
// takes, while people leave and change their keys: so it is judged by the terms of
// the day as far as the run has heard of them, and not by those of its request.
type Resolving struct {
	Label     string          `json:"label"`
	Version   string          `json:"version"`
	Proof     Proof           `json:"proof"`
	Resolvers []Resolvers     `json:"resolvers"`
	Signers   []signature.Key `json:"signers,omitempty"` // of those, and of the requester
}

// Resolving takes it out of the terms for a run of requester.
func (t Terms) Resolving(requester string) Resolving {
	names := []string{}
	if owner, err := NormalizeIdentity(requester); err == nil {
		names = append(names, owner)
	}
	for _, r := range t.Resolvers {
		names = append(names, r.Members...)
	}
	r := Resolving{Label: t.Label, Version: t.Version, Proof: t.Proof, Resolvers: t.Resolvers}
	for _, key := range t.Signers {
		if slices.Contains(names, key.Name) {
			r.Signers = append(r.Signers, key)
		}
	}
	return r
}

// With are the terms with that part in place of their own. Nothing in place of it
// leaves them as they are.
func (t Terms) With(r *Resolving) Terms {
	if r == nil {
		return t
	}
	t.Label, t.Version, t.Proof, t.Resolvers, t.Signers = r.Label, r.Version, r.Proof, r.Resolvers, r.Signers
	return t
}

// MarkOutdated is for a judge who knows that there is a newer policy than that of
// these terms. It adds that to the reason of each verdict that refuses a word about an
// action that waits and that another policy might take, and reports whether there is
// one.
func (d Doubts) MarkOutdated(verdicts []Verdict) bool {
	refused := false
	for i := range verdicts {
		v := &verdicts[i]
		waits := slices.ContainsFunc(d.Waiting, func(w InDoubt) bool {
			return Verdict{ActionID: w.ActionID}.Short().ActionID == v.ActionID
		})
		if waits && slices.Contains([]Code{NotAResolver, SelfApproval, SignatureRequired, BadSignature}, v.Code) {
			v.Reason += " The policy has changed since, and the run is told of it now: say it again in a moment."
			refused = true
		}
	}
	return refused
}
