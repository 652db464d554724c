package evidence

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/workflows"
)

// What a word was judged against must follow from the words before it, or be an
// end after which the run does not go on.
func TestPhasesFollow(t *testing.T) {
	const (
		open, granted, revising  = approvals.PhaseOpen, approvals.PhaseGranted, approvals.PhaseRevising
		none, closedOff, expired = approvals.PhaseNoPlan, approvals.PhaseClosed, approvals.PhaseExpired
	)
	type judged struct {
		place int // of the request; -1 for none
		phase approvals.Phase
	}
	for name, c := range map[string]struct {
		gates  []approvals.Phase // as the words before leave the requests
		other  bool              // the second request is of another plan
		status workflows.RunStatus
		judged []judged
		fits   bool
	}{
		"before there is a plan":        {gates: []approvals.Phase{open}, judged: []judged{{-1, none}, {0, open}}, fits: true},
		"while it is carried out":       {gates: []approvals.Phase{granted}, judged: []judged{{0, granted}}, fits: true},
		"a new plan is made":            {gates: []approvals.Phase{revising, open}, other: true, judged: []judged{{0, revising}, {-1, none}, {1, open}}, fits: true},
		"nobody came, asked again":      {gates: []approvals.Phase{open, open}, judged: []judged{{0, open}, {0, none}, {1, open}}, fits: true},
		"expired":                       {gates: []approvals.Phase{open}, judged: []judged{{0, open}, {0, expired}, {0, expired}}, fits: true},
		"canceled before a plan":        {judged: []judged{{-1, closedOff}}, fits: true},
		"granted, and nobody granted":   {gates: []approvals.Phase{open}, judged: []judged{{0, granted}}},
		"open again after a rejection":  {gates: []approvals.Phase{closedOff}, judged: []judged{{0, open}}},
		"open again while asked again":  {gates: []approvals.Phase{open, open}, judged: []judged{{0, none}, {0, open}}},
		"asked again for another plan":  {gates: []approvals.Phase{open, open}, other: true, judged: []judged{{0, none}}},
		"never asked again":             {gates: []approvals.Phase{open}, status: workflows.Expired, judged: []judged{{0, none}}},
		"asked anew, and failed":        {gates: []approvals.Phase{none}, status: workflows.Failed, judged: []judged{{0, none}}, fits: true},
		"ended, and went on":            {gates: []approvals.Phase{open, open}, judged: []judged{{0, expired}, {1, open}}},
		"ended, and open":               {gates: []approvals.Phase{open}, judged: []judged{{0, closedOff}, {0, open}}},
		"ended in two ways":             {gates: []approvals.Phase{open}, judged: []judged{{0, closedOff}, {0, expired}}},
		"open before there is any plan": {judged: []judged{{-1, open}}},
	} {
		t.Run(name, func(t *testing.T) {
			v := newVerifier(Bundle{}, Options{})
			v.content.Result.Status = c.status
			for i, phase := range c.gates {
				hash := plan.Sum([]byte{1})
				if c.other {
					hash = plan.Sum([]byte{byte(i)})
				}
				v.gates = append(v.gates, Gate{Request: approvals.Request{Phase: phase}})
				v.content.Requests = append(v.content.Requests, Request{PlanHash: hash})
			}
			ended := none
			for _, j := range c.judged {
				ended = v.checkPhase("here", Judgement{Phase: j.phase}, j.place, ended)
			}
			require.Equal(t, c.fits, v.Fits(), v.Problems)
		})
	}
}
