package workflows

import (
	"slices"

	"go.temporal.io/sdk/workflow"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// A reset takes back what people said after the event that it goes to: somebody
// who may reset a run could take back a rejection so, and repeat a signature that
// stands in the history. Therefore a request, and the grant that it leads to,
// belong to the execution in which the gate was opened. In another one nothing is
// let go: the judge says so in a verdict, and the workflow, which goes by
// that verdict and never by the id itself, asks everybody anew.
//
// So it is with what people said of an action in doubt, when it has something sent
// again: it answers a doubt that was shown in this execution. What stood there
// before is asked anew under another name, which the answer's signature names. The
// words that let nothing go are taken whenever they come.
//
// A reset repeats what people said of the run before it goes on. So no word that had
// arrived when something was asked anew answers it, in whichever batch it is judged:
// of a doubt see askedLater, of a plan judgeArrived.

// carriedOn stands in a carried state for the execution that will have it: a
// request goes on with the run, unless that was reset before.
const carriedOn = "continued"

// isExecution tells the state in which execution it is. By its original id, one
// that continues another stays another one than its own reset.
func (s *State) isExecution(info *workflow.Info) {
	s.execution = info.WorkflowExecution.RunID
	original := info.OriginalRunID
	s.WasReset = s.WasReset || s.execution != "" && original != "" && s.execution != original
	for i := range s.Actions {
		s.Actions[i].carriesOn(carriedOn, original)
	}
	if s.Request != nil && s.Request.Execution == carriedOn {
		s.Request.Execution, s.Gate.Execution = info.OriginalRunID, info.OriginalRunID
	}
	if s.Grant != nil && s.Grant.Execution == carriedOn {
		s.Grant.Execution = info.OriginalRunID
	}
}

// handOn prepares a state that is carried over.
func (s *State) handOn(wasReset bool) {
	if wasReset {
		return
	}
	if s.Request != nil && s.Request.Execution != "" {
		request := *s.Request
		request.Execution = carriedOn
		s.Request = &request
	}
	if s.Grant != nil && s.Grant.Execution != "" {
		grant := *s.Grant
		grant.Execution = carriedOn
		s.Grant = &grant
	}
}

// wasReset reports whether the run was reset since its request was opened.
func (s *State) wasReset() bool {
	return s.execution != "" && s.Gate.Execution != "" && s.Gate.Execution != s.execution
}

// carriesOn writes, in what a doubt and the word about it say of their execution,
// to in place of from.
func (a *Action) carriesOn(from, to string) {
	if a.Doubt != nil && a.Doubt.Execution == from {
		doubt := *a.Doubt
		doubt.Execution = to
		a.Doubt = &doubt
	}
	if a.Resolution != nil && a.Resolution.Execution == from {
		word := *a.Resolution
		word.Execution = to
		a.Resolution = &word
	}
}

const whyAskedAnew = "the run was reset since its approval was asked for"

// askAnew closes the gate until it opens anew, or takes the run back to it.
func (s *State) askAnew(v *approvals.Verdict) {
	if v.ActionID == "" && s.Gate.Phase == approvals.PhaseOpen {
		s.Gate.Phase = approvals.PhaseNoPlan
		s.Reason = whyAskedAnew
		return
	}
	for i := range s.Actions {
		if s.Actions[i].ID == v.ActionID && s.Actions[i].Unconfirmed {
			s.Actions[i].Unconfirmed = false
			s.Halt.Replan = whyAskedAnew
		}
	}
}

// anew is the name under which a doubt must be asked anew before a word is taken
// that has the action sent again; "" when it need not be.
func (s *State) anew(d *Doubt) string {
	if (s.WasReset || s.wasReset()) && d.Request != s.execution {
		return s.execution
	}
	return ""
}

const whyDoubtAskedAnew = "the run was reset, and what was said of it before may be missing"

// askDoubtAnew shows a doubt in this execution, under a name of its own, once a
// judge has said so.
func (s *State) askDoubtAnew(v *approvals.Verdict) {
	for i := range s.Actions {
		row := &s.Actions[i]
		if row.ID != v.ActionID || row.Resolution != nil || !row.Resolvable() || row.Doubt.claim() != v.Claim {
			continue
		}
		doubt := *row.Doubt
		doubt.Request, doubt.Execution = v.RequestID, v.RequestID
		doubt.Detail = plan.Clip(whyDoubtAskedAnew+"; before that: "+doubt.Detail, maxErrorText)
		row.Doubt = &doubt
	}
}

// asking names a doubt that was asked anew.
type asking struct{ action, claim, request string }

// askedLater returns the doubts as a word is judged by that arrived before some of
// them were asked anew: those are asked anew of it too.
func (b *inbox) askedLater(d approvals.Doubts, word letter) approvals.Doubts {
	for i := range d.Waiting {
		w := &d.Waiting[i]
		if w.Anew == "" && slices.Contains(b.asked[word.asked:], asking{w.ActionID, w.Claim, w.Request}) {
			w.Anew = w.Request
		}
	}
	return d
}

// take lets a verdict change the run. What a word has asked anew is asked once,
// however many more there are that had arrived by then.
func (r *agentRun) take(ctx workflow.Context, v *approvals.Verdict) {
	if v.Code != approvals.AskedAnew || v.Outcome == "" || !goesByArrival(ctx) {
		r.state.Take(v)
		return
	}
	if r.state.asks(*v) {
		return
	}
	if r.state.Take(v); r.state.asks(*v) {
		r.inbox.asked = append(r.inbox.asked, asking{v.ActionID, v.Claim, v.RequestID})
	}
}

// asks reports whether a doubt is asked under the name that v gives it.
func (s *State) asks(v approvals.Verdict) bool {
	return slices.ContainsFunc(s.Actions, func(a Action) bool {
		return a.ID == v.ActionID && a.Doubt != nil && a.Doubt.claim() == v.Claim && a.Doubt.Request == v.RequestID
	})
}

// goByArrival is a change to the sequence of commands, see doc.go: a word about a
// doubt is judged by when it arrived. Before it, one answered what was asked anew
// between its arrival and its judgement.
const goByArrival = "no-earlier-word-answers-a-doubt"

func goesByArrival(ctx workflow.Context) bool {
	return workflow.GetVersion(ctx, goByArrival, workflow.DefaultVersion, 1) == 1
}

// judgeArrived holds a request back until what has arrived is judged, by the gate
// as it is. People approve what they are asked about from now on.
func (r *agentRun) judgeArrived(ctx workflow.Context) error {
	if r.inbox.idle() || workflow.GetVersion(ctx, judgeFirst, workflow.DefaultVersion, 1) != 1 {
		return nil
	}
	arrived := r.inbox.arrived
	return workflow.Await(ctx, func() bool { return r.inbox.judged >= arrived })
}

// judgeFirst is a change to the sequence of commands, see doc.go. Before it, a word
// that had to wait for its judgement longer than the gate was closed answered the
// next request, which it knew nothing of.
const judgeFirst = "no-earlier-word-answers-a-request"

// takes reports whether an accepted decision on the plan still changes something.
// A rejection does even when it came with a word that has everybody asked anew: it
// answers the same request, and nobody need be asked any more.
func (s *State) takes(v approvals.Verdict) bool {
	if v.PlanHash != s.Gate.PlanHash.String() {
		return false
	}
	return s.Gate.Phase == approvals.PhaseOpen || s.rejectsAnew(v)
}

// rejectsAnew reports an accepted rejection of a request that is asked anew.
func (s *State) rejectsAnew(v approvals.Verdict) bool {
	return v.Code == approvals.Accepted && v.Decision == approvals.Reject && v.ActionID == "" && v.Outcome == "" &&
		s.Gate.Phase == approvals.PhaseNoPlan && v.RequestID != "" && v.RequestID == s.Gate.RequestID && v.PlanHash == s.Gate.PlanHash.String()
}

// rejectAnew is a change to what follows from a verdict, and so to the sequence of
// commands, see doc.go. Before it, such a rejection came too late.
const rejectAnew = "reject-what-is-asked-anew"

func takesRejections(ctx workflow.Context) bool {
	return workflow.GetVersion(ctx, rejectAnew, workflow.DefaultVersion, 1) == 1
}

func tooLate(v *approvals.Verdict) {
	v.Code, v.Reason = approvals.TooLate, "the plan was decided while this decision was judged"
}
