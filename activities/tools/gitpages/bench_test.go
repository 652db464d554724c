package gitpages_test

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/activities/tools/gitpages"
)

// BenchmarkApply is one page after another on one repository: a new one, one
// with a history, and one behind a remote.
func BenchmarkApply(b *testing.B) {
	b.Run("new", func(b *testing.B) { apply(b, gitpages.Repo{Name: "kb", Path: b.TempDir()}) })
	b.Run("after 20,000 commits", func(b *testing.B) {
		path := filepath.Join(b.TempDir(), "kb.git")
		fill(b, path, 20_000)
		apply(b, gitpages.Repo{Name: "kb", Path: path})
	})
	b.Run("at a remote", func(b *testing.B) {
		remote := filepath.Join(b.TempDir(), "kb.git")
		fill(b, remote, 1)
		apply(b, gitpages.Repo{Name: "kb", Path: filepath.Join(b.TempDir(), "cache.git"), Remote: remote})
	})
}

// fill makes a bare repository with so many commits of ours.
func fill(b *testing.B, path string, commits int) {
	b.Helper()
	require.NoError(b, exec.Command("git", "init", "--quiet", "--bare", "--initial-branch=main", path).Run())
	var stream bytes.Buffer
	for i := range commits {
		message := fmt.Sprintf("Report %d\n\nHoldpoint-Key: %040x\n", i, i)
		fmt.Fprintf(&stream, "commit refs/heads/main\ncommitter A <a@example.com> %d +0000\ndata %d\n%s", 1_700_000_000+i, len(message), message)
		fmt.Fprintf(&stream, "M 100644 inline old/%d/%d.md\ndata 5\ntext\n\n", i%200, i)
	}
	load := exec.Command("git", "-C", path, "fast-import", "--quiet")
	load.Stdin = &stream
	require.NoError(b, load.Run())
}

func apply(b *testing.B, repo gitpages.Repo) {
	b.Helper()
	tool, err := gitpages.New(b.Context(), []gitpages.Repo{repo}, gitpages.Options{})
	require.NoError(b, err)
	n := 0
	for b.Loop() {
		n++
		prepared, err := tool.Prepare(b.Context(), tools.Proposal{
			AllowedTarget: "kb",
			Parameters:    fmt.Appendf(nil, `{"page":"topics/%d.md","content":"text\n","title":"t"}`, n),
		})
		require.NoError(b, err)
		_, err = tool.Apply(b.Context(), approved(prepared, "v1"))
		require.NoError(b, err)
	}
}
