package workflows_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/workflows"
)

// aroundReset makes the run one that was reset while its first request was open, or
// stood. What is asked from then on is of the execution that runs.
func (w *world) aroundReset(change func(t *approvals.Terms)) {
	w.resets()
	w.terms = func(terms *approvals.Terms) {
		if w.requests > 1 {
			w.execution = ""
		}
		if change != nil {
			change(terms)
		}
	}
}

// counted is how often each verdict was given.
func counted(s workflows.Status) map[approvals.Code]int {
	all := map[approvals.Code]int{}
	for _, c := range s.Decisions.Counts {
		all[c.Code] = c.Count
	}
	return all
}

// A reset repeats what was said, and so also a word that was said twice. Neither
// answers what the other has asked anew, however they are judged: the one who
// answers has been asked.
func TestNoWordAnswersADoubtThatWasAskedAnewAfterIt(t *testing.T) {
	for name, tc := range map[string]struct {
		repeats func(w *world)
		counts  map[approvals.Code]int // without the approval of the plan
	}{
		"with another topic between them": {
			func(w *world) {
				w.resolve("a", "not_happened", "cy.ma")
				w.sendRaw(`"noise"`)
				w.resolve("a", "not_happened", "bo.lin")
			},
			map[approvals.Code]int{approvals.AskedAnew: 2, approvals.Malformed: 1},
		},
		"more than one batch takes": {
			func(w *world) {
				for range 60 {
					w.resolve("a", "not_happened", "cy.ma")
				}
			},
			map[approvals.Code]int{approvals.AskedAnew: 60},
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := doubtful(t, 1)
			w.resets()
			w.terms = func(terms *approvals.Terms) { terms.Quorums, terms.ByPolicy = nil, []string{"x"} }
			w.at(time.Minute, func() { tc.repeats(w) })
			w.at(2*time.Minute, func() {
				s := w.status()
				require.Equal(t, workflows.WaitingResolution, s.Status)
				require.Nil(t, s.Actions[0].Resolution, "nobody has answered")
				require.Equal(t, "the run was reset, and what was said of it before may be missing; before that: no answer", s.Actions[0].Doubt.Detail)
				require.Equal(t, 1, w.times("a"), "it is not sent again")
				w.resolve("a", "not_happened", "cy.ma")
			})
			s := w.run()
			require.Equal(t, workflows.Completed, s.Status)
			require.Equal(t, 2, w.times("a"))
			got := counted(s)
			require.Equal(t, 1, got[approvals.Accepted], "the answer")
			for code, n := range tc.counts {
				require.Equal(t, n, got[code], code)
			}
		})
	}
}

// One who was asked anew is heard, also while words from before still wait for
// their verdicts; and those have nothing sent, whatever they wait with.
func TestAnAnswerIsToldFromEarlierWordsThatStillWait(t *testing.T) {
	w := doubtful(t, 1)
	w.resets()
	w.terms = func(terms *approvals.Terms) { terms.Quorums, terms.ByPolicy = nil, []string{"x"} }
	judged := 0
	w.env.RegisterActivityWithOptions(func(ctx context.Context, in workflows.JudgeResolutionsInput) (workflows.JudgeDecisionsResult, error) {
		if judged++; judged == 2 { // the first was asked anew, the third still waits
			w.resolve("a", "not_happened", "cy.ma")
		}
		return w.judgeResolutions(ctx, in)
	}, activity.RegisterOptions{Name: workflows.JudgeResolutions, DisableAlreadyRegisteredCheck: true})
	w.at(time.Minute, func() {
		w.resolve("a", "not_happened", "bo.lin")
		w.sendRaw(`"noise"`)
		w.resolve("a", "not_happened", "bo.lin")
		w.sendRaw(`"noise"`)
		w.resolve("a", "not_happened", "bo.lin")
	})
	s := w.run()
	require.Equal(t, workflows.Completed, s.Status)
	require.Equal(t, []string{"asked_anew", "malformed", "asked_anew", "malformed", "asked_anew", "accepted"}, codes(s)[1:])
	require.Equal(t, "cy.ma", s.Actions[0].Resolution.Operator)
	require.Equal(t, 2, w.times("a"))
}

// The next execution of a run that was reset asks anew once more, and there it is
// so too.
func TestNoWordAnswersADoubtThatTheNextExecutionAsksAnew(t *testing.T) {
	w, state := waitsApproved(t)
	state.WasReset = true
	w.executed = []string{"a"}
	state.Actions[0].Status = workflows.StepInDoubt
	state.Actions[0].Doubt = &workflows.Doubt{Token: 1, Target: "kb/a", Detail: "no answer", Request: "an execution before"}
	w.at(time.Minute, func() {
		w.resolve("a", "not_happened", "cy.ma")
		w.sendRaw(`"noise"`)
		w.resolve("a", "not_happened", "cy.ma")
	})
	w.at(2*time.Minute, func() {
		require.Nil(t, w.status().Actions[0].Resolution, "nobody has answered")
		w.resolve("a", "happened", "cy.ma")
	})
	s := w.goesOn(state)
	require.Equal(t, []string{"asked_anew", "malformed", "asked_anew", "accepted"}, codes(s))
	require.Equal(t, 1, w.times("a"), "it is not sent again")
}

