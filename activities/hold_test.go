package activities_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/workflows"
)

// A worker that sleeps between the server's last yes and its claim claims what
// nobody waits for any more: the run may have been canceled meanwhile, and may have
// said that nothing was done. It asks once more, and writes nothing.
func TestAnAttemptThatWasLostBeforeItsClaimWritesNothing(t *testing.T) {
	for name, tt := range map[string]struct {
		yes  int // how often the server says that it waits
		done bool
	}{
		"lost before it was asked": {yes: 0},
		"lost before the claim":    {yes: 1},
		"never lost":               {yes: 1 << 30, done: true},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			asked := 0
			h.acts.StillOurs = func(context.Context, any) error {
				if asked++; asked <= tt.yes {
					return nil
				}
				return errors.New("activity task not found")
			}
			p := h.planned()
			out, err := h.execute(h.action(p, 0))
			if tt.done {
				require.NoError(t, err)
				require.Equal(t, workflows.OutcomeDone, out.Outcome)
				require.Len(t, h.keys(), 1)
				return
			}
			require.ErrorContains(t, err, "attempt_lost")
			require.Equal(t, tt.yes+1, asked)
			require.Empty(t, h.keys())
			require.Zero(t, h.pages.applied.Load())
			// The claim was given back: another attempt begins at once and leaves no doubt.
			h.acts.StillOurs = nil
			out, err = h.execute(h.action(p, 0))
			require.NoError(t, err)
			require.Equal(t, workflows.OutcomeDone, out.Outcome)
			require.False(t, out.Recovered)
			require.Len(t, h.keys(), 1)
		})
	}
}
