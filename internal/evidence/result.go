package evidence

import (
	"encoding/json"
	"slices"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/workflows"
)

// checkResult counts anew, and compares the end with what led to it.
func (v *verifier) checkResult() {
	r := v.content.Result
	total, done, already := v.count()
	if r.Total != total || r.Done != done || r.AlreadyDone != already {
		v.bad("result", "it counts %d actions, %d done, %d of them before; counted anew they are %d, %d and %d",
			r.Total, r.Done, r.AlreadyDone, total, done, already)
	}
	if r.Requests != len(v.content.Requests) {
		v.bad("result", "the gate was opened %d times, and %d requests are recorded", r.Requests, len(v.content.Requests))
	}
	begun := 0
	for _, a := range v.content.Actions {
		for _, t := range a.Tries {
			if t.executes() {
				begun++
			}
		}
	}
	if r.Begun != begun {
		v.bad("result", "actions were begun %d times, and %d are recorded", r.Begun, begun)
	}
	v.checkVerdicts()
	v.checkStatus(r, done == total)
}

// checkStatus compares where the run stands with what led to it.
func (v *verifier) checkStatus(r Result, allDone bool) {
	if !v.reportFollows(r, allDone) {
		v.bad("result", "it is %s, and the actions or the report say otherwise", plan.Escape(string(r.Status)))
	}
	if !v.rejectionFollows(r.Status) {
		v.bad("result", "it is %s, and the decisions say otherwise", plan.Escape(string(r.Status)))
	}
	v.checkEnd(r.Status)
}

// reportFollows reports whether there is a report where there must be one, or can
// be: it is the last that a run makes, and only of a plan that is done. Then the run
// has completed, or goes on until it has, or is cut off.
func (v *verifier) reportFollows(r Result, allDone bool) bool {
	reported, completed := r.Report != nil, r.Status == workflows.Completed
	switch {
	case reported != (r.EffectCount != nil), completed && !reported:
		return false
	case !reported:
		return true
	default:
		return allDone && (completed || r.Status == workflows.Running || v.cutOff())
	}
}

// rejectionFollows reports whether a run that was rejected stands where one can, and
// any other elsewhere. What has failed, or was canceled, is told before a rejection
// of one action.
func (v *verifier) rejectionFollows(status workflows.RunStatus) bool {
	switch thePlan, anAction := v.rejected(); {
	case !thePlan && !anAction:
		return status != workflows.Rejected
	case status == workflows.Rejected, !status.Ended(), v.cutOff():
		return true
	default:
		return !thePlan && (status == workflows.Failed || status == workflows.Canceled)
	}
}

// cutOff reports whether the run was ended from outside, wherever it stood.
func (v *verifier) cutOff() bool { return slices.Contains(cutsOff(), v.end()) }

// cutsOff are the ends to which a workflow does not come by itself.
func cutsOff() []string { return []string{"WorkflowExecutionTerminated", "WorkflowExecutionTimedOut"} }

// end is how the last execution ended, see Execution.
func (v *verifier) end() string {
	if len(v.content.Executions) == 0 {
		return ""
	}
	return v.content.Executions[len(v.content.Executions)-1].End
}

// checkVerdicts counts the words by what became of them, in the order in which
// each code first came.
func (v *verifier) checkVerdicts() {
	var counted workflows.Decisions
	for _, j := range v.content.Judgements {
		for _, w := range j.Words {
			if w.Overtaken {
				w.Verdict.Code = approvals.TooLate
			}
			counted.Add(w.Verdict)
		}
	}
	if !slices.Equal(counted.Counts, v.content.Result.Verdicts) {
		v.bad("result", "it counts the words as %v; counted anew they are %v", v.content.Result.Verdicts, counted.Counts)
	}
}

// checkEnd compares the status with how the last execution ended.
func (v *verifier) checkEnd(status workflows.RunStatus) {
	var fits bool
	switch end := v.end(); end {
	case "":
		fits = !status.Ended()
	case "WorkflowExecutionCompleted":
		fits = status == workflows.Completed || status == workflows.Rejected || status == workflows.Expired
	case "WorkflowExecutionCanceled":
		fits = status == workflows.Canceled
	default:
		fits = status == workflows.Failed && (end == "WorkflowExecutionFailed" || v.cutOff())
	}
	if !fits {
		v.bad("result", "it is %s, and the last execution ended %q", plan.Escape(string(status)), plan.Escape(v.end()))
	}
}

// count counts the actions of the last plan.
func (v *verifier) count() (total, done, already int) {
	if len(v.content.Plans) == 0 {
		return 0, 0, 0
	}
	hash := v.content.Plans[len(v.content.Plans)-1].SHA256
	for _, a := range v.Plans[hash].Actions {
		total++
		switch {
		case a.Done != nil:
			done++
			already++
		case v.receiptOf(hash, a.ID) != nil:
			done++
		}
	}
	return total, done, already
}

func (v *verifier) receiptOf(hash plan.Digest, actionID string) *plan.Receipt {
	return Action{Tries: v.tries(hash, actionID)}.Receipt()
}

// rejected reports whether a word ended the run, or kept an action from going.
func (v *verifier) rejected() (thePlan, anAction bool) {
	for _, j := range v.content.Judgements {
		for _, w := range j.Words {
			if j.About == AboutPlan && w.Verdict.Code == approvals.Accepted && w.Verdict.Decision == approvals.Reject && !w.Overtaken {
				thePlan = thePlan || w.Verdict.ActionID == ""
				anAction = anAction || w.Verdict.ActionID != ""
			}
		}
	}
	return thePlan, anAction
}

// checkReport compares the run's own report, which was made from the ledger and
// by counting at the targets, with the rest.
func (v *verifier) checkReport() {
	r := v.content.Result
	if r.Report == nil || v.absent(r.Report.Text) {
		return
	}
	if sum := plan.Sum([]byte(r.Report.Text)); sum != r.Report.SHA256 {
		v.bad("report", "its bytes have the digest %s, not %s", sum, r.Report.SHA256)
		return
	}
	var report struct {
		RunID       string      `json:"run_id"`
		PlanHash    plan.Digest `json:"plan_hash"`
		EffectCount int         `json:"effect_count"`
		Actions     []struct {
			ID      string        `json:"id"`
			Receipt *plan.Receipt `json:"receipt"`
			Effects int           `json:"effects"`
		} `json:"actions"`
	}
	if err := json.Unmarshal([]byte(r.Report.Text), &report); err != nil {
		v.bad("report", "%v", err)
		return
	}
	if report.RunID != v.content.RunID || len(v.content.Plans) == 0 || report.PlanHash != v.content.Plans[len(v.content.Plans)-1].SHA256 {
		v.bad("report", "it is of another run or plan")
		return
	}
	if r.EffectCount == nil || report.EffectCount != *r.EffectCount {
		v.bad("report", "it counts other effects than the result")
	}
	p := v.Plans[report.PlanHash]
	for _, a := range report.Actions {
		planned, _ := p.Find(a.ID)
		receipt := planned.Done
		if receipt == nil {
			receipt = v.receiptOf(report.PlanHash, a.ID)
		}
		if !same(receipt, a.Receipt) {
			v.bad("report", "the ledger's receipt of action %s is another than the run's", plan.Escape(a.ID))
		}
		if a.Effects > 1 {
			v.bad("report", "the target showed %d effects of action %s", a.Effects, plan.Escape(a.ID))
		}
	}
}
