package evidence

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/workflows"
)

// A run is exported, or ended from outside, at any moment: when its report is made,
// when it was rejected, or when people are told that it expired, and it has not
// closed yet. Other ends do not follow from these.
func TestRunsThatHaveNotClosedYet(t *testing.T) {
	const (
		completed, failed = "WorkflowExecutionCompleted", "WorkflowExecutionFailed"
		terminated, late  = "WorkflowExecutionTerminated", "WorkflowExecutionTimedOut"
	)
	for _, c := range []struct {
		bundle, end string
		status      workflows.RunStatus
		fits        bool
	}{
		{"signed", completed, workflows.Completed, true},
		{"signed", "", workflows.Running, true},
		{"signed", terminated, workflows.Failed, true},
		{"signed", late, workflows.Failed, true},
		{"signed", failed, workflows.Failed, false},
		{"signed", "", workflows.WaitingApproval, false},
		{"signed", completed, workflows.Expired, false},
		{"rejected", completed, workflows.Rejected, true},
		{"rejected", "", workflows.WaitingApproval, true},
		{"rejected", terminated, workflows.Failed, true},
		{"rejected", late, workflows.Failed, true},
		{"rejected", failed, workflows.Failed, false},
		{"rejected", completed, workflows.Expired, false},
		{"told-and-expired", completed, workflows.Expired, true},
		{"told-and-expired", "", workflows.WaitingApproval, true},
		{"told-and-expired", terminated, workflows.Failed, true},
		{"told-and-expired", failed, workflows.Failed, false},
	} {
		b, err := Parse(recorded(t)[c.bundle])
		require.NoError(t, err)
		b.Content.Executions = slices.Clone(b.Content.Executions)
		b.Content.Executions[len(b.Content.Executions)-1].End = c.end
		b.Content.Result.Status = c.status
		v := newVerifier(b, Options{Signers: allowedSigners(t)})
		v.checkContent()
		require.Equal(t, c.fits, v.Fits(), "%s, %s by %q: %s", c.bundle, c.status, c.end, strings.Join(v.Problems, "\n"))
	}
}

// A report without its count, or of a plan that is not done, is none.
func TestReportsThatDoNotFollow(t *testing.T) {
	for _, change := range []func(r *Result){
		func(r *Result) { r.Report = nil },
		func(r *Result) { r.EffectCount = nil },
		func(r *Result) { r.Report, r.EffectCount = nil, nil },
	} {
		b, err := Parse(recorded(t)["signed"])
		require.NoError(t, err)
		change(&b.Content.Result)
		v := newVerifier(b, Options{Signers: allowedSigners(t)})
		v.checkContent()
		require.Contains(t, strings.Join(v.Problems, "\n"), "the actions or the report say otherwise")
	}
	v := newVerifier(Bundle{}, Options{})
	v.checkStatus(Result{Status: workflows.Running, Report: &Document{}, EffectCount: new(int)}, false)
	require.False(t, v.Fits())
}

// What an open gate of a run that was reset has asked anew closes it until it opens
// anew, which the run may fail before.
func TestAskedAnewClosesTheGate(t *testing.T) {
	again := Word{Verdict: approvals.Verdict{Code: approvals.AskedAnew}}
	about := Word{Verdict: approvals.Verdict{Code: approvals.AskedAnew, ActionID: "a1"}}
	for phase, after := range map[approvals.Phase]approvals.Phase{
		approvals.PhaseOpen: approvals.PhaseNoPlan, approvals.PhaseGranted: approvals.PhaseGranted, approvals.PhaseClosed: approvals.PhaseClosed,
	} {
		g := Gate{Request: approvals.Request{Phase: phase}}
		require.NoError(t, g.Take(about))
		require.Equal(t, phase, g.Request.Phase)
		require.NoError(t, g.Take(again))
		require.Equal(t, after, g.Request.Phase)
	}
}
