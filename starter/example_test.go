package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The example's task stands there twice: for people, and for the temporal CLI,
// which reads JSON alone. Both start the same run.
func TestTheExamplesTaskIsTheSameInJSON(t *testing.T) {
	folder := filepath.Join("..", "examples", "weekly-report")
	forPeople, err := readTask(filepath.Join(folder, "task.yaml"))
	require.NoError(t, err)
	forTheCLI, err := readTask(filepath.Join(folder, "task.json"))
	require.NoError(t, err)
	require.Equal(t, forPeople, forTheCLI)
	require.Equal(t, "weekly-report-2026-W48", forPeople.BusinessID)
}
