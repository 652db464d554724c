package program

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/worker"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/holdpoint/holdpoint/activities"
	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/internal/cli"
	"github.com/holdpoint/holdpoint/internal/config"
	"github.com/holdpoint/holdpoint/internal/drill"
	"github.com/holdpoint/holdpoint/internal/temporalclient"
	"github.com/holdpoint/holdpoint/workflows"
)

// serve runs a worker until ctx ends.
func serve(ctx context.Context, o options, out, errOut io.Writer) error {
	log, err := newLogger(o.logFormat, errOut)
	if err != nil {
		return err
	}
	defer log.Sync() //nolint:errcheck // stderr cannot be synced everywhere
	cfg, err := o.configuration()
	if err != nil {
		return err
	}
	models, err := readPlanners(cfg)
	if err != nil {
		return err
	}
	d, err := o.drillOf()
	if err != nil {
		return err
	}
	m, err := openMetrics(ctx, cfg)
	if err != nil {
		return err
	}
	defer m.Close()
	c, dialed, err := temporalclient.Dial(ctx, o.temporal, temporalclient.Logger(log), d.Watch, m.Use)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := preflight(ctx, c, dialed, cfg); err != nil {
		return err
	}
	acts, closeAll, err := build(ctx, o, cfg, models, d, log)
	if err != nil {
		return err
	}
	defer closeAll()

	attempts := newAttempts(cfg, log)
	workers := newWorkers(c, cfg, models, d, attempts)
	workflows.Register(workers[0], settings(cfg, models))
	for _, w := range workers {
		acts.Register(w)
	}
	if err := startAll(workers); err != nil {
		return fmt.Errorf("worker of task queue %q in namespace %q: %w", cfg.TaskQueue, dialed.Namespace, err)
	}
	if m.address != "" {
		fmt.Fprintf(out, "metrics: http://%s/metrics\n", m.address)
	}
	fmt.Fprintf(out, "worker %d polls task queue %s at %s\n", os.Getpid(), cfg.TaskQueue, dialed.HostPort)
	<-ctx.Done()
	log.Info("stopping: attempts in flight are given time, then handed to another worker",
		zap.Duration("drain_timeout", cfg.Timing.DrainTimeout))
	stopAll(workers)
	if !attempts.Settle(settleTime) {
		log.Warn("an attempt has not ended; its lease runs out by itself", zap.Duration("waited", settleTime))
	}
	return nil
}

// settleTime is what attempts get, once they are canceled, to release or park
// their claims.
const settleTime = 5 * time.Second

// heartbeat is the time between two heartbeats: well below the server's
// patience.
func heartbeat(cfg config.Config) time.Duration { return cfg.Timing.HeartbeatTimeout / 4 }

// newAttempts is what stands around every attempt of an activity.
func newAttempts(cfg config.Config, log *zap.Logger) *activities.Attempts {
	return &activities.Attempts{
		Log: log, Heartbeat: heartbeat(cfg), Retry: faults.DefaultRetry(),
		Steps: activities.StepLimits{Attempts: cfg.Limits.StepAttempts, Patience: cfg.Limits.StepPatience},
	}
}

// newWorkers makes the worker of the task queue, and after it one for each queue
// on which a planner's attempts are handed out at a rate.
func newWorkers(c client.Client, cfg config.Config, models modelPlanners, d *drill.Drill, attempts *activities.Attempts) []worker.Worker {
	beat := heartbeat(cfg)
	options := worker.Options{
		StickyScheduleToStartTimeout:       cfg.Timing.StickyTimeout,
		WorkerStopTimeout:                  cfg.Timing.DrainTimeout,
		MaxHeartbeatThrottleInterval:       beat,
		DefaultHeartbeatThrottleInterval:   beat,
		MaxConcurrentActivityExecutionSize: max(100, 2*cfg.Limits.ParallelActions),
		Interceptors: []interceptor.WorkerInterceptor{
			d.Interceptor(),
			workflows.NewInterceptor(),
			attempts,
		},
	}
	workers := []worker.Worker{worker.New(c, cfg.TaskQueue, options)}
	options.DisableWorkflowWorker = true
	for _, p := range models.declared {
		if p.rate > 0 {
			options.TaskQueueActivitiesPerSecond = p.rate
			workers = append(workers, worker.New(c, planQueue(cfg, p.name), options))
		}
	}
	return workers
}

// startAll starts all workers or none.
func startAll(workers []worker.Worker) error {
	for i, w := range workers {
		if err := w.Start(); err != nil {
			stopAll(workers[:i])
			return err
		}
	}
	return nil
}

// stopAll stops all workers side by side: together they have the time for
// attempts in flight that one has.
func stopAll(workers []worker.Worker) {
	var stopping sync.WaitGroup
	for _, w := range workers {
		stopping.Go(w.Stop)
	}
	stopping.Wait()
}

func settings(cfg config.Config, models modelPlanners) workflows.Settings {
	s := workflows.DefaultSettings()
	s.HeartbeatTimeout = cfg.Timing.HeartbeatTimeout
	s.PlanTimeout = models.planTimeout(s.StepTimeout)
	s.PlanQueues = models.planQueues(cfg)
	return s
}

func newLogger(format string, out io.Writer) (*zap.Logger, error) {
	var encoder zapcore.Encoder
	switch format {
	case "json":
		encoder = zapcore.NewJSONEncoder(zap.NewProductionEncoderConfig())
	case "console":
		encoder = zapcore.NewConsoleEncoder(zap.NewDevelopmentEncoderConfig())
	default:
		return nil, cli.Usagef("--log-format %q: use console or json", format)
	}
	return zap.New(zapcore.NewCore(encoder, zapcore.Lock(zapcore.AddSync(out)), zap.InfoLevel)), nil
}
