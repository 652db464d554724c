package kindtest

import (
	"cmp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// Subject is a tool under test, together with its target.
//
// Its declaration should have short times, because the matrix waits for them:
// a call_timeout of a second or less, no longer a settle than the target needs,
// and for class keyed a key_window that is either an hour or so (inside the
// window) or no longer than the call_timeout (outside, always).
type Subject struct {
	// Tool is connected through Link, when there is one.
	Tool tools.Tool
	// Link is what Tool's calls go through. Nil is for a target without a
	// network: answers are then lost between the tool and the protocol.
	Link *Link
	// Sent is a text in the bytes to the target by which the target has all it
	// needs for the effect, such as the key in a request, or "commit". Answers
	// are lost only after it, so that a handshake still succeeds. Empty is the
	// first byte.
	Sent string

	// Action is the action of a key. Payloads 1 and 2 differ in their
	// parameters, and neither in target nor in item.
	Action func(key string, payload int) plan.Action
	// Effects counts the effects of a key at the target itself, without Tool
	// and without Link.
	Effects func(tb testing.TB, key string) int

	// NotAuthoritative is for a tool whose Find can show an effect, and cannot
	// rule one out.
	NotAuthoritative bool
	// TellsPayload is for a target that tells a known key with another payload
	// from a repeated request.
	TellsPayload bool
}

// longestQuiet keeps the matrix quick.
const longestQuiet = 5 * time.Second

// sureWindow is longer than a trial takes.
const sureWindow = 5 * time.Minute

// check refuses a subject with which the matrix would prove nothing.
func (s Subject) check(tb testing.TB) {
	tb.Helper()
	spec := s.Tool.Spec()
	require.Positive(tb, spec.CallTimeout, "the call has a time limit")
	require.LessOrEqual(tb, spec.CallTimeout+spec.Settle, longestQuiet, "the matrix waits for call_timeout and settle")
	if again := spec.Resend(); again != 0 {
		require.GreaterOrEqual(tb, again, sureWindow, "the key window must be surely open or surely closed")
	}
	one, two := s.Action("k", 1), s.Action("k", 2)
	require.Equal(tb, "k", one.IdempotencyKey)
	require.Equal(tb, []string{one.Tool, one.Target, one.Item, one.IdempotencyKey}, []string{two.Tool, two.Target, two.Item, two.IdempotencyKey})
	require.NotEqual(tb, string(one.Parameters), string(two.Parameters))
	require.Equal(tb, spec.Name, one.Tool)
}

// resends reports whether the target deduplicates the same call by itself.
func (s Subject) resends() bool { return s.Tool.Spec().Resend() > 0 }

// finds reports whether the target is asked before anything is sent again.
func (s Subject) finds() bool {
	_, ok := s.Tool.(tools.Finder)
	return ok && !s.resends()
}

// settles reports whether an unknown outcome can be found out without a
// person, when the effect is there or is not.
func (s Subject) settles(present bool) bool {
	return s.resends() || s.finds() && (present || !s.NotAuthoritative)
}

// settleTime is how long an effect, or a second one, may take to be seen.
func (s Subject) settleTime() time.Duration {
	return cmp.Or(s.Tool.Spec().Settle, 100*time.Millisecond)
}
