package rehearsal_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/effects/sqlite"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/worker/rehearsal"
)

// wish is a rehearsal in the sandbox shelf.
func wish() rehearsal.Wish {
	return rehearsal.Wish{
		ID: "drill-1", Target: "books/sandbox",
		Parameters:     json.RawMessage(`{"shelf":"sandbox","title":"Hello","text":"one"}`),
		TwinParameters: json.RawMessage(`{"shelf":"sandbox","title":"Hello again","text":"one"}`),
	}
}

func rehearse(t *testing.T, s *target) (rehearsal.Result, error) {
	t.Helper()
	subject, err := rehearsal.Prepare(t.Context(), s.tool(), wish())
	require.NoError(t, err)
	require.Zero(t, s.calls(), "nothing is sent before the operator says so")
	return run(t, t.Context(), s, subject)
}

func run(t *testing.T, ctx context.Context, s *target, subject rehearsal.Subject) (rehearsal.Result, error) { //nolint:revive // the context under test
	t.Helper()
	ledger, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "ledger.db"))
	require.NoError(t, err)
	defer ledger.Close()
	var told []rehearsal.Check
	result, err := rehearsal.Rehearsal{
		Tool: s.tool(), Subject: subject, Ledger: ledger, Found: func(c rehearsal.Check) { told = append(told, c) },
	}.Run(ctx)
	require.Equal(t, result.Checks, told, "each is told when it is made")
	return result, err
}

// verdicts are the checks that speak against the class, or leave something
// open, by their step.
func verdicts(r rehearsal.Result, v rehearsal.Verdict) []string {
	var steps []string
	for _, c := range r.Checks {
		if c.Verdict == v {
			steps = append(steps, c.Step)
		}
	}
	return steps
}

func TestClassThatIsTrueHolds(t *testing.T) {
	t.Parallel()
	for class, calls := range map[plan.DeliveryClass]int{
		// the first, the recovery, the same call, the other payload, two at once
		plan.Transactional: 6, plan.Conditional: 6, plan.Keyed: 6,
		// the first alone
		plan.Lookup: 1, plan.Once: 1,
	} {
		t.Run(string(class), func(t *testing.T) {
			t.Parallel()
			s := &target{class: class}
			result, err := rehearse(t, s)
			require.NoError(t, err)
			require.True(t, result.Holds(), "%+v", result.Checks)
			require.Empty(t, result.Open(), "%+v", result.Checks)
			require.Equal(t, calls, s.calls())
			for _, payloads := range s.made {
				require.Len(t, payloads, 1, "one effect at the target")
			}
		})
	}
}

// Each way in which a target can break its promise is found, and named by the
// step that found it.
func TestClassThatIsNotTrueIsFoundOut(t *testing.T) {
	t.Parallel()
	another := &tools.Finding{Presence: tools.Found, Receipt: plan.Receipt{Ref: "book-9"}}
	for name, tt := range map[string]struct {
		target *target
		broken []string
	}{
		"keyed that knows no keys": {&target{class: plan.Keyed, forgets: true},
			[]string{"recovery", "recovery", "same call", "same call", "other payload at the target", "other payload at the target", "two at once", "two at once", "last count"}},
		"keyed that knows no keys, and cannot be counted": {&target{class: plan.Keyed, forgets: true, silent: true},
			[]string{"recovery", "same call", "other payload at the target", "two at once"}},
		"keyed that hides its second effect": {&target{class: plan.Keyed, hides: true},
			[]string{"recovery", "same call", "other payload at the target", "two at once", "last count"}},
		"keyed that looks for the key and then writes it down": {&target{class: plan.Keyed, racy: true},
			[]string{"two at once", "two at once"}},
		"the same, and it cannot be counted": {&target{class: plan.Keyed, racy: true, silent: true},
			[]string{"two at once"}},
		"conditional that calls its own race somebody else's": {&target{class: plan.Conditional, disowns: true},
			[]string{"two at once"}},
		"transactional without a receipt": {&target{class: plan.Transactional, forgets: true},
			[]string{"recovery", "recovery", "same call", "same call", "other payload at the target", "other payload at the target", "two at once", "two at once", "last count"}},
		"conditional without a condition": {&target{class: plan.Conditional, takesOther: true},
			[]string{"other payload at the target", "other payload at the target", "last count"}},
		"conditional that does not know itself": {&target{class: plan.Conditional, conflicts: true},
			[]string{"recovery", "same call"}},
		"lookup that does not find": {&target{class: plan.Lookup, finds: &tools.Finding{Presence: tools.Absent}},
			[]string{"recovery", "recovery", "same call", "same call", "last count"}},
		"lookup that cannot tell": {&target{class: plan.Lookup, finds: &tools.Finding{Presence: tools.NotProven}},
			[]string{"recovery", "same call"}},
		"lookup that finds another": {&target{class: plan.Lookup, finds: another},
			[]string{"recovery", "same call"}},
		"one that counts what was never made": {&target{class: plan.Keyed, haunted: true},
			[]string{"new key", "lost receipt", "recovery", "same call", "other payload at the target", "two at once", "last count"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result, err := rehearse(t, tt.target)
			require.NoError(t, err)
			require.False(t, result.Holds())
			require.Equal(t, tt.broken, verdicts(result, rehearsal.Broken), "%+v", result.Checks)
		})
	}
}

