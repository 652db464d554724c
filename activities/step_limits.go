package activities

import (
	"errors"
	"fmt"
	"time"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/workflows"
)

// StepLimits bound the attempts at a step that writes to no external system. An
// outage and a rate limit are not the step's fault, and neither is a deploy that
// ends the worker: they count by themselves. The server could only count all
// alike, so here is where attempts end.
//
//	an attempt that                                  is bounded by
//	-----------------------------------------------  ------------------------------
//	ended with a fault that waits (faults.Waits)     Patience, and never before
//	                                                 Attempts attempts of any kind
//	ended with another fault                         Attempts of them
//	ended without a word: its worker was killed, or  mostCut of them
//	stopped, or the attempt was out of time
//
// The zero value bounds the last kind alone.
type StepLimits struct {
	Attempts int
	// Patience begins with the step's first schedule. A time without any worker
	// is part of it, which is why some attempts are made after it.
	Patience time.Duration
}

// mostCut is how many attempts may end without a word: enough for any number of
// deploys, and an end for a document that kills each worker that reads it.
const mostCut = 100

// tally is how the attempts at a step have ended. Each leaves it to the next one
// in its heartbeats.
type tally struct {
	Failed int `json:"failed,omitempty"` // with a fault that does not wait
	Waited int `json:"waited,omitempty"` // with one that does
}

// counted reports whether the attempts at an activity are counted here. Those at
// an action are counted by [tries]; the others' are not bounded, or by the server.
func counted(activity string) bool {
	switch workflows.StepName(activity) {
	case workflows.CollectContext, workflows.MakePlan, workflows.RequestApproval, workflows.Summarize:
		return true
	default:
		return false
	}
}

// stepAttempt is one attempt's place among those at its step.
type stepAttempt struct {
	limits StepLimits
	number int   // from 1
	before tally // of those before it
}

// newStepAttempt takes a tally that is of other attempts for none: an operator
// has reset the activity, which begins its numbers anew.
func newStepAttempt(limits StepLimits, number int, before tally) stepAttempt {
	if before.Failed < 0 || before.Waited < 0 || before.Failed+before.Waited >= number {
		before = tally{}
	}
	return stepAttempt{limits, number, before}
}

// cut is how many attempts before this one ended without a word.
func (s stepAttempt) cut() int { return s.number - 1 - s.before.Failed - s.before.Waited }

// begin refuses an attempt after too many that did not come to an end.
func (s stepAttempt) begin() error {
	if s.cut() < mostCut {
		return nil
	}
	return bad("attempts_cut", "%d attempts were begun, and none of them came to an end: their workers were killed or stopped, or they were "+
		"out of time; the workers' logs say which. A document or a plan that needs more memory than a worker has does this: "+
		"leave it out, or give workers more, and start the run again", s.cut())
}

// ended counts an attempt that ended with err, elapsed after the step's first
// schedule, and says when there is to be none after it.
func (s stepAttempt) ended(err error, elapsed time.Duration) (tally, error) {
	now := s.before
	if !faults.Waits(err) {
		now.Failed++
		if s.limits.Attempts > 0 && now.Failed >= s.limits.Attempts {
			err = &faults.Last{Err: err}
		}
		return now, err
	}
	now.Waited++
	if s.limits.Patience > 0 && elapsed >= s.limits.Patience && s.number >= s.limits.Attempts {
		err = &faults.Last{Err: s.outOfPatience(err, elapsed)}
	}
	return now, err
}

// outOfPatience is the last of many faults that waited, and says that it is.
func (s stepAttempt) outOfPatience(err error, elapsed time.Duration) error {
	last := *faults.Name(err)
	last.Reason += fmt.Sprintf("; the step was waiting for that, and is given up after %s and %d attempts (limits.step_patience)",
		elapsed.Round(time.Second), s.number)
	if paced, ok := errors.AsType[*faults.Paced](err); ok {
		return &faults.Paced{Err: &last, Retry: paced.Retry}
	}
	return &last
}
