package effects_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// under makes the attempt of a plan with that digest of the tool's declaration.
func (s *scene) under(declaration plan.Digest) (effects.Outcome, error) {
	call := theCall()
	call.Action.ToolDigest = declaration
	return s.with(s.t.Context(), call)
}

// promises is a tool of a class that can do whatever the class allows.
func promises(class plan.DeliveryClass) tools.Spec {
	return tools.Spec{Name: "scripted", Class: class, CallTimeout: callTimeout, Settle: settle, KeyWindow: 24 * time.Hour}
}

// doubtUnder is a scene with a key that a call under the declaration has left
// in doubt, and that a tool of another class is to carry out now.
func doubtUnder(t *testing.T, declaration plan.Digest, before, after plan.DeliveryClass) *scene {
	t.Helper()
	s := newTimedScene(t)
	s.tool.spec = promises(before)
	s.answer(plan.Receipt{}, &faults.Fault{Code: "timeout", Reason: "no answer"})
	_, err := s.under(declaration)
	require.Equal(t, faults.Unknown, faults.ClassOf(err))
	require.Equal(t, declaration, s.row().Declaration)
	s.tool.spec, s.tool.calls = promises(after), 0
	s.sees(absent, nil) // whoever looked would send
	s.answer(theReceipt, nil)
	return s
}

var classes = []plan.DeliveryClass{plan.Transactional, plan.Conditional, plan.Keyed, plan.Lookup, plan.Once}

// A call of unknown outcome was made under one declaration of its tool, and a
// later plan is made under another. Whatever that one promises, nothing is sent
// and nothing concluded: a person is asked, and her word counts.
func TestDoubtUnderAnotherDeclarationIsAPersons(t *testing.T) {
	for _, before := range classes {
		for _, after := range classes {
			t.Run(fmt.Sprintf("%s, and then %s", before, after), func(t *testing.T) {
				s := doubtUnder(t, asDeclared(), before, after)
				_, err := s.under(asEdited())
				requireFault(t, err, faults.InProgress, "lease_held")
				s.clock.pass(quiet)
				for range 3 {
					_, err = s.under(asEdited())
					requireFault(t, err, faults.Unknown, faults.CodeOutcomeUnknown)
					require.EqualError(t, err, "outcome_unknown: an earlier attempt may have had its effect, and its call was made under another "+
						"declaration of the tool, of which the present one can tell nothing; it ended so: timeout: no answer; "+
						"a person must look at kb/page.md for the key "+theKey)
					row := s.row()
					require.Equal(t, effects.Started, row.State)
					require.Zero(t, row.LeaseUntil)
					require.Zero(t, row.QuietUntil, "nothing is under way: her word is taken at once")
					require.Equal(t, asDeclared(), row.Declaration)
				}
				require.Zero(t, s.tool.calls+s.tool.looks)

				settled, err := s.Ledger.Settle(t.Context(), effects.Settlement{Key: theKey, Token: s.row().Token, Reason: "not_happened, says mei"})
				require.NoError(t, err)
				require.True(t, settled.Changed)
				out, err := s.under(asEdited())
				require.NoError(t, err)
				require.False(t, out.Recovered)
				require.Equal(t, []int{1, 0}, []int{s.tool.calls, s.tool.looks}, "sent under the new declaration")
				require.Equal(t, asEdited(), s.row().Declaration)
				require.Equal(t, effects.Completed, s.row().State)
			})
		}
	}
}

func TestWhatHappenedUnderAnotherDeclarationIsDone(t *testing.T) {
	s := doubtUnder(t, asDeclared(), plan.Once, plan.Keyed)
	s.clock.pass(quiet)
	_, err := s.under(asEdited())
	requireFault(t, err, faults.Unknown, faults.CodeOutcomeUnknown)
	settled, err := s.Ledger.Settle(t.Context(), effects.Settlement{
		Key: theKey, Token: s.row().Token, Receipt: &theReceipt, Reason: "happened, says mei",
	})
	require.NoError(t, err)
	require.True(t, settled.Changed)
	out, err := s.under(asEdited())
	require.NoError(t, err)
	require.True(t, out.Duplicate)
	require.Equal(t, theReceipt, out.Receipt)
	require.Zero(t, s.tool.calls+s.tool.looks)
}

// The same declaration, and one without a digest, recover as ever.
func TestDoubtUnderTheSameDeclarationIsRecoveredByItsClass(t *testing.T) {
	for name, tt := range map[string]struct{ before, after plan.Digest }{
		"the same":                        {asDeclared(), asDeclared()},
		"the first call's plan has none":  {plan.Digest{}, asEdited()},
		"the present plan has none":       {asDeclared(), plan.Digest{}},
		"neither has one, as an old plan": {plan.Digest{}, plan.Digest{}},
	} {
		t.Run(name, func(t *testing.T) {
			s := doubtUnder(t, tt.before, plan.Keyed, plan.Keyed)
			out, err := s.under(tt.after)
			require.NoError(t, err)
			require.True(t, out.Recovered)
			require.True(t, s.tool.last.InDoubt)
			require.Equal(t, 1, s.tool.calls)
		})
	}
}
