package gather

import (
	"fmt"
	"time"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/internal/evidence"
	"github.com/holdpoint/holdpoint/workflows"
)

// judgements replays the histories and lists what was asked, and what was judged
// against what.
func (g *gathering) judgements() error {
	for _, e := range g.chain {
		o := &observer{}
		o.asked = func(in workflows.RequestApprovalInput, out workflows.RequestApprovalResult, now time.Time) error {
			return g.taken(o, func() error { return g.asked(in, out, now) })
		}
		o.decided = func(in workflows.JudgeDecisionsInput, out workflows.JudgeDecisionsResult) error {
			return g.taken(o, func() error { return g.decided(in, out) })
		}
		o.resolved = func(in workflows.JudgeResolutionsInput, out workflows.JudgeDecisionsResult) error {
			return g.taken(o, func() error { return g.resolved(in, out) })
		}
		if err := o.watch(e.History); err != nil {
			return fmt.Errorf("the history of execution %s cannot be replayed: %w", e.RunID, err)
		}
		if err := g.taken(o, func() error { return nil }); err != nil {
			return err
		}
	}
	for i, gate := range g.gates {
		g.content.Requests[i].Grant = gate.Grant
	}
	for _, a := range g.arrived {
		if !a.judged {
			g.content.Unjudged = append(g.content.Unjudged, word(a.place, a.payloads, a.via))
		}
	}
	return nil
}

// taken lets the words of the last judgement change the request, now that the
// workflow has, before what comes next.
func (g *gathering) taken(o *observer, next func() error) error {
	if g.judged == nil {
		return next()
	}
	j := g.judged
	g.judged = nil
	now, err := o.verdicts()
	if err != nil {
		return err
	}
	recent := now.Recent[max(0, len(now.Recent)-len(j.Words)):]
	for i := range j.Words {
		w := &j.Words[i]
		w.Overtaken = w.Verdict.Code == approvals.Accepted && i < len(recent) && recent[i].Code != approvals.Accepted
		if j.About == evidence.AboutPlan && j.RequestID != "" {
			if err := g.gates[len(g.gates)-1].Take(*w); err != nil {
				return err
			}
		}
	}
	g.content.Judgements = append(g.content.Judgements, *j)
	return next()
}

// asked is a request that was opened.
func (g *gathering) asked(in workflows.RequestApprovalInput, out workflows.RequestApprovalResult, now time.Time) error {
	r := evidence.Request{
		RequestID: out.RequestID, PlanHash: in.PlanHash, OpenedAt: now.UTC(),
		DecideBy: now.UTC().Add(out.Terms.DecideWithin), Terms: out.Terms, Notify: out.Notify,
	}
	gate, err := evidence.OpenGate(g.content.RunID, g.content.Task.Asked.Requester, r)
	if err != nil {
		return err
	}
	g.content.Requests, g.gates = append(g.content.Requests, r), append(g.gates, gate)
	return nil
}

func (g *gathering) decided(in workflows.JudgeDecisionsInput, out workflows.JudgeDecisionsResult) error {
	return g.judgedBatch(evidence.Judgement{
		About: evidence.AboutPlan, RequestID: in.Request.RequestID, Phase: in.Request.Phase, Confirm: in.Request.Confirm,
	}, in.Arrivals, out)
}

func (g *gathering) resolved(in workflows.JudgeResolutionsInput, out workflows.JudgeDecisionsResult) error {
	j := evidence.Judgement{
		About: evidence.AboutEffect, Waiting: evidence.WithoutAnew(in.Doubts.Waiting), Resolved: in.Doubts.Resolved, Ended: in.Doubts.Ended,
	}
	if !in.Doubts.PlanHash.IsZero() && len(g.content.Requests) > 0 {
		r := g.content.Requests[len(g.content.Requests)-1]
		if j.RequestID = r.RequestID; in.Doubts.Terms.Version != r.Terms.Version {
			j.Policy = in.Doubts.Terms.Version
		}
	}
	return g.judgedBatch(j, in.Arrivals, out)
}

func (g *gathering) judgedBatch(j evidence.Judgement, batch []workflows.Arrival, out workflows.JudgeDecisionsResult) error {
	if len(out.Verdicts) != len(batch) {
		return fmt.Errorf("%d words were judged with %d verdicts", len(batch), len(out.Verdicts))
	}
	for i, arrival := range batch {
		place, err := g.place(j.About, arrival)
		if err != nil {
			return err
		}
		w := word(place, arrival.Payloads, arrival.Via)
		w.ReadAt, w.Late, w.Verdict = arrival.At, arrival.Late, out.Verdicts[i]
		j.Words = append(j.Words, w)
	}
	g.judged = &j
	return nil
}
