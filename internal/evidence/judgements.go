package evidence

import (
	"fmt"
	"slices"
	"time"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/workflows"
)

// checkJudgements judges every word anew, in the order in which they came, each
// batch against what the ones before left.
func (v *verifier) checkJudgements() {
	current, ended := -1, approvals.PhaseNoPlan
	for i, j := range v.content.Judgements {
		where := fmt.Sprintf("judgement %d", i)
		if len(j.Words) == 0 {
			v.bad(where, "there are no words in it")
		}
		place := -1
		if j.RequestID != "" {
			at, known := v.requests[j.RequestID]
			if !known {
				v.bad(where, "the request %s is not there", plan.Escape(j.RequestID))
				continue
			}
			if at < current {
				v.bad(where, "the request %s was over when it was made", plan.Escape(j.RequestID))
			}
			place, current = at, at
		}
		switch j.About {
		case AboutPlan:
			ended = v.checkPhase(where, j, place, ended)
			v.judgeDecisions(where, j, place)
		case AboutEffect:
			v.judgeResolutions(where, j, place)
		default:
			v.bad(where, "it is about %q", plan.Escape(string(j.About)))
		}
	}
}

// checkPhase compares what the judge was told of the run with what the words
// before make of it, and returns the phase in which the run has ended, if it has.
// An end by a cancellation, a failure or the clock follows from no word.
func (v *verifier) checkPhase(where string, j Judgement, place int, ended approvals.Phase) approvals.Phase {
	isEnd := j.Phase == approvals.PhaseClosed || j.Phase == approvals.PhaseExpired
	follows := j.Phase == approvals.PhaseNoPlan
	if place >= 0 {
		now := &v.gates[place].Request
		if follows && now.Phase == approvals.PhaseOpen && v.asksAgain(place) {
			now.Phase = approvals.PhaseNoPlan // until the gate opens anew
		}
		follows = j.Phase == now.Phase
	}
	switch {
	case ended != approvals.PhaseNoPlan && j.Phase != ended:
		v.bad(where, "the run had ended, and it was judged as %q", plan.Escape(string(j.Phase)))
	case isEnd && place >= 0 && place != len(v.gates)-1:
		v.bad(where, "it was judged as %q, and the run went on", j.Phase)
	case isEnd:
		return j.Phase
	case !follows:
		v.bad(where, "it was judged as %q, which does not follow from what came before", plan.Escape(string(j.Phase)))
	}
	if len(j.Waiting)+len(j.Resolved) > 0 || j.Ended {
		v.bad(where, "it has members of a judgement about effects")
	}
	return ended
}

// asksAgain reports whether a request that nobody met may have been followed by
// another for the same plan, or by the end of the run before there was one.
func (v *verifier) asksAgain(place int) bool {
	requests := v.content.Requests
	if place+1 < len(requests) {
		return requests[place+1].PlanHash == requests[place].PlanHash
	}
	status := v.content.Result.Status
	return requests[place].Terms.AskAgain > 0 && (!status.Ended() || status == workflows.Failed || status == workflows.Canceled)
}

// judgeDecisions judges one batch, and lets it change the request.
func (v *verifier) judgeDecisions(where string, j Judgement, place int) {
	before := approvals.Request{RunID: v.content.RunID, Requester: v.task.Requester}
	if place >= 0 {
		before = v.gates[place].Request
	}
	before.Phase, before.Confirm = j.Phase, j.Confirm
	// That it was reset only ever refuses a word.
	before.Reset = slices.ContainsFunc(j.Words, func(w Word) bool { return w.Verdict.Code == approvals.AskedAnew })
	if !j.saysUntil() {
		before.GrantedUntil = time.Time{}
	}
	v.checkConfirm(where, j, before)
	again := approvals.Judge(before, arrivals(j))
	for i, w := range j.Words {
		at := fmt.Sprintf("%s, decision %d", where, i)
		if !sameVerdict(again[i], w.Verdict) {
			v.bad(at, "judged anew it is %s", saidOf(again[i]))
			continue
		}
		if place < 0 {
			continue
		}
		signed := v.gates[place].Request
		signed.GrantedUntil = before.GrantedUntil
		v.checkDecisionSigned(at, signed, w)
		if err := v.gates[place].Take(w); err != nil {
			v.bad(at, "%v", err)
		}
	}
}

// saysUntil reports whether the words about single actions were judged by a build
// that records until when they hold. The one before had them signed with the end
// of the time to decide, and took them as long as the grant held.
func (j Judgement) saysUntil() bool {
	return slices.ContainsFunc(j.Words, func(w Word) bool { return !w.Verdict.Expires.IsZero() })
}

// checkConfirm looks at which actions were said to wait for a word of their own.
func (v *verifier) checkConfirm(where string, j Judgement, before approvals.Request) {
	for i, id := range j.Confirm {
		if !slices.Contains(before.Terms.Confirm, id) || slices.Contains(j.Confirm[:i], id) {
			v.bad(where, "the action %s needs no word of its own, or is named twice", plan.Escape(id))
		}
	}
}

// checkDecisionSigned verifies a signature with the verifier's keys. What was
// accepted by claim has none that counts.
func (v *verifier) checkDecisionSigned(where string, r approvals.Request, w Word) {
	if w.Verdict.Code != approvals.Accepted || w.Verdict.Proof != approvals.BySignature {
		return
	}
	d, err := approvals.ParseDecision(w.Arrival().Raw)
	if err != nil {
		v.bad(where, "%v", err)
		return
	}
	statement, err := r.StatementOf(d)
	if err != nil {
		v.bad(where, "%v", err)
		return
	}
	v.checkSigned(where, statement.Approver, statement.Bytes(), w)
}

