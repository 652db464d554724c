package gitdaemon_test

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/internal/targets/gitdaemon"
)

const (
	patience = 30 * time.Second
	tick     = 5 * time.Millisecond
)

// git runs git as somebody who has nothing configured.
func git(t *testing.T, args ...string) string {
	t.Helper()
	out, err := command(args...).CombinedOutput()
	require.NoError(t, err, "git %s: %s", strings.Join(args, " "), out)
	return strings.TrimSpace(string(out))
}

func command(args ...string) *exec.Cmd {
	cmd := exec.Command("git", append([]string{"-c", "user.name=Mei", "-c", "user.email=mei@example.com"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	return cmd
}

// served is a bare repository behind a server, and a clone with one commit
// that was not pushed.
func served(t *testing.T) (s *gitdaemon.Server, bare, clone string) {
	t.Helper()
	dir := t.TempDir()
	s = gitdaemon.Start(t, dir)
	bare, clone = filepath.Join(dir, "kb.git"), filepath.Join(t.TempDir(), "clone")
	git(t, "init", "--quiet", "--bare", "--initial-branch=main", bare)
	git(t, "clone", "--quiet", s.URL("kb.git"), clone)
	git(t, "-C", clone, "commit", "--quiet", "--allow-empty", "-m", "first")
	return s, bare, clone
}

func TestPushArrivesAndIsReadAgain(t *testing.T) {
	s, bare, clone := served(t)
	git(t, "-C", clone, "push", "--quiet", "--atomic", "origin", "HEAD:refs/heads/main", "HEAD:refs/other/ref")
	head := git(t, "-C", clone, "rev-parse", "HEAD")
	require.Equal(t, head, git(t, "-C", bare, "rev-parse", "refs/heads/main"))
	require.Equal(t, head+"\trefs/other/ref", git(t, "ls-remote", s.URL("kb.git"), "refs/other/ref"))
}

func TestRepositoryThatIsNotThereIsNamed(t *testing.T) {
	out, err := command("ls-remote", gitdaemon.Start(t, t.TempDir()).URL("none.git")).CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "no such repository: /none.git")
}

// The kill comes while a hook holds a push up.
func TestKillEndsWhatIsUnderWay(t *testing.T) {
	s, bare, clone := served(t)
	reached := filepath.Join(t.TempDir(), "reached")
	require.NoError(t, os.WriteFile(filepath.Join(bare, "hooks", "pre-receive"), []byte("#!/bin/sh\n: >'"+reached+"'\nexec sleep 600\n"), 0o755))

	push := command("-C", clone, "push", "--quiet", "origin", "HEAD:refs/heads/main")
	require.NoError(t, push.Start())
	require.Eventually(t, func() bool { _, err := os.Stat(reached); return err == nil }, patience, tick)
	require.NoError(t, s.Kill())
	require.NoError(t, s.Kill(), "once more does nothing")
	require.Error(t, push.Wait())
	_, err := net.Dial("tcp", s.Address())
	require.Error(t, err)
	require.Empty(t, git(t, "-C", bare, "for-each-ref"))

	require.NoError(t, os.Remove(filepath.Join(bare, "hooks", "pre-receive")))
	require.NoError(t, s.Start(t.Context()))
	require.NoError(t, s.Start(t.Context()), "once more does nothing")
	git(t, "-C", clone, "push", "--quiet", "origin", "HEAD:refs/heads/main")
	require.Equal(t, "1", git(t, "-C", bare, "rev-list", "--count", "main"))
}
