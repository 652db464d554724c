package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A worker whose log cannot be read is not left behind.
func TestAWorkerThatIsNotReadyIsStopped(t *testing.T) {
	log, err := os.Create(filepath.Join(t.TempDir(), "worker.log"))
	require.NoError(t, err)
	require.NoError(t, os.Remove(log.Name()))
	command := exec.CommandContext(t.Context(), "sleep", "300")
	require.NoError(t, command.Start())
	b := &background{command: command, log: log, done: make(chan struct{})}
	go func() {
		_ = command.Wait()
		close(b.done)
	}()

	require.ErrorIs(t, b.ready(t.Context()), os.ErrNotExist)
	select {
	case <-b.done:
	case <-time.After(time.Minute):
		require.Fail(t, "it still runs")
	}
}