func (v *verifier) checkSigned(where, name string, statement []byte, w Word) {
	key, err := v.options.verify(name, statement, w.Verdict.Signature, w.ReadAt)
	switch {
	case err != nil:
		v.bad(where, "the signature of %s: %v", plan.Escape(name), err)
	case key != w.Verdict.Key:
		v.bad(where, "%s signed with %s, the verdict says %s", plan.Escape(name), key, plan.Escape(w.Verdict.Key))
	default:
		v.Keys[w.Verdict.Signature] = key
	}
}

// judgeResolutions judges one batch about actions in doubt.
func (v *verifier) judgeResolutions(where string, j Judgement, place int) {
	if j.Phase != "" || len(j.Confirm) > 0 {
		v.bad(where, "it has members of a judgement about a plan")
	}
	doubts := approvals.Doubts{RunID: v.content.RunID, Requester: v.task.Requester, Ended: j.Ended}
	if place >= 0 {
		r := v.gates[place].Request
		doubts.PlanHash, doubts.Waiting, doubts.Resolved = r.PlanHash, WithoutAnew(j.Waiting), j.Resolved
		doubts.Terms = r.Terms.With(v.resolving(where, j, r.PlanHash))
	}
	v.checkDoubts(where, j, doubts)
	// That the run was reset only ever refuses a word.
	doubts = doubts.Anew(verdictsOf(j))
	defer v.keep(j, doubts)
	again := approvals.JudgeResolutions(doubts, arrivals(j))
	for i, w := range j.Words {
		at := fmt.Sprintf("%s, resolution %d", where, i)
		if !sameVerdict(again[i], w.Verdict) {
			v.bad(at, "judged anew it is %s", saidOf(again[i]))
			continue
		}
		if w.Verdict.Code != approvals.Accepted || w.Verdict.Proof != approvals.BySignature {
			continue
		}
		r, err := approvals.ParseResolution(w.Arrival().Raw)
		if err != nil {
			v.bad(at, "%v", err)
			continue
		}
		r.Claim = w.Verdict.Claim
		statement, err := doubts.StatementOf(r)
		if err != nil {
			v.bad(at, "%v", err)
			continue
		}
		if late := v.late(statement.Operator, statement.Bytes(), w); late != nil && v.refused(j, doubts.PlanHash, w) {
			v.remark(at, "the signature of %s: %v; the word was refused, and changed nothing", plan.Escape(statement.Operator), late)
			continue
		}
		v.checkSigned(at, statement.Operator, statement.Bytes(), w)
	}
}

// sameVerdict leaves the reason out: it is words for the sender, which another
// version may choose otherwise.
func sameVerdict(a, b approvals.Verdict) bool {
	a.Reason, b.Reason = "", ""
	return same(a, b)
}

func arrivals(j Judgement) []approvals.Arrival {
	batch := make([]approvals.Arrival, len(j.Words))
	for i, w := range j.Words {
		batch[i] = w.Arrival()
	}
	return batch
}

func saidOf(v approvals.Verdict) string {
	if v.Code == approvals.Accepted {
		return "accepted, otherwise than the verdict that is recorded"
	}
	return fmt.Sprintf("%s (%s), otherwise than the verdict that is recorded", v.Code, plan.Escape(v.Reason))
}

// checkGrants compares what each request led to with what follows from the words.
func (v *verifier) checkGrants() {
	for i, r := range v.content.Requests {
		where := "grant of request " + plan.Escape(r.RequestID)
		follows := v.gates[i].Grant
		switch {
		case r.Grant == nil && follows != nil:
			v.bad(where, "one follows from the decisions, and none is recorded")
		case r.Grant != nil && follows == nil:
			v.bad(where, "one is recorded, and none follows from the decisions")
		case !same(r.Grant, follows):
			v.bad(where, "what follows from the decisions is another one")
		}
	}
}

// checkPlaces wants every event to be one of the histories, and the words in the
// order in which they came.
func (v *verifier) checkPlaces() {
	var last Place
	inside := func(where string, p Place) {
		if p.Execution < 0 || p.Execution >= len(v.content.Executions) || p.ID < 1 || p.ID > int64(v.content.Executions[p.Execution].Events) {
			v.bad(where, "no history has the event %d of execution %d", p.ID, p.Execution)
		}
	}
	ordered := func(where string, p Place) {
		inside(where, p)
		if !last.before(p) {
			v.bad(where, "its event comes before that of the word before it")
		}
		last = p
	}
	for i, j := range v.content.Judgements {
		for k, w := range j.Words {
			ordered(fmt.Sprintf("judgement %d, word %d", i, k), w.At)
		}
	}
	for i, w := range v.content.Unjudged {
		ordered(fmt.Sprintf("unjudged word %d", i), w.At)
		if !same(w.Verdict, approvals.Verdict{}) {
			v.bad(fmt.Sprintf("unjudged word %d", i), "it has a verdict")
		}
	}
	var begun Place
	for _, a := range v.content.Actions {
		if len(a.Tries) > 0 {
			if !begun.before(a.Tries[0].Scheduled) {
				v.bad("action "+plan.Escape(a.ActionID), "it is not listed in the order in which the actions began")
			}
			begun = a.Tries[0].Scheduled
		}
		for i, t := range a.Tries {
			inside("action "+plan.Escape(a.ActionID), t.Scheduled)
			if i > 0 && !a.Tries[i-1].Scheduled.before(t.Scheduled) {
				v.bad("action "+plan.Escape(a.ActionID), "its tries are not in order")
			}
		}
	}
}

func (p Place) before(q Place) bool {
	return p.Execution < q.Execution || p.Execution == q.Execution && p.ID < q.ID
}
