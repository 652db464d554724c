package scene

import (
	"github.com/holdpoint/holdpoint/approvals"
)

// Answer is what a run made of one decision.
type Answer struct {
	run     *Run
	heard   bool // a worker was there to judge it
	Verdict approvals.Verdict
}

// Is wants the verdict's code.
func (a Answer) Is(code approvals.Code) Answer {
	a.run.stage.t.Helper()
	require := a.run.stage.require
	require.True(a.heard, "no worker is there to judge it")
	require.Equal(code, a.Verdict.Code, a.Verdict.Reason)
	return a
}

// Because wants the verdict's reason to say something.
func (a Answer) Because(text string) Answer {
	a.run.stage.t.Helper()
	a.run.stage.require.Contains(a.Verdict.Reason, text)
	return a
}
