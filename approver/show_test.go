package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/workflows"
)

// Right after the start there is no plan yet, and the command that waits for one
// is named.
func TestShowBeforeThereIsAPlanSaysHowToWait(t *testing.T) {
	run := seen(workflows.NewState(workflows.Task{Tenant: "acme", BusinessID: "x", Requester: ann}))
	_, err := new(session).plan(t.Context(), run)
	require.EqualError(t, err, "run acme/x is RUNNING and has no plan to show yet; wait for one: starter watch acme/x --until WAITING_APPROVAL")
	run.Closed, run.Status.Status = true, workflows.Failed
	_, err = new(session).plan(t.Context(), run)
	require.EqualError(t, err, "run acme/x is FAILED and has no plan to show")
}
