package devserver_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/internal/devserver"
	"github.com/holdpoint/holdpoint/internal/devserver/devtest"
)

// On a port where a stranger's server answers every health check, no start may
// take that server for its own: it goes on to other ports.
func TestStrangersServerIsNotTakenForOurs(t *testing.T) {
	stranger := devtest.Start(t, devserver.Options{})

	ours, tries, err := devserver.StartOnTakenPorts(t.Context(), devserver.Options{CLI: devtest.CLI(t)}, stranger, 2)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, ours.Kill()); require.NoError(t, ours.Stop()) })
	require.Equal(t, 3, tries)
	require.NotEqual(t, stranger.Address(), ours.Address())
	require.NotEqual(t, stranger.PID(), ours.PID())
	require.False(t, ended(stranger), "the stranger's server is left alone")
}

// The same when the process that was started lives on without listening: then
// nothing but a look at its sockets tells.
func TestHealthOfAStrangerIsRefused(t *testing.T) {
	stranger := devtest.Start(t, devserver.Options{})
	require.ErrorIs(t, devserver.AwaitReadyBeside(t.Context(), stranger), devserver.ErrStranger)
}

func TestStopLeavesNoProcess(t *testing.T) {
	s, err := devserver.Start(t.Context(), devserver.Options{CLI: devtest.CLI(t)})
	require.NoError(t, err)
	require.False(t, ended(s))
	require.NoError(t, s.Stop())
	require.True(t, ended(s))
	require.NoError(t, s.ExitError(), "it was asked to end, not killed")
	require.NoError(t, s.Stop(), "again")
	require.NoError(t, s.Kill(), "too late")
}

func ended(s *devserver.Server) bool {
	select {
	case <-s.Done():
		return true
	default:
		return false
	}
}
