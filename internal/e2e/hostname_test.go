package e2e

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/workflows"
)

// A link leads to a file of the machine. What is in that very file comes into no
// context, no plan and no page.
func TestC062_TheMachinesOwnFileGoesNowhere(t *testing.T) {
	t.Parallel()
	const file = "/etc/hostname"
	raw, err := os.ReadFile(file)
	if err != nil || strings.TrimSpace(string(raw)) == "" {
		require.NotEqual(t, "true", os.Getenv("CI"), "%s is missing", file)
		t.Skipf("%s is missing", file)
	}
	// As a word: a name of two letters is in many texts by chance.
	host := regexp.MustCompile(`(^|[^A-Za-z0-9])` + regexp.QuoteMeta(strings.TrimSpace(string(raw))) + `($|[^A-Za-z0-9])`)
	require.Regexp(t, host, string(raw))

	s := newSite(t, map[string]string{"real.md": "# Real\n\nthe only document\n"})
	require.NoError(t, os.Symlink(file, s.path("notes", "machine.md")))
	s.worker()
	run, gate := s.startToGate("weekly-2025-w40")
	require.Len(t, gate.Actions, 2, "a page of real.md, and the index")
	blobs := s.blobsWith("")
	require.GreaterOrEqual(t, len(blobs), 3, "the document, the manifest and the plan")
	for _, blob := range blobs {
		stored, err := os.ReadFile(blob)
		require.NoError(t, err)
		require.NotRegexp(t, host, string(stored), blob)
	}
	require.NotRegexp(t, host, s.approver("show", run))
	s.approve(run, "bo.lin")
	s.oneEffectEach(s.await(run, workflows.Completed))
	require.NotRegexp(t, host, s.git("log", "main", "-p", "--format=%B"))
}
