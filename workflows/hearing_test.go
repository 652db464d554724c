package workflows_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/policy"
	"github.com/holdpoint/holdpoint/workflows"
)

// exchanges makes dan.xu the only one who resolves by the policy of the day. It
// returns the times, in the run's own, at which that was asked for.
func (w *world) exchanges() *[]time.Time {
	w.t.Helper()
	var err error
	w.today, err = policy.Simple("new", []string{"dan.xu"}, time.Hour, time.Hour)
	require.NoError(w.t, err)
	heard := &[]time.Time{}
	w.settle = func(in workflows.SettleActionInput) (workflows.SettleActionResult, error) {
		if !in.Hears {
			return w.settled(in)
		}
		require.Nil(w.t, in.Resolution, "a word that was refused is told to nobody")
		require.Equal(w.t, "test@sha256:01", in.Policy)
		*heard = append(*heard, w.env.Now())
		return workflows.SettleActionResult{Attempt: 1, Today: &approvals.Resolving{
			Label: "new", Version: w.today.Version(), Proof: approvals.ByClaim, Resolvers: []approvals.Resolvers{{Members: []string{"dan.xu"}}},
		}}, nil
	}
	return heard
}

// Who alone may resolve by the policy of the day is refused by the one that the run
// knows, and with that the run asks for the other: nobody else need speak first.
func TestRefusedWordMakesTheRunHearOfThePolicyOfTheDay(t *testing.T) {
	w := doubtful(t, 1)
	heard := w.exchanges()
	w.at(time.Minute, func() { w.resolve("a", "happened", "dan.xu") })
	w.at(2*time.Minute, func() {
		s := w.status()
		require.Equal(t, workflows.WaitingResolution, s.Status)
		require.Equal(t, "dan.xu", s.Resolver)
		refused := s.Decisions.Recent[1]
		require.Equal(t, approvals.NotAResolver, refused.Code)
		require.Contains(t, refused.Reason, "The policy has changed since, and the run is told of it now: say it again in a moment.")
		w.resolve("a", "happened", "dan.xu")
	})
	s := w.run()
	require.Equal(t, workflows.Completed, s.Status)
	require.Equal(t, []string{"not_a_resolver", "accepted"}, codes(s)[1:])
	require.Len(t, *heard, 1)
	require.Equal(t, 1, w.times("a"))
}

// Whatever is sent, it is asked for once a minute, and not at all when the run knows
// the policy of the day, or when nothing waits for a word.
func TestWhatIsRefusedMakesTheRunAskOnceAMinute(t *testing.T) {
	t.Run("a flood", func(t *testing.T) {
		w := doubtful(t, 1)
		heard := w.exchanges()
		settle := w.settle
		w.settle = func(in workflows.SettleActionInput) (workflows.SettleActionResult, error) {
			out, err := settle(in)
			out.Today = nil // of the policy before, as a worker that was not restarted has it
			return out, err
		}
		for i := range 60 {
			w.at(time.Minute+time.Duration(i)*5*time.Second, func() { w.resolve("a", "happened", "mallory") })
		}
		w.at(10*time.Minute, func() { w.resolve("a", "happened", "cy.ma") })
		require.Equal(t, workflows.Completed, w.run().Status)
		require.Len(t, *heard, 6, "at once, at the end of each of the five minutes in which words came, and no more")
		for i, at := range (*heard)[1:] {
			require.GreaterOrEqual(t, at.Sub((*heard)[i]), time.Minute)
		}
	})
	for name, sends := range map[string]func(*world){
		"a refusal that no policy decides": func(w *world) { w.resolve("b", "happened", "dan.xu"); w.resolveRaw(`"noise"`) },
		"a word about another claim": func(w *world) {
			w.resolveRaw(fmt.Sprintf(`{"action_id":"a","plan_hash":%q,"claim":"7","outcome":"happened","operator":"cy.ma","evidence":"e"}`, w.hash(0)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := doubtful(t, 1)
			heard := w.exchanges()
			w.at(time.Minute, func() { sends(w) })
			w.at(10*time.Minute, func() { w.resolve("a", "happened", "cy.ma") })
			require.Equal(t, workflows.Completed, w.run().Status)
			require.Empty(t, *heard)
		})
	}
}

// While what did not happen waits for its time, whoever knows better by the policy
// of the day can still say so; and the asking takes nothing of the word back.
func TestPolicyOfTheDayIsHeardWhileAWordWaits(t *testing.T) {
	for name, says := range map[string]bool{"she says it again": true, "she does not": false} {
		t.Run(name, func(t *testing.T) {
			w := doubtful(t, 1)
			w.grantLife = 48 * time.Hour
			heard := w.exchanges()
			hears := w.settle
			w.quiet(5 * time.Hour)
			records := w.settle
			w.settle = func(in workflows.SettleActionInput) (workflows.SettleActionResult, error) {
				if in.Hears {
					return hears(in)
				}
				return records(in)
			}
			w.at(time.Minute, func() { w.resolve("a", "not_happened", "cy.ma") })
			w.at(2*time.Minute, func() { w.resolve("a", "happened", "dan.xu") })
			w.at(3*time.Minute, func() {
				require.Equal(t, approvals.NotHappened, w.status().Actions[0].Resolution.Outcome)
				if says {
					w.resolve("a", "happened", "dan.xu")
				}
			})
			s := w.run()
			require.Equal(t, workflows.Completed, s.Status)
			require.Len(t, *heard, 1)
			require.Equal(t, map[bool]int{true: 1, false: 2}[says], w.times("a"))
		})
	}
}

// A run that cannot ask for the policy of the day goes on by the one that it knows.
func TestRunThatCannotHearGoesOn(t *testing.T) {
	w := doubtful(t, 1)
	w.exchanges()
	asked := 0
	w.settle = func(in workflows.SettleActionInput) (workflows.SettleActionResult, error) {
		if in.Hears {
			asked++
			return workflows.SettleActionResult{}, temporal.NewNonRetryableApplicationError("panic: in settle_action", workflows.ClassUnknown, errors.New("x"))
		}
		return w.settled(in)
	}
	w.at(time.Minute, func() { w.resolve("a", "happened", "dan.xu") })
	w.at(5*time.Minute, func() {
		require.Equal(t, workflows.WaitingResolution, w.status().Status)
		w.resolve("a", "happened", "cy.ma")
	})
	s := w.run()
	require.Equal(t, workflows.Completed, s.Status)
	require.Equal(t, 1, asked)
}
