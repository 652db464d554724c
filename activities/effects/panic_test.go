package effects_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

func TestC037_PanicLeavesTheOutcomeUnknown(t *testing.T) {
	t.Run("in a call", func(t *testing.T) {
		s := newScene(t)
		s.tool.apply = func(context.Context) (plan.Receipt, error) { panic("PANIC-SECRET") }
		require.PanicsWithValue(t, "PANIC-SECRET", func() { s.run() })
		s.requireParked("the tool panicked")
		require.NotZero(t, s.row().QuietUntil, "the call may be under way")
	})
	t.Run("in a look", func(t *testing.T) {
		s := of(t, plan.Lookup, 0, true)
		s.clock.pass(quiet)
		s.tool.find = func(context.Context) (tools.Finding, error) { panic("PANIC-SECRET") }
		require.PanicsWithValue(t, "PANIC-SECRET", func() { s.run() })
		s.requireParked("the tool panicked")
	})
	t.Run("in the gate", func(t *testing.T) {
		s := newScene(t)
		call := theCall()
		call.MayBegin = func(context.Context) error { panic("PANIC-SECRET") }
		require.PanicsWithValue(t, "PANIC-SECRET", func() { s.with(t.Context(), call) })
		require.Zero(t, s.tool.calls)
		s.requireParked("the tool panicked")
	})
}

// No error is not success: the effect counts when the tool proves it.
func TestC037_NoErrorWithoutAReceipt(t *testing.T) {
	at := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	tests := []struct {
		name    string
		receipt plan.Receipt
	}{
		{"nothing", plan.Receipt{}},
		{"of another key", plan.Receipt{IdempotencyKey: "another", Ref: "r", At: at}},
		{"without a time", plan.Receipt{IdempotencyKey: theKey, Ref: "r"}},
		{"without a reference", plan.Receipt{IdempotencyKey: theKey, At: at}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newScene(t)
			s.answer(tt.receipt, nil)
			_, err := s.run()
			requireFault(t, err, faults.Unknown, faults.CodeOutcomeUnknown)
			row := s.row()
			require.Equal(t, effects.Started, row.State)
			require.Nil(t, row.Receipt)
			require.NotContains(t, s.points, effects.PointEffect)
		})
	}
}
