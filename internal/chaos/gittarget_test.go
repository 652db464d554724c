package main

import (
	"context"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// A second commit of the same content changes no file, and a second key hides
// no effect: both are counted all the same.
func TestCommitsAreCountedByTrailerOverTheWholeHistory(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		require.NotEqual(t, "true", os.Getenv("CI"), "git is missing")
		t.Skip("git is missing")
	}
	r := &remote{bare: t.TempDir()}
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", r.bare, "-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...)
		said, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", said)
	}
	said, err := exec.Command("git", "init", "-q", "-b", "main", r.bare).CombinedOutput()
	require.NoError(t, err, "%s", said)
	one := &action{Effect: "run-0001-gitpages", key: "k1"}
	count := func() int {
		t.Helper()
		n, err := r.count(context.Background(), one)
		require.NoError(t, err)
		return n
	}
	require.Zero(t, count(), "no branch yet")
	commit := func(subject, key string) {
		git("commit", "-q", "--allow-empty", "-m", subject+"\n\nHoldpoint-Key: "+key)
	}
	commit("run-0002-gitpages", "k2")
	require.Zero(t, count())
	commit("run-0001-gitpages", "k1")
	require.Equal(t, 1, count())
	commit("run-0001-gitpages", "k1")
	require.Equal(t, 2, count(), "the same content once more")
	commit("another title", "k1")
	commit("run-0001-gitpages", "k3")
	require.Equal(t, 4, count())
}
