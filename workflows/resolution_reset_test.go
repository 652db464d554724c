package workflows_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/workflows"
)

// While another claim is at work, a word about an earlier one is given up: people
// are asked about the new one, and until they answer the ledger is only looked at.
func TestWordAboutAnEarlierClaimIsGivenUp(t *testing.T) {
	for name, tc := range map[string]struct {
		says     string // about the second claim, while it is at work; "" says nothing
		recorded []string
	}{
		"nobody says more": {"", []string{"not_happened of 1 as 1", "a look"}},
		"it happened":      {"happened", []string{"not_happened of 1 as 1", "happened of 2 as 2"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := doubtful(t, 1)
			w.channels = []string{"inbox"}
			var asked []string
			w.settle = func(in workflows.SettleActionInput) (workflows.SettleActionResult, error) {
				if in.Resolution == nil && len(asked) == 0 {
					return w.settled(in)
				}
				if in.Resolution == nil {
					asked = append(asked, "a look")
				} else {
					asked = append(asked, fmt.Sprintf("%s of %s as %d", in.Resolution.Outcome, in.Resolution.Claim, in.Token))
				}
				if len(asked) == 1 {
					return workflows.SettleActionResult{Attempt: 1, Standing: workflows.StandingInDoubt, Wait: 10 * time.Minute,
						Doubt: &workflows.Doubt{Token: 2, Target: "kb/a", Detail: "at work"}}, nil
				}
				return workflows.SettleActionResult{Attempt: 1, Standing: workflows.StandingDone, Receipt: &plan.Receipt{Ref: "it did"}}, nil
			}
			w.at(time.Minute, func() { w.resolve("a", "not_happened", "cy.ma") })
			w.at(2*time.Minute, func() {
				s := w.status()
				require.Equal(t, workflows.WaitingResolution, s.Status)
				require.Nil(t, s.Actions[0].Resolution)
				require.EqualValues(t, 2, s.Actions[0].Doubt.Token)
				if tc.says != "" {
					w.resolveRaw(fmt.Sprintf(`{"action_id":"a","plan_hash":%q,"outcome":%q,"operator":"bo.lin","evidence":"e","claim":"2"}`, w.hash(0), tc.says))
				}
			})
			s := w.run()
			require.Equal(t, workflows.Completed, s.Status)
			require.Equal(t, tc.recorded, asked)
			require.Equal(t, 1, w.times("a"), "nothing is sent again")
			require.Equal(t, []string{"approval.requested to inbox", "resolution.needed to inbox", "resolution.needed to inbox"}, w.told(),
				"people are told of the other claim")
		})
	}
}

// resets makes the request of the run one of an execution before a reset.
func (w *world) resets() { w.execution = "the execution before a reset" }

// A word that has something sent again is taken in a run that was reset only once
// the doubt was shown there, and answered; what sends nothing is taken at once.
func TestResolutionsOfARunThatWasReset(t *testing.T) {
	unattended := func(terms *approvals.Terms) { terms.Quorums, terms.ByPolicy = nil, []string{"x"} }
	t.Run("not_happened is asked anew", func(t *testing.T) {
		w := doubtful(t, 1)
		w.resets()
		w.terms = unattended
		var word *workflows.Resolved
		w.settle = func(in workflows.SettleActionInput) (workflows.SettleActionResult, error) {
			if in.Resolution != nil {
				word = in.Resolution
			}
			return w.settled(in)
		}
		w.at(time.Minute, func() { w.resolve("a", "not_happened", "cy.ma") })
		w.at(2*time.Minute, func() {
			require.Nil(t, word, "nothing is recorded")
			s := w.status()
			require.Equal(t, workflows.WaitingResolution, s.Status)
			require.Equal(t, "the run was reset, and what was said of it before may be missing; before that: no answer", s.Actions[0].Doubt.Detail)
			require.NotEmpty(t, s.Actions[0].Doubt.Request)
			w.resolve("a", "not_happened", "cy.ma")
		})
		s := w.run()
		require.Equal(t, workflows.Completed, s.Status)
		require.Equal(t, []string{"asked_anew", "accepted"}, codes(s)[1:])
		require.Equal(t, 2, w.times("a"))
		require.Equal(t, word.Request, word.Execution, "it answers what was asked in this execution")
		require.NotEmpty(t, word.Request)
	})
	for _, cautious := range []string{"happened", "abort"} {
		t.Run(cautious+" is taken", func(t *testing.T) {
			w := doubtful(t, 1)
			w.resets()
			w.terms = unattended
			w.at(time.Minute, func() {
				w.resolve("a", "not_happened", "cy.ma")
				w.resolve("a", cautious, "cy.ma")
			})
			s := w.run()
			require.Equal(t, []string{"asked_anew", "accepted"}, codes(s)[1:])
			require.Equal(t, 1, w.times("a"), "it is not sent again")
		})
	}
}

