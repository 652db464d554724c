package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.uber.org/zap"
	"golang.org/x/sync/errgroup"
	"golang.org/x/time/rate"

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

// BenchmarkApprovalInAFlood is how long a valid approval waits for its verdict
// behind 3,000 that nobody can read: behind none; behind those of one broken bot
// that sends fifty a second, and goes on; and behind those of eight senders that
// send as fast as they can. While those send, the server hands out no workflow
// task of the run at all, so the third begins when they are done.
func BenchmarkApprovalInAFlood(b *testing.B) {
	const flood = 3000
	bench := newBench(b)
	bench.worker()
	bench.verdict(bench.startToGate("warm-up"))
	var alone, among, behind []time.Duration
	for i := 0; b.Loop(); i++ {
		alone = append(alone, bench.verdict(bench.startToGate(fmt.Sprintf("alone-%d", i))))

		run, gate := bench.startToGate(fmt.Sprintf("among-%d", i))
		var sent atomic.Int64
		stop := bench.bot(run, &sent)
		require.Eventually(b, func() bool { return sent.Load() >= flood }, 10*patience, time.Millisecond)
		among = append(among, bench.verdict(run, gate))
		stop()

		run, gate = bench.startToGate(fmt.Sprintf("behind-%d", i))
		bench.burst(run, flood)
		behind = append(behind, bench.verdict(run, gate))
	}
	b.ReportMetric(float64(median(alone).Milliseconds()), "median-ms/alone")
	b.ReportMetric(float64(median(among).Milliseconds()), "median-ms/among-50-a-second")
	b.ReportMetric(float64(median(behind).Milliseconds()), "median-ms/behind-a-burst")
}

// bot sends fifty signals a second that nobody can read, and counts them, until
// it is stopped or refused.
func (x *bench) bot(run string, sent *atomic.Int64) (stop func()) {
	ctx, cancel := context.WithCancel(x.b.Context())
	var bot sync.WaitGroup
	bot.Go(func() {
		limit := rate.NewLimiter(50, 1)
		for limit.Wait(ctx) == nil && x.client.SignalWorkflow(ctx, run, "", workflows.ApprovalName, "noise") == nil {
			sent.Add(1)
		}
	})
	return func() {
		cancel()
		bot.Wait()
	}
}

// burst sends n signals that nobody can read as fast as eight senders can.
func (x *bench) burst(run string, n int) {
	var bots errgroup.Group
	bots.SetLimit(8)
	for range n {
		bots.Go(func() error {
			return x.client.SignalWorkflow(x.b.Context(), run, "", workflows.ApprovalName, "noise")
		})
	}
	require.NoError(x.b, bots.Wait())
}

// BenchmarkAThousandWaitingRuns is what one worker process costs while a
// thousand runs wait at their gates and nothing happens: its resident memory, and
// the processor time that it takes in half a minute. It reports the last of the
// installations that it makes, one for each round.
func BenchmarkAThousandWaitingRuns(b *testing.B) {
	const runs, idle = 1000, 30 * time.Second
	for b.Loop() {
		bench := newBench(b)
		worker := bench.worker()
		empty := residentMemory(b, worker.Process.Pid)
		for n := range runs {
			_, err := bench.begin(fmt.Sprintf("waiting-%d", n))
			require.NoError(b, err)
		}
		bench.awaitWaiting(runs)
		before := processorTime(b, worker.Process.Pid)
		time.Sleep(idle)
		b.ReportMetric(float64(empty>>20), "MiB/no-run")
		b.ReportMetric(float64(residentMemory(b, worker.Process.Pid)>>20), "MiB/1000-runs")
		b.ReportMetric(float64((processorTime(b, worker.Process.Pid) - before).Milliseconds()), "cpu-ms/30s-idle")
	}
}

// residentMemory is a process's, in bytes (proc_pid_status(5), VmRSS).
func residentMemory(b *testing.B, pid int) int64 {
	b.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Skipf("no /proc: %v", err)
	}
	var kib int64
	_, after, found := strings.Cut(string(status), "VmRSS:")
	require.True(b, found)
	_, err = fmt.Sscanf(after, "%d kB", &kib)
	require.NoError(b, err)
	return kib << 10
}

// processorTime is what a process has taken so far (proc_pid_stat(5), fields 14
// and 15, in hundredths of a second).
func processorTime(b *testing.B, pid int) time.Duration {
	b.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	require.NoError(b, err)
	_, after, found := strings.Cut(string(stat), ") ")
	require.True(b, found)
	fields := strings.Fields(after) // from field 3 on
	user, err := strconv.Atoi(fields[14-3])
	require.NoError(b, err)
	system, err := strconv.Atoi(fields[15-3])
	require.NoError(b, err)
	return time.Duration(user+system) * 10 * time.Millisecond
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

// startToGate starts a run and waits for its plan.
func (x *bench) startToGate(id string) (run string, gate workflows.Status) {
	run, err := x.begin(id)
	require.NoError(x.b, err)
	return run, x.awaitGate(context.Background(), run)
}

// begin starts a run of one page.
func (x *bench) begin(id string) (run string, err error) {
	task := workflows.Task{
		Tenant: "bench", BusinessID: id, Goal: "one page", Requester: "ann.wu",
		Context: []workflows.Source{{Root: "notes"}},
		Tools:   []workflows.ToolUse{{Tool: "gitpages", Target: "kb", Path: id + ".md"}},
	}
	_, err = x.client.ExecuteWorkflow(context.Background(), client.StartWorkflowOptions{
		ID: task.RunID(), TaskQueue: workflows.DefaultTaskQueue, WorkflowTaskTimeout: 3 * time.Second,
	}, workflows.WorkflowType, task)
	return task.RunID(), err
}

// awaitWaiting waits until so many runs stand at their gates, as the server lists
// them: asking each would be work for the worker.
func (x *bench) awaitWaiting(runs int64) {
	require.Eventually(x.b, func() bool {
		counted, err := x.client.CountWorkflow(context.Background(), &workflowservice.CountWorkflowExecutionsRequest{
			Query: workflows.StatusAttribute + "='" + string(workflows.WaitingApproval) + "'",
		})
		return err == nil && counted.GetCount() == runs
	}, 10*patience, time.Second)
}

// verdict sends a valid approval and says how long its verdict took.
func (x *bench) verdict(run string, gate workflows.Status) time.Duration {
	ctx := context.Background()
	begun := time.Now()
	handle, err := x.client.UpdateWorkflow(ctx, client.UpdateWorkflowOptions{
		WorkflowID: run, UpdateName: workflows.ApprovalName, WaitForStage: client.WorkflowUpdateStageCompleted,
		Args: []any{approvals.Decision{Decision: approvals.Approve, PlanHash: gate.PlanHash, Approver: "bo.lin"}},
	})
	require.NoError(x.b, err)
	var verdict approvals.Verdict
	require.NoError(x.b, handle.Get(ctx, &verdict))
	took := time.Since(begun)
	require.Equal(x.b, approvals.Accepted, verdict.Code)
	return took
}

// run starts a run, approves its plan, does what is to be done then, and
// waits for its end.
func (x *bench) run(id string, afterApproval func()) {
	ctx := context.Background()
	run, status := x.startToGate(id)
	require.NoError(x.b, x.client.SignalWorkflow(ctx, run, "", workflows.ApprovalName, approvals.Decision{
		Decision: approvals.Approve, PlanHash: status.PlanHash, Approver: "bo.lin",
	}))
	if afterApproval != nil {
		afterApproval()
	}
	require.NoError(x.b, x.client.GetWorkflow(ctx, run, "").Get(ctx, &status))
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
