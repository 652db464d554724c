package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"

	"github.com/holdpoint/holdpoint/internal/toolchain"
	"github.com/holdpoint/holdpoint/workflows"
)

// A build is deployed that panics (a nil pointer) when a decision wakes a run
// up, while three runs wait. Their tasks fail and are tried again; no run fails.
// With the next build all three are carried out, each once.
func TestC049_ABuildThatPanicsWhileRunsWait(t *testing.T) {
	t.Parallel()
	s, shop := newSite(t, nil), newShop(t, 0)
	broken := brokenWorker(t)
	s.configureTools(1, shop.declaration(4), s.reports())
	s.hands(orders(1, "")...)
	good := s.worker()
	var all []string
	for _, id := range []string{"one", "two", "three"} {
		run, _ := s.startGiven(id)
		all = append(all, run)
	}
	good.stop()

	bad := s.workerOf(broken)
	for _, run := range all {
		s.approve(run, "bo.lin")
	}
	for _, run := range all {
		s.awaitEvent(run, enums.EVENT_TYPE_WORKFLOW_TASK_FAILED)
		s.eventually(run+" is tried again", func() bool {
			described, err := s.reader.Client.DescribeWorkflow(t.Context(), run, "")
			require.NoError(t, err)
			require.Equal(t, enums.WORKFLOW_EXECUTION_STATUS_RUNNING, described.Status)
			return described.RawResponse.GetPendingWorkflowTask().GetAttempt() > 1
		})
	}
	require.Contains(t, bad.said(), "nil pointer dereference")
	requests, _ := shop.counts()
	require.Zero(t, requests)
	bad.kill()

	s.worker()
	for _, run := range all {
		done := s.await(run, workflows.Completed)
		require.Equal(t, 1, done.Counts.Done)
		require.Contains(t, s.must(programs.worker, "replay", s.saveHistory(run)), "ok ")
	}
	require.Len(t, shop.keys(), 3)
	requests, _ = shop.counts()
	require.Equal(t, 3, requests)
}

// brokenWorker builds a worker whose workflow dereferences a nil pointer when a
// signal comes.
func brokenWorker(t *testing.T) string {
	t.Helper()
	need(t)
	root, err := toolchain.Root(".")
	require.NoError(t, err)
	source, dir := filepath.Join(root, "workflows", "interceptor.go"), t.TempDir()
	code, err := os.ReadFile(source)
	require.NoError(t, err)
	const takes = "i.inbox.add(ctx"
	require.Equal(t, 1, strings.Count(string(code), takes))
	mutated := filepath.Join(dir, "interceptor.go")
	require.NoError(t, os.WriteFile(mutated, []byte(strings.Replace(string(code), takes, "(*inbox)(nil).add(ctx", 1)), 0o600))
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {source: mutated}})
	require.NoError(t, err)
	overlayFile, program := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "worker")
	require.NoError(t, os.WriteFile(overlayFile, overlay, 0o600))
	build := exec.CommandContext(t.Context(), "go", "build", "-overlay", overlayFile, "-o", program, "./worker")
	build.Dir, build.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	return program
}
