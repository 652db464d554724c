package evidence

import (
	"github.com/holdpoint/holdpoint/approvals"
)

// Gate is one request as the words about it have left it: what they are judged
// against, and the grant that follows. Whoever makes a bundle and whoever
// verifies one go through a run with it, as the workflow does.
type Gate struct {
	Request approvals.Request
	Grant   *approvals.Grant
}

// OpenGate is a request when it was opened. When the policy asks nobody, it is
// granted at that moment.
func OpenGate(runID, requester string, r Request) (Gate, error) {
	g := Gate{Request: approvals.Request{
		RunID: runID, RequestID: r.RequestID, Phase: approvals.PhaseOpen, PlanHash: r.PlanHash,
		Requester: requester, Terms: r.Terms, DecideBy: r.DecideBy,
	}}
	if !r.Terms.Unattended() {
		return g, nil
	}
	g.Request.Phase = approvals.PhaseGranted
	grant, err := approvals.NewGrant(g.Request, r.OpenedAt)
	if err != nil {
		return g, err
	}
	g.grant(grant)
	return g, nil
}

// grant is what words about single actions are judged by, and for how long.
func (g *Gate) grant(grant approvals.Grant) {
	g.Grant, g.Request.GrantedUntil = &grant, grant.ExpiresAt
}

// Take lets a decision with its verdict change the request. What was refused or
// overtaken changes nothing, but that the people of a run that was reset are asked
// anew: until then, the gate is closed.
func (g *Gate) Take(w Word) error {
	v := w.Verdict
	if v.Code == approvals.AskedAnew && v.ActionID == "" && g.Request.Phase == approvals.PhaseOpen {
		g.Request.Phase = approvals.PhaseNoPlan
	}
	if v.Code != approvals.Accepted || w.Overtaken {
		return nil
	}
	after := g.Request.After(v)
	if v.ActionID != "" {
		// A word about one action leaves the plan's own phase as it is.
		g.Request.Taken = after.Taken
		if v.Decision == approvals.Approve && g.Grant != nil {
			grant := g.Grant.Confirmed(v.ActionID, after.Taken[len(after.Taken)-1].Approval)
			g.grant(grant)
		}
		return nil
	}
	g.Request = after
	if after.Phase != approvals.PhaseGranted || v.Decision != approvals.Approve {
		return nil
	}
	grant, err := approvals.NewGrant(after, v.At)
	if err != nil {
		return err
	}
	g.grant(grant)
	return nil
}

// Arrival is the word as the judge reads it.
func (w Word) Arrival() approvals.Arrival {
	raw := w.Bytes
	if w.Raw != "" {
		raw = []byte(w.Raw)
	}
	return approvals.Arrival{Raw: raw, Unreadable: w.Unreadable, Via: w.Via, At: w.ReadAt, Late: w.Late}
}
