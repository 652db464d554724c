package model_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/planners"
	"github.com/holdpoint/holdpoint/activities/planners/model"
)

// A usage that is missing, or cannot be, is none: the call counts as reserved, and
// the draft says that it was not told.
func TestUsageThatCannotBeIsNotReported(t *testing.T) {
	sent := func(t *testing.T) int64 {
		s := newScene(t, good)
		_, err := s.plan(request())
		require.NoError(t, err)
		c := s.server.heard[0]
		return int64(len(c.System) + len(c.Messages[0].Text) + len(c.Schema))
	}(t)
	for name, tt := range map[string]struct {
		in, out  int64
		believed bool
	}{
		"usual":                               {100, 10, true},
		"none":                                {0, 0, false},
		"no input":                            {0, 10, false},
		"words without a token":               {100, 0, false},
		"a token a byte, and the provider's":  {sent + 2000, 10, true},
		"more than was sent":                  {sent + 2001, 10, false},
		"twice the limit, by another's count": {100, 2 * 777, true},
		"beyond what is allowed":              {100, 2*777 + 1, false},
		"negative":                            {100, -1, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSceneWithin(t, model.Limits{OutputTokens: 777}, envelope{Text: good, Stop: model.Ended, In: tt.in, Out: tt.out})
			draft, err := s.plan(request())
			require.NoError(t, err)
			again, err := s.plan(request())
			require.NoError(t, err)
			again.Usage.Calls, again.Usage.Stored = 1, 0
			require.Equal(t, draft.Usage, again.Usage, "a stored reply says the same")
			if tt.believed {
				require.Equal(t, map[int]model.Usage{0: {InputTokens: tt.in, OutputTokens: tt.out}}, s.spend.settled)
				require.Equal(t, planners.Usage{Calls: 1, InputTokens: tt.in, OutputTokens: tt.out, Cost: draft.Usage.Cost}, draft.Usage)
				require.NotEmpty(t, draft.Usage.Cost)
				require.Equal(t, tt.in, s.meter.counts["model_input_tokens"])
				return
			}
			require.Empty(t, s.spend.settled, "it counts as reserved")
			require.Equal(t, planners.Usage{Calls: 1, Unreported: 1}, draft.Usage, "and no price is said")
			require.NotContains(t, s.meter.counts, "model_input_tokens")
		})
	}
}

func TestReplyOfWhichTheUsageIsNotReportedIsCountedBesideTheOthers(t *testing.T) {
	s := newScene(t, "no plan", envelope{Text: good, Stop: model.Ended})
	draft, err := s.plan(request())
	require.NoError(t, err)
	require.Equal(t, planners.Usage{Calls: 2, InputTokens: 100, OutputTokens: 10, Unreported: 1, Cost: "110 USD"}, draft.Usage)
}

// An empty reply may have no token.
func TestEmptyReplyWithoutATokenIsBelieved(t *testing.T) {
	s := newScene(t, envelope{Stop: model.Ended, In: 100}, good)
	_, err := s.attempts(request())
	require.NoError(t, err)
	require.Equal(t, model.Usage{InputTokens: 100}, s.spend.settled[0])
}