// What is no breach is not called one.
func TestTargetsThatDifferAndKeepTheirPromise(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]*target{
		"one that refuses a second call while it is at work": {class: plan.Keyed, refusesSecond: true},
		"a broker that drops another payload in silence":     {class: plan.Keyed, replays: true},
		"one that is at work on the key for a while":         {class: plan.Keyed, busy: 3},
		"one that shows its effect late":                     {class: plan.Keyed, late: 2, settle: 2 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result, err := rehearse(t, s)
			require.NoError(t, err)
			require.True(t, result.Holds(), "%+v", result.Checks)
			require.Empty(t, result.Open(), "%+v", result.Checks)
		})
	}
}

// A target that cannot be counted leaves the count to a person, who is told
// what to look for and how often it must be there.
func TestTargetThatCannotBeCounted(t *testing.T) {
	t.Parallel()
	result, err := rehearse(t, &target{class: plan.Once, silent: true})
	require.NoError(t, err)
	require.True(t, result.Holds())
	require.Equal(t, []string{"last count"}, verdicts(result, rehearsal.Open))
	last := result.Checks[len(result.Checks)-1]
	subject, err := rehearsal.Prepare(t.Context(), &target{class: plan.Once}, wish())
	require.NoError(t, err)
	require.Equal(t, "the target cannot be counted: look at books/sandbox for the key "+subject.Action.IdempotencyKey+
		`, the item "Hello", or the reference book-1; it must be there once`, last.Detail)
}

// A target that refuses has shown nothing about its class.
func TestFirstCallThatIsRefusedShowsNothing(t *testing.T) {
	t.Parallel()
	result, err := rehearse(t, &target{class: plan.Keyed, down: true})
	require.ErrorContains(t, err, "the first call gave no receipt, so nothing can be rehearsed: http_403: books: forbidden")
	require.Equal(t, []rehearsal.Check{{Step: "new key", Verdict: rehearsal.Kept, Detail: "the target has no effect of it"}}, result.Checks)
}

// What was not tried is named: it is no part of what the verdict says.
func TestWhatWasNotTriedIsNamed(t *testing.T) {
	t.Parallel()
	w := wish()
	w.TwinParameters = w.Parameters
	s := &target{class: plan.Keyed, silent: true}
	subject, err := rehearsal.Prepare(t.Context(), s.tool(), w)
	require.NoError(t, err)
	require.Nil(t, subject.Twin, "the same parameters are no second effect")
	subject.Other = nil
	result, err := run(t, t.Context(), s, subject)
	require.NoError(t, err)
	require.True(t, result.Holds())
	require.Equal(t, []string{"other payload", "two at once", "last count"}, result.Open())
	require.Equal(t, 3, s.calls())
}

func TestTwinIsAnEffectOfItsOwn(t *testing.T) {
	t.Parallel()
	subject, err := rehearsal.Prepare(t.Context(), (&target{class: plan.Keyed}).tool(), wish())
	require.NoError(t, err)
	require.NotEqual(t, subject.Action.IdempotencyKey, subject.Twin.IdempotencyKey)
	require.Equal(t, "Hello again", subject.Twin.Item)
	w := wish()
	w.TwinParameters = json.RawMessage(`{"shelf":"elsewhere","title":"Hello again"}`)
	subject, err = rehearsal.Prepare(t.Context(), (&target{class: plan.Keyed}).tool(), w)
	require.NoError(t, err)
	require.Nil(t, subject.Twin, "it stays in the sandbox too")
}

func TestRehearsalEndsWithItsContext(t *testing.T) {
	t.Parallel()
	s := &target{class: plan.Keyed, busy: 1000}
	subject, err := rehearsal.Prepare(t.Context(), s.tool(), wish())
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	_, err = run(t, ctx, s, subject)
	require.ErrorIs(t, err, context.DeadlineExceeded)
}