// goesOn returns how a run ends that goes on with what was carried over.
func (w *world) goesOn(carried *workflows.State) (end workflows.Status) {
	w.t.Helper()
	w.continues(task(), carried)
	require.NoError(w.t, w.env.GetWorkflowError())
	require.NoError(w.t, w.env.GetWorkflowResult(&end))
	return end
}

// waitsApproved is what a run with one action carries over after its approval, and
// the world in which it goes on.
func waitsApproved(t *testing.T) (*world, *workflows.State) {
	t.Helper()
	made := planOf("plan 0", actionsNamed("a")...)
	state := workflows.NewState(task())
	state.Context = &workflows.CollectContextResult{Attempt: 1}
	state.NewPlan(&made)
	decideBy := time.Now()
	state.DecideBy = &decideBy
	state.Request = &workflows.RequestApprovalResult{RequestID: "r", Terms: termsOf("bo.lin", "cy.ma", time.Hour, time.Hour)}
	state.Grant = &approvals.Grant{PlanHash: made.PlanHash, Approvals: []approvals.Approval{{Approver: "bo.lin"}}, ExpiresAt: decideBy.Add(100 * time.Hour)}
	w := newWorld(t, actionsNamed("a")...)
	w.env.SetStartTime(decideBy)
	return w, state.Carried()
}

// An approval that was said before the run asked anew answers no request that is
// made then, however long it waits for its verdict.
func TestNoApprovalAnswersARequestThatWasMadeAfterIt(t *testing.T) {
	w := newWorld(t, actionsNamed("a")...)
	w.aroundReset(nil)
	w.judging = 100 * time.Millisecond // longer than a request takes
	w.at(time.Second, func() {
		w.send("approve", w.hash(0), "bo.lin")
		w.resolveRaw(`"noise"`)
		w.send("approve", w.hash(0), "bo.lin")
	})
	w.at(time.Minute, func() {
		require.Equal(t, 2, w.requests)
		require.Equal(t, workflows.WaitingApproval, w.status().Status)
		require.Empty(t, w.executed)
		w.send("approve", w.hash(0), "bo.lin")
	})
	s := w.run()
	require.Equal(t, workflows.Completed, s.Status)
	require.Equal(t, []string{"asked_anew", "malformed", "no_plan_yet", "accepted"}, codes(s))
}

// So it is in a run that was reset to before it first asked anybody.
func TestNoApprovalAnswersTheFirstRequestBeforeItIsMade(t *testing.T) {
	w := newWorld(t, actionsNamed("a")...)
	w.judging = 100 * time.Millisecond
	w.at(0, func() {
		w.resolveRaw(`"noise"`)
		w.send("approve", w.hash(0), "bo.lin")
	})
	w.at(time.Minute, func() {
		require.Equal(t, workflows.WaitingApproval, w.status().Status)
		require.Empty(t, w.executed)
		w.send("approve", w.hash(0), "bo.lin")
	})
	s := w.run()
	require.Equal(t, workflows.Completed, s.Status)
	require.Equal(t, []string{"malformed", "no_plan_yet", "accepted"}, codes(s))
}

// Nor does a word about one action: it leads back to the gate, and what was said
// with it opens neither that nor the action.
func TestNoConfirmationAnswersWhatIsAskedAfterIt(t *testing.T) {
	w, state := waitsApproved(t)
	confirm := func(terms *approvals.Terms) { terms.Confirm = []string{"a"} }
	confirm(&state.Request.Terms)
	state.Request.Execution = "the execution before a reset"
	w.terms = confirm
	w.judging = 100 * time.Millisecond
	w.at(time.Second, func() {
		w.confirm("approve", "a", "cy.ma")
		w.resolveRaw(`"noise"`)
		w.send("approve", w.hash(0), "bo.lin")
		w.resolveRaw(`"noise"`)
		w.confirm("approve", "a", "cy.ma")
	})
	w.at(time.Minute, func() {
		require.Equal(t, 1, w.requests)
		require.False(t, w.status().Actions[0].Unconfirmed, "the plan itself is asked about first")
		require.Equal(t, workflows.WaitingApproval, w.status().Status)
		w.send("approve", w.hash(0), "bo.lin")
	})
	w.at(2*time.Minute, func() {
		require.True(t, w.status().Actions[0].Unconfirmed)
		require.Empty(t, w.executed)
		w.confirm("approve", "a", "cy.ma")
	})
	s := w.goesOn(state)
	require.Equal(t, workflows.Completed, s.Status)
	require.Equal(t, []string{"asked_anew", "malformed", "no_plan_yet", "malformed", "no_plan_yet", "accepted", "accepted"}, codes(s))
	require.Equal(t, []string{"a"}, w.executed)
}
