package activities

import (
	"errors"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/workflows"
)

// Which attempts spend what, and which one is the last.
func TestHowAttemptsAtAStepEnd(t *testing.T) {
	limits := StepLimits{Attempts: 10, Patience: 24 * time.Hour}
	transient := &faults.Fault{Class: faults.Transient, Code: "http_500", Reason: "it failed"}
	throttled := &faults.Fault{Class: faults.Throttled, Code: "http_429", Reason: "it asks to wait"}
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}
	for _, tt := range []struct {
		name    string
		number  int
		before  tally
		elapsed time.Duration
		err     error
		after   tally
		last    bool
	}{
		{"the first", 1, tally{}, 0, transient, tally{Failed: 1}, false},
		{"the ninth of its own", 9, tally{Failed: 8}, 0, transient, tally{Failed: 9}, false},
		{"the tenth of its own", 10, tally{Failed: 9}, 0, transient, tally{Failed: 10}, true},
		{"the tenth of its own, after many others", 3000, tally{Failed: 9, Waited: 2900}, 20 * time.Hour, transient, tally{Failed: 10, Waited: 2900}, true},
		{"the tenth attempt, after nine that were cut off", 10, tally{}, 0, transient, tally{Failed: 1}, false},
		{"waits", 2, tally{Failed: 1}, 0, throttled, tally{Failed: 1, Waited: 1}, false},
		{"waits, as the thirteenth", 13, tally{Waited: 12}, time.Hour, throttled, tally{Waited: 13}, false},
		{"waits for a connection", 13, tally{Waited: 12}, time.Hour, fmt.Errorf("x: %w", refused), tally{Waited: 13}, false},
		{"waits, as the last within its patience", 10000, tally{Waited: 9999}, 24*time.Hour - 1, throttled, tally{Waited: 10000}, false},
		{"out of patience", 10000, tally{Waited: 9999}, 24 * time.Hour, throttled, tally{Waited: 10000}, true},
		{"out of patience, at the tenth", 10, tally{Waited: 9}, 72 * time.Hour, throttled, tally{Waited: 10}, true},
		{"after a night without workers", 1, tally{}, 72 * time.Hour, throttled, tally{Waited: 1}, false},
		{"the ninth after a night without workers", 9, tally{Waited: 8}, 72 * time.Hour, throttled, tally{Waited: 9}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			after, err := newStepAttempt(limits, tt.number, tt.before).ended(tt.err, tt.elapsed)
			require.Equal(t, tt.after, after)
			require.Equal(t, tt.last, errors.As(err, new(*faults.Last)))
			require.Equal(t, faults.Name(tt.err).Code, faults.Name(err).Code)
		})
	}
	_, err := newStepAttempt(limits, 6000, tally{Waited: 5999}).ended(throttled, 24*time.Hour+300*time.Millisecond)
	require.EqualError(t, err, "http_429: it asks to wait; the step was waiting for that, and is given up after 24h0m0s and 6000 attempts (limits.step_patience)")
	require.Equal(t, "it asks to wait", throttled.Reason)

	after, err := newStepAttempt(StepLimits{}, 1000, tally{Failed: 999}).ended(transient, 1000*time.Hour)
	require.Equal(t, transient, err, "nothing is bounded without limits")
	require.Equal(t, tally{Failed: 1000}, after)
}

// A document that kills each worker that reads it ends the run.
func TestAttemptsThatNeverEndAreBounded(t *testing.T) {
	limits := StepLimits{Attempts: 10, Patience: time.Hour}
	require.NoError(t, newStepAttempt(limits, 100, tally{}).begin(), "99 were cut off")
	require.NoError(t, newStepAttempt(limits, 5000, tally{Failed: 9, Waited: 4891}).begin(), "99 of them")
	err := newStepAttempt(limits, 101, tally{}).begin()
	require.ErrorContains(t, err, "attempts_cut: 100 attempts were begun, and none of them came to an end")
	require.Equal(t, faults.Permanent, faults.ClassOf(err))
	require.Error(t, newStepAttempt(limits, 5000, tally{Failed: 9, Waited: 4890}).begin())
}

// An operator who resets an activity makes its first attempt once more.
func TestATallyOfOtherAttemptsIsNone(t *testing.T) {
	for _, before := range []tally{{Failed: 9}, {Failed: 1}, {Waited: 1}, {Failed: -1, Waited: 1}} {
		require.Equal(t, tally{}, newStepAttempt(StepLimits{}, 1, before).before, before)
	}
	require.Equal(t, tally{Failed: 2, Waited: 1}, newStepAttempt(StepLimits{}, 4, tally{Failed: 2, Waited: 1}).before)
}

// The attempts at an action have a count of their own, and others none.
func TestWhichActivitiesAreCounted(t *testing.T) {
	for _, step := range workflows.StepNames() {
		require.Equal(t, step != workflows.ExecuteAction, counted(string(step)), step)
	}
	for _, name := range []string{workflows.SettleAction, workflows.Notify, workflows.JudgeDecisions, workflows.JudgeResolutions} {
		require.False(t, counted(name), name)
	}
}
