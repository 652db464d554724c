package e2e

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/workflows"
)

// git asks the knowledge base's repository.
func (s *site) git(args ...string) string {
	s.t.Helper()
	return s.must("git", append([]string{"-C", s.path("kb")}, args...)...)
}

// personCommits lets a colleague write a page and commit it.
func (s *site) personCommits(page, text string) {
	s.t.Helper()
	s.personChanges(func() { s.write(filepath.Join("kb", page), text) })
}

// personChanges lets a colleague commit whatever change makes of the work tree.
func (s *site) personChanges(change func()) {
	s.t.Helper()
	if _, err := os.Stat(s.path("kb", ".git")); err != nil {
		s.must("git", "init", "-q", "-b", "main", s.path("kb"))
	}
	change()
	s.git("add", "--all")
	s.git("-c", "user.name=Dana", "-c", "user.email=dana@example.com", "commit", "-q", "-m", "by hand")
}

// page returns what the branch has of a page.
func (s *site) page(name string) string {
	s.t.Helper()
	return s.git("show", "main:"+name)
}

// commits counts at the target: the commits of the branch.
func (s *site) commits() int {
	s.t.Helper()
	if o := s.run("git", "-C", s.path("kb"), "rev-parse", "--verify", "-q", "main"); o.code != 0 {
		return 0
	}
	n, err := strconv.Atoi(strings.TrimSpace(s.git("rev-list", "--count", "main")))
	require.NoError(s.t, err)
	return n
}

// keys returns the idempotency keys of the branch's commits, one for each
// commit that has one: the effects, as the target tells them.
func (s *site) keys() []string {
	s.t.Helper()
	if s.commits() == 0 {
		return nil
	}
	return strings.Fields(s.git("log", "main", "--format=%(trailers:key=Holdpoint-Key,valueonly)"))
}

// noEffects says that nothing was written.
func (s *site) noEffects() {
	s.t.Helper()
	require.Empty(s.t, s.keys())
}

// oneEffectEach says that every action of a completed run took effect once,
// and that nothing else was written.
func (s *site) oneEffectEach(status workflows.Status) {
	s.t.Helper()
	var want []string
	for _, a := range status.Actions {
		require.Equal(s.t, workflows.StepCompleted, a.Status, a.ID)
		want = append(want, a.Key)
	}
	require.NotEmpty(s.t, want)
	require.ElementsMatch(s.t, want, s.keys(), "one commit for each action")
	require.NotNil(s.t, status.EffectCount)
	require.Len(s.t, want, *status.EffectCount)
}
