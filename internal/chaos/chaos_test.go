package main

import (
	"errors"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/internal/pgtest"
	"github.com/holdpoint/holdpoint/internal/toolchain"
)

// A small campaign with a fixed seed: every fault, all kinds. The release bar,
// with a thousand runs, is `make chaos`.
func TestSmallCampaign(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		require.NotEqual(t, "true", os.Getenv("CI"), "git is missing")
		t.Skip("git is missing")
	}
	root, err := toolchain.Root(".")
	require.NoError(t, err)
	c := campaign{runs: 42, kills: 10, seed: 1, parallel: 12, burn: 8 * time.Second, patience: 3 * time.Minute, out: t.Output()}
	s, err := newStage(t.Context(), root, t.TempDir(), c.seed)
	if errors.Is(err, pgtest.ErrNoPostgreSQL) && os.Getenv("CI") != "true" {
		t.Skip("PostgreSQL is missing")
	}
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.close()) })
	all, err := c.play(t.Context(), s)
	require.NoError(t, err)
	v, err := c.judge(t.Context(), s, all)
	require.NoError(t, err)
	v.print(t.Output(), s)
	require.Empty(t, v.bad)
	for _, f := range faults() {
		if f.name != calm {
			require.Positive(t, v.hits[f.name], "%s: a fault that hits no action proves nothing", f.name)
		}
	}
	require.Positive(t, s.windows.Load(), "workers were killed at the named points")
	require.Positive(t, v.sum.unheard, "answers were broken off between effect and answer")
}
