package e2e

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/internal/devserver"
	"github.com/holdpoint/holdpoint/internal/devserver/devtest"
)

// A namespace without the search attributes is noticed before anything runs,
// and the message holds the very command that creates them.
func TestWorkerNamesTheSearchAttributesThatAreMissing(t *testing.T) {
	need(t)
	t.Parallel()
	server := devtest.Start(t, devserver.Options{CLI: programs.temporal, DBFile: filepath.Join(t.TempDir(), "temporal.db")})
	s := newSiteOn(t, server, weekOfNotes())

	refused := s.run(programs.worker, "--config", s.path("holdpoint.yaml"))
	require.Equal(t, 1, refused.code)
	require.Contains(t, refused.err, "lacks search attributes")
	command := regexp.MustCompile(`temporal (operator search-attribute create .*)`).FindStringSubmatch(refused.err)
	require.NotNil(t, command, refused.err)
	s.temporal(strings.Fields(command[1])...)

	s.worker()
}
