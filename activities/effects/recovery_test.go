package effects_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

const (
	callTimeout = 30 * time.Second
	settle      = 5 * time.Second
	// renew is the scene's, and so how much later than its claim a call may begin.
	renew = time.Minute
	// quiet is from a claim until its call can have no effect any more.
	quiet = renew + callTimeout + settle
)

// found and the others are what a look at the target can say.
var (
	found     = tools.Finding{Presence: tools.Found, Receipt: theReceipt, Detail: "it is there"}
	absent    = tools.Finding{Presence: tools.Absent, Detail: "it is not there"}
	notProven = tools.Finding{Presence: tools.NotProven, Detail: "nobody can tell"}
)

// sees makes the tool a finder that sees f.
func (s *scene) sees(f tools.Finding, err error) {
	s.tool.find = func(context.Context) (tools.Finding, error) { return f, err }
}

// of is a scene with a tool of a class, and its key in doubt.
func of(t *testing.T, class plan.DeliveryClass, window time.Duration, finds bool) *scene {
	t.Helper()
	s := newTimedScene(t)
	s.tool.spec = tools.Spec{
		Name: "scripted", Class: class, CallTimeout: callTimeout, Settle: settle, KeyWindow: window,
	}
	if finds {
		s.sees(found, nil)
	}
	s.inDoubt()
	return s
}

// What a class does with an outcome that nobody knows: at once, and when no
// earlier call can be under way any more.
func TestUnknownOutcomeIsRecoveredOnlyByItsClass(t *testing.T) {
	const (
		waits  = "waits"
		sends  = "makes the same call again"
		looks  = "looks at the target"
		person = "asks a person"
	)
	tests := []struct {
		name       string
		class      plan.DeliveryClass
		window     time.Duration
		finds      bool
		soon, late string
	}{
		{"transactional", plan.Transactional, 0, false, sends, sends},
		{"conditional", plan.Conditional, 0, false, sends, sends},
		{"conditional that finds", plan.Conditional, 0, true, sends, sends},
		{"keyed, inside its window", plan.Keyed, time.Hour, false, sends, sends},
		{"keyed that finds, inside its window", plan.Keyed, time.Hour, true, sends, sends},
		{"keyed, its window over soon", plan.Keyed, 2 * time.Minute, false, sends, person},
		{"keyed that finds, its window over soon", plan.Keyed, 2 * time.Minute, true, sends, looks},
		{"keyed, its window shorter than a call", plan.Keyed, callTimeout, false, waits, person},
		{"keyed without a window", plan.Keyed, 0, false, waits, person},
		{"lookup", plan.Lookup, 0, true, waits, looks},
		{"lookup that cannot find", plan.Lookup, 0, false, waits, person},
		{"once", plan.Once, 0, false, waits, person},
		{"once that finds", plan.Once, 0, true, waits, person},
		{"a class nobody has heard of", "unheard of", 0, true, waits, person},
	}
	for _, tt := range tests {
		for _, when := range []struct {
			name string
			pass time.Duration
			want string
		}{
			{"at once", 0, tt.soon},
			{"when no call is under way", quiet, tt.late},
		} {
			t.Run(tt.name+" "+when.name, func(t *testing.T) {
				s := of(t, tt.class, tt.window, tt.finds)
				s.clock.pass(when.pass)
				out, err := s.run()
				switch when.want {
				case waits:
					f := requireFault(t, err, faults.InProgress, "lease_held")
					require.Greater(t, f.RetryAfter, quiet-10*time.Second)
					require.LessOrEqual(t, f.RetryAfter, quiet+time.Second)
				case person:
					requireFault(t, err, faults.Unknown, faults.CodeOutcomeUnknown)
					require.ErrorContains(t, err, theKey)
					require.ErrorContains(t, err, "kb/page.md")
				default:
					require.NoError(t, err)
					require.True(t, out.Recovered)
					require.False(t, out.Duplicate)
					require.Equal(t, theReceipt, out.Receipt)
				}
				require.Equal(t, when.want == sends, s.tool.calls == 1)
				require.Equal(t, when.want == looks, s.tool.looks == 1)
				require.Equal(t, when.want == sends || when.want == looks, s.row().State == effects.Completed)
				require.LessOrEqual(t, s.tool.calls+s.tool.looks, 1)
				if when.want == sends {
					require.True(t, s.tool.last.InDoubt, "the tool is told")
				}
			})
		}
	}
}

