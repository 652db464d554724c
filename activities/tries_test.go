package activities

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/testsuite"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/workflows"
)

// inAttempt does something in an activity, and returns what its heartbeats said.
func inAttempt(t *testing.T, before *past, do func(context.Context)) (said []past) {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(log.NewStructuredLogger(slog.New(slog.DiscardHandler)))
	env := suite.NewTestActivityEnvironment()
	env.SetOnActivityHeartbeatListener(func(_ *activity.Info, details converter.EncodedValues) {
		var p past
		require.NoError(t, details.Get(&p))
		said = append(said, p)
	})
	if before != nil {
		env.SetHeartbeatDetails(*before)
	}
	env.RegisterActivityWithOptions(func(ctx context.Context) error { do(ctx); return nil }, activity.RegisterOptions{Name: "attempt"})
	_, err := env.ExecuteActivity("attempt")
	require.NoError(t, err)
	return said
}

// What one attempt leaves to the next.
func TestWhatAnAttemptLeavesToTheNext(t *testing.T) {
	failed := errors.New("failed")
	for _, tt := range []struct {
		name  string
		tries tries
		left  *past // nil: nothing is said
		last  bool
	}{
		{"the first, before its claim", tries{number: 1, most: 3, unclaimed: true}, &past{Unclaimed: 1}, false},
		{"the first, after its claim", tries{number: 1, most: 3}, nil, false},
		{"the second, after one that was killed", tries{number: 2, most: 3, unclaimed: true}, nil, false},
		{"the second, after one that claimed nothing", tries{number: 2, most: 3, unclaimed: true, past: past{Unclaimed: 1}}, &past{Unclaimed: 2}, false},
		{"the third, after one that was killed and had nothing before it", tries{number: 3, most: 4, unclaimed: true, past: past{Unclaimed: 1}}, nil, false},
		{"the last", tries{number: 3, most: 3}, nil, true},
		{"the only one", tries{number: 1, most: 1, unclaimed: true}, &past{Unclaimed: 1}, true},
		{"idle", tries{number: 1, most: 1, idle: true, unclaimed: true, since: time.Minute}, &past{Idle: 1, Lost: time.Minute, Unclaimed: 1}, false},
		{"idle again", tries{number: 7, most: 1, idle: true, since: time.Hour, past: past{Idle: 6, Lost: time.Minute}}, &past{Idle: 7, Lost: time.Hour}, false},
		{"idle after one that was not", tries{number: 3, most: 4, idle: true, since: time.Hour, past: past{Idle: 1, Lost: time.Minute}}, &past{Idle: 2, Lost: time.Minute}, false},
		{"the first that counts", tries{number: 8, most: 2, past: past{Idle: 7}}, nil, false},
		{"the last that counts", tries{number: 9, most: 2, past: past{Idle: 7}}, nil, true},
		{"the server counts", tries{number: 9}, nil, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			said := inAttempt(t, nil, func(ctx context.Context) {
				err := tt.tries.ended(ctx, failed)
				require.ErrorIs(t, err, failed)
				require.Equal(t, tt.last, errors.As(err, new(*faults.Last)))
				require.NoError(t, tt.tries.ended(ctx, nil))
			})
			if tt.left == nil {
				require.Empty(t, said)
				return
			}
			require.Equal(t, []past{*tt.left}, said)
		})
	}
}

func TestTriesOfAnAttempt(t *testing.T) {
	in := workflows.ExecuteActionInput{MaxAttempts: 4}
	t.Run("the first", func(t *testing.T) {
		require.Empty(t, inAttempt(t, nil, func(ctx context.Context) {
			got := triesOf(ctx, in)
			require.Equal(t, 1, got.number)
			require.True(t, got.clean())
			require.Zero(t, got.earlier(in, time.Minute))
			require.NoError(t, got.usedUp())
		}))
	})
	t.Run("what does not change is said again at once, lest a kill loses it", func(t *testing.T) {
		said := inAttempt(t, &past{Idle: 3, Lost: time.Hour, Unclaimed: 3}, func(ctx context.Context) {
			require.Equal(t, past{Idle: 3, Lost: time.Hour, Unclaimed: 3}, triesOf(ctx, in).past)
		})
		require.Equal(t, []past{{Idle: 3, Lost: time.Hour}}, said)
	})
}

// How long ago an earlier attempt may have made the call.
func TestEarlierCall(t *testing.T) {
	in := workflows.ExecuteActionInput{}
	for _, tt := range []struct {
		name     string
		tries    tries
		expected bool
		want     time.Duration
	}{
		{"none", tries{number: 1}, false, 0},
		{"those before claimed nothing", tries{number: 5, past: past{Unclaimed: 4}, since: time.Hour}, false, 0},
		{"nobody knows", tries{number: 2, since: time.Hour}, false, time.Hour + 2*time.Second},
		{"the plan saw one", tries{number: 1}, true, beyondAnyWindow},
	} {
		in.Expected = tt.expected
		require.Equal(t, tt.want, tt.tries.earlier(in, time.Second), tt.name)
	}
}

func TestAttemptsThatDiedAreUsedUp(t *testing.T) {
	require.NoError(t, (&tries{number: 3, most: 3}).usedUp())
	require.NoError(t, (&tries{number: 5, most: 3, past: past{Idle: 2}}).usedUp())
	require.NoError(t, (&tries{number: 500}).usedUp(), "the server counts")
	err := (&tries{number: 4, most: 3}).usedUp()
	require.EqualError(t, err, "attempts_used_up: all 3 attempts were begun before, and none came to an end")
	require.Equal(t, faults.Permanent, faults.ClassOf(err))
}

// A wait for a turn is told, and taken back before anything is claimed.
func TestWaitForATurnLeavesNoDoubt(t *testing.T) {
	said := inAttempt(t, nil, func(ctx context.Context) {
		(&tries{number: 1}).whileWaiting(ctx)() // no wait
	})
	require.Empty(t, said)
	said = inAttempt(t, nil, func(ctx context.Context) {
		stop := (&tries{number: 1}).whileWaiting(ctx)
		time.Sleep(worthSaying + 200*time.Millisecond)
		stop()
	})
	require.NotEmpty(t, said)
	require.Equal(t, past{Unclaimed: 1}, said[0])
	said = inAttempt(t, nil, func(ctx context.Context) {
		stop := (&tries{number: 2}).whileWaiting(ctx) // one that was killed came before
		time.Sleep(worthSaying + 200*time.Millisecond)
		stop()
	})
	require.Empty(t, said)
}

// A ledger that is away takes nothing of a tool's budget.
func TestOutageIsNotOfTheToolsBudget(t *testing.T) {
	retry := faults.Retry{Base: time.Second, Max: time.Second, Budget: time.Minute}
	err := errors.New("failed")
	require.Equal(t, err, (&tries{idle: true}).paced(err, retry))
	var paced *faults.Paced
	require.ErrorAs(t, (&tries{past: past{Lost: time.Hour}}).paced(err, retry), &paced)
	require.Equal(t, time.Hour+time.Minute, paced.Retry.Budget)
	retry.Budget = 0
	require.ErrorAs(t, (&tries{past: past{Lost: time.Hour}}).paced(err, retry), &paced)
	require.Zero(t, paced.Retry.Budget, "none stays none")
}