// A word keeps the execution in which its doubt was shown, through one that
// continues as new.
func TestWordGoesOnWithTheRunAndNotWithItsReset(t *testing.T) {
	for name, tc := range map[string]struct{ shown, asked string }{
		"continued":                     {"continued", ""}, // what this test environment calls the first execution
		"reset before it was continued": {"the execution before a reset", "the execution before a reset"},
	} {
		t.Run(name, func(t *testing.T) {
			made := planOf("plan 0", actionsNamed("a")...)
			state := workflows.NewState(task())
			state.NewPlan(&made)
			decideBy := time.Now()
			state.DecideBy = &decideBy
			state.Request = &workflows.RequestApprovalResult{RequestID: "r", Terms: termsOf("bo.lin", "cy.ma", time.Hour, time.Hour)}
			state.Grant = &approvals.Grant{PlanHash: made.PlanHash, Approvals: []approvals.Approval{{Approver: "bo.lin"}}, ExpiresAt: decideBy.Add(100 * time.Hour)}
			state.Actions[0].Status = workflows.StepInDoubt
			state.Actions[0].Doubt = &workflows.Doubt{Token: 1, Target: "kb/a", Detail: "no answer", Execution: tc.shown}
			carried := state.Carried()
			w := newWorld(t, actionsNamed("a")...)
			w.executed = []string{"a"}
			told := "nothing"
			w.settle = func(in workflows.SettleActionInput) (workflows.SettleActionResult, error) {
				told = in.Resolution.Execution
				return w.settled(in)
			}
			w.at(time.Minute, func() { w.resolve("a", "happened", "cy.ma") })
			w.continues(task(), carried)
			require.NoError(t, w.env.GetWorkflowError())
			require.Equal(t, tc.asked, told)
		})
	}
}

// Whoever may resolve was exchanged while the run waits. The word of one who might
// is refused by the one who records it; from then on those of today are asked.
func TestPeopleOfTodayResolve(t *testing.T) {
	w := doubtful(t, 1)
	today := &approvals.Resolving{Label: "new", Version: "new@sha256:01", Proof: approvals.ByClaim,
		Resolvers: []approvals.Resolvers{{Members: []string{"dan.xu"}}}}
	var judgedBy []string
	w.settle = func(in workflows.SettleActionInput) (workflows.SettleActionResult, error) {
		judgedBy = append(judgedBy, in.Policy)
		if in.Resolution == nil || in.Resolution.Operator == "dan.xu" {
			return w.settled(in)
		}
		return workflows.SettleActionResult{Attempt: 1, Standing: workflows.StandingInDoubt, Doubt: &workflows.Doubt{Token: 1, Detail: "killed"},
			Refused: "the word of cy.ma was not recorded: not_a_resolver", Today: today}, nil
	}
	w.at(time.Minute, func() {
		require.Equal(t, "bo.lin", w.status().Resolver)
		w.resolve("a", "happened", "dan.xu")
		w.resolve("a", "happened", "cy.ma")
	})
	w.at(2*time.Minute, func() {
		require.Equal(t, "dan.xu", w.status().Resolver, "the command that is shown names one who can")
		w.resolve("a", "happened", "cy.ma")
		w.resolve("a", "happened", "dan.xu")
	})
	s := w.run()
	require.Equal(t, workflows.Completed, s.Status)
	require.Equal(t, []string{"not_a_resolver", "accepted", "not_a_resolver", "accepted"}, codes(s)[1:])
	require.Equal(t, []string{"test@sha256:01", "test@sha256:01", "new@sha256:01"}, judgedBy)
	require.Equal(t, "by the word of dan.xu", s.Actions[0].Ref)
}

// The rejection that comes with a word for which everybody is asked anew ends the
// run: it answers the same request, and lets nothing go.
func TestRejectionBesideAnApprovalOfARunThatWasReset(t *testing.T) {
	for i, order := range [][]string{{"approve", "reject"}, {"reject", "approve"}} {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			w := newWorld(t, actionsNamed("a")...)
			w.resets()
			w.at(time.Second, func() {
				w.sendRaw(`"noise"`) // while it is judged, the others gather
				for _, decision := range order {
					w.send(decision, w.hash(0), map[string]string{"approve": "bo.lin", "reject": "cy.ma"}[decision])
				}
			})
			s := w.run()
			require.Equal(t, workflows.Rejected, s.Status)
			require.Equal(t, "rejected by cy.ma", s.Reason)
			require.Equal(t, 1, w.requests, "nobody is asked once more")
			require.Empty(t, w.executed)
		})
	}
}
