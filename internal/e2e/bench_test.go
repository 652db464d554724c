package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	"go.uber.org/zap"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/internal/devserver"
	"github.com/holdpoint/holdpoint/internal/devserver/devtest"
	"github.com/holdpoint/holdpoint/internal/temporalclient"
	"github.com/holdpoint/holdpoint/workflows"
)

// BenchmarkOneActionRun is a whole run of one page from one small note: start,
// five steps, an approval that is sent as soon as the plan can be read.
func BenchmarkOneActionRun(b *testing.B) {
	bench := newBench(b)
	bench.worker()
	bench.run("warm-up", nil)
	var took []time.Duration
	for i := range b.N {
		begun := time.Now()
		bench.run(fmt.Sprintf("run-%d-%d", b.N, i), nil)
		took = append(took, time.Since(begun))
	}
	b.ReportMetric(float64(median(took).Milliseconds()), "median-ms/run")
}

// BenchmarkRecoveryAfterKill is from the restart of a worker that was killed
// (kill -9) right after its effect, before anything was recorded, to the end
// of the run.
func BenchmarkRecoveryAfterKill(b *testing.B) {
	bench := newBench(b)
	var took []time.Duration
	for i := range min(b.N, 5) {
		victim := bench.worker("--stop-at", "execute_action.effect")
		var restarted time.Time
		bench.run(fmt.Sprintf("kill-%d-%d", b.N, i), func() {
			bench.awaitStopped(victim)
			require.NoError(b, victim.Process.Kill())
			_ = victim.Wait() // it was killed
			restarted = time.Now()
			victim = bench.worker()
		})
		took = append(took, time.Since(restarted))
		require.NoError(b, victim.Process.Kill())
		_ = victim.Wait()
	}
	b.ReportMetric(median(took).Seconds(), "median-s/recovery")
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

// bench is one installation for benchmarks.
type bench struct {
	b      *testing.B
	dir    string
	env    []string
	client client.Client
}

func newBench(b *testing.B) *bench {
	b.Helper()
	if missing != "" {
		b.Skip(missing)
	}
	dir := b.TempDir()
	server := devtest.Start(b, devserver.Options{
		CLI: programs.temporal, DBFile: filepath.Join(dir, "temporal.db"), SearchAttributes: searchAttributes(),
	})
	for name, text := range map[string]string{
		"notes/billing.md": "# Billing\n\n- 2025-09-30 done: invoices carry the tax id\n",
		"holdpoint.yaml":   "sources: {notes: notes}\nrepositories: {kb: {path: kb}}\npolicy: policy.yaml\ndata: data\n",
		"policy.yaml":      "label: bench\napprovers: [bo.lin]\ndecide_within: 1h\ngrant_life: 1h\n",
	} {
		require.NoError(b, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(b, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	c, err := client.Dial(client.Options{HostPort: server.Address(), Logger: temporalclient.Logger(zap.NewNop())})
	require.NoError(b, err)
	b.Cleanup(c.Close)
	return &bench{b: b, dir: dir, env: programEnv(server, dir), client: c}
}

func (x *bench) worker(args ...string) *exec.Cmd {
	log, err := os.CreateTemp(x.dir, "worker-*.log")
	require.NoError(x.b, err)
	cmd := exec.Command(programs.worker, args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = x.dir, x.env, log, log
	require.NoError(x.b, cmd.Start())
	x.b.Cleanup(func() {
		_ = cmd.Process.Kill() // gone already is fine
		log.Close()
	})
	require.Eventually(x.b, func() bool {
		said, err := os.ReadFile(log.Name())
		return err == nil && strings.Contains(string(said), "polls task queue")
	}, patience, 5*time.Millisecond)
	return cmd
}

func (x *bench) awaitStopped(cmd *exec.Cmd) {
	require.Eventually(x.b, func() bool {
		state, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", cmd.Process.Pid))
		_, rest, _ := strings.Cut(string(state), ") ")
		return err == nil && strings.HasPrefix(rest, "T")
	}, patience, 5*time.Millisecond)
}

// run starts a run, approves its plan, does what is to be done then, and
// waits for its end.
func (x *bench) run(id string, afterApproval func()) {
	ctx := context.Background()
	task := workflows.Task{
		Tenant: "bench", BusinessID: id, Goal: "one page", Requester: "ann.wu",
		Context: []workflows.Source{{Root: "notes"}},
		Tools:   []workflows.ToolUse{{Tool: "gitpages", Target: "kb", Path: id + ".md"}},
	}
	run, err := x.client.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: task.RunID(), TaskQueue: workflows.DefaultTaskQueue, WorkflowTaskTimeout: 3 * time.Second,
	}, workflows.WorkflowType, task)
	require.NoError(x.b, err)
	status := x.awaitGate(ctx, run.GetID())
	require.NoError(x.b, x.client.SignalWorkflow(ctx, run.GetID(), "", workflows.ApprovalName, approvals.Decision{
		Decision: approvals.Approve, PlanHash: status.PlanHash, Approver: "bo.lin",
	}))
	if afterApproval != nil {
		afterApproval()
	}
	require.NoError(x.b, run.Get(ctx, &status))
	require.Equal(x.b, workflows.Completed, status.Status)
	require.Equal(x.b, 1, *status.EffectCount)
}

func (x *bench) awaitGate(ctx context.Context, id string) (status workflows.Status) {
	require.Eventually(x.b, func() bool {
		answer, err := x.client.QueryWorkflow(ctx, id, "", workflows.StatusQuery)
		return err == nil && answer.Get(&status) == nil && status.Status == workflows.WaitingApproval
	}, patience, 5*time.Millisecond)
	return status
}