// However often it is asked, a question to a person stays one.
func TestOutcomeUnknownIsNeverSentAgain(t *testing.T) {
	s := of(t, plan.Once, 0, false)
	s.clock.pass(quiet)
	for range 3 {
		_, err := s.run()
		requireFault(t, err, faults.Unknown, faults.CodeOutcomeUnknown)
		s.clock.pass(24 * time.Hour)
	}
	require.Zero(t, s.tool.calls)
	require.Equal(t, effects.Started, s.row().State)
}

// A key leaves its window while attempts fail: the window counts from the first
// call, and a call that could arrive after it is not made.
func TestC025_KeyLeavesItsWindowBetweenAttempts(t *testing.T) {
	const window = 10 * time.Minute
	const again = window - renew - callTimeout // the call may begin that much later, and takes that long
	for _, tt := range []struct {
		name  string
		finds bool
	}{{"a person is asked", false}, {"the target is asked", true}} {
		t.Run(tt.name, func(t *testing.T) {
			s := of(t, plan.Keyed, window, tt.finds)
			s.answer(plan.Receipt{}, &faults.Fault{Code: "timeout", Reason: "no answer"})
			s.clock.pass(again / 2)
			_, err := s.run()
			requireFault(t, err, faults.Unknown, "timeout")
			s.clock.pass(again/2 - 2*time.Second)
			_, err = s.run()
			requireFault(t, err, faults.Unknown, "timeout")
			require.Equal(t, 2, s.tool.calls)

			s.clock.pass(2 * time.Second)
			_, err = s.run()
			requireFault(t, err, faults.InProgress, "lease_held")
			s.clock.pass(quiet)
			_, err = s.run()
			require.Equal(t, 2, s.tool.calls, "not sent with a key that the target may have forgotten")
			if tt.finds {
				require.NoError(t, err)
				require.Equal(t, 1, s.tool.looks)
				return
			}
			requireFault(t, err, faults.Unknown, faults.CodeOutcomeUnknown)
		})
	}
}

// A target that refuses this call for a reason that holds of all earlier ones
// too ends the doubt.
func TestRefusalThatEndsTheDoubt(t *testing.T) {
	for _, class := range []faults.Class{faults.Permanent, faults.Transient, faults.Throttled} {
		t.Run(class.String(), func(t *testing.T) {
			s := of(t, plan.Keyed, time.Hour, false)
			refused := &faults.Fault{Class: class, Code: "http_422", Reason: "no such order", Cause: fmt.Errorf("x: %w", tools.ErrAbsent)}
			s.answer(plan.Receipt{}, refused)
			_, err := s.run()
			require.Equal(t, error(refused), err)
			s.requireReleased("http_422: no such order")
		})
	}
	t.Run("not when the gate refused, and the tool was not asked", func(t *testing.T) {
		s := of(t, plan.Keyed, time.Hour, false)
		call := theCall()
		call.MayBegin = func(context.Context) error {
			return &faults.Fault{Class: faults.Permanent, Code: "expired", Reason: "expired", Cause: tools.ErrAbsent}
		}
		_, err := s.with(t.Context(), call)
		requireFault(t, err, faults.Unknown, "expired")
		s.requireParked("expired: expired")
	})
}

// A receipt that the ledger did not take may be of an effect that the target
// does not show yet. A look before that would find it absent.
func TestReceiptNotRecordedIsLookedForOnlyWhenItCanBeSeen(t *testing.T) {
	s := newTimedScene(t)
	s.tool.spec = tools.Spec{Class: plan.Lookup, CallTimeout: callTimeout, Settle: settle}
	s.sees(absent, nil)
	l := s.broken()
	l.complete = errGone
	_, err := s.run()
	requireFault(t, err, faults.Unknown, "receipt_not_recorded")
	l.complete = nil

	_, err = s.run()
	requireFault(t, err, faults.InProgress, "lease_held")
	require.Zero(t, s.tool.looks)
	s.clock.pass(quiet)
	s.sees(found, nil)
	_, err = s.run()
	require.NoError(t, err)
	require.Equal(t, 1, s.tool.calls)
}
