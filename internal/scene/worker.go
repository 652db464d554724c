package scene

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/worker"
	"go.uber.org/zap"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/holdpoint/holdpoint/activities"
	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/planners"
	"github.com/holdpoint/holdpoint/activities/sources"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/internal/temporalclient"
	"github.com/holdpoint/holdpoint/workflows"
)

// Shorter than a product's, so that a scene need not wait for a server to give
// up a worker that is gone.
const (
	heartbeatTimeout = time.Second
	lease            = time.Second
)

// Worker is one worker of a stage, with a policy of its own.
type Worker struct {
	worker worker.Worker
	client client.Client
	line   *line
	once   sync.Once
	gone   chan struct{}
}

// line is the worker's connection to the server, which can be cut.
type line struct {
	cut  atomic.Bool
	ends chan struct{} // closed when it is cut
}

// intercept fails every call on a line that is cut, those under way included.
func (l *line) intercept(
	ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption,
) error {
	if l.cut.Load() {
		return status.Error(codes.Unavailable, "the line is cut")
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		select {
		case <-l.ends:
			cancel()
		case <-stop:
		}
	}()
	return invoke(ctx, method, req, reply, cc, opts...)
}

// Hires starts a worker with a policy, beside those that work already. It
// works until it Stops or IsCutOff, or the test ends.
func (s *Stage) Hires(policyText string) *Worker {
	s.t.Helper()
	rules, err := ParsePolicy(policyText)
	s.require.NoError(err, "the policy")
	registry, err := tools.NewRegistry(teller{bank: s.Bank, policy: rules.Version()})
	s.require.NoError(err)
	l := &line{ends: make(chan struct{})}
	c, err := client.Dial(client.Options{
		HostPort: s.server.Address(), Logger: temporalclient.Logger(zap.NewNop()),
		ConnectionOptions: client.ConnectionOptions{DialOptions: []grpc.DialOption{grpc.WithChainUnaryInterceptor(l.intercept)}},
	})
	s.require.NoError(err)
	acts := &activities.Activities{
		Sources:  map[string]sources.Source{"notes": sources.Dir{Root: s.notes}},
		Limits:   sources.Limits{MaxFileBytes: 1 << 20, MaxTotalBytes: 1 << 20, MaxEntries: 100},
		Planners: map[string]planners.Planner{"script": s.script},
		Tools:    registry,
		Blobs:    s.blobs,
		Effects:  &effects.Protocol{Ledger: s.ledger, Lease: lease, Owner: "scene"},
		Policy:   rules,
		Parallel: 4,
		Notices:  s.notices,
		Log:      zap.NewNop(),
	}
	w := &Worker{client: c, line: l, gone: make(chan struct{})}
	w.worker = newWorker(c, s.queue)
	settings := workflows.DefaultSettings()
	settings.HeartbeatTimeout = heartbeatTimeout
	workflows.Register(w.worker, settings)
	acts.Register(w.worker)
	s.require.NoError(w.worker.Start())
	s.t.Cleanup(w.Stops)
	return w
}

func newWorker(c client.Client, queue string) worker.Worker {
	const beat = heartbeatTimeout / 4
	return worker.New(c, queue, worker.Options{
		WorkerStopTimeout:                time.Second,
		MaxHeartbeatThrottleInterval:     beat,
		DefaultHeartbeatThrottleInterval: beat,
		Interceptors: []interceptor.WorkerInterceptor{
			workflows.NewInterceptor(),
			&activities.Attempts{Log: zap.NewNop(), Heartbeat: beat, Retry: faults.DefaultRetry()},
		},
	})
}

// Stops ends a worker in good order, as a deploy does. It may be called again.
func (w *Worker) Stops() {
	w.once.Do(func() {
		w.worker.Stop()
		w.client.Close()
		close(w.gone)
	})
	<-w.gone
}

// IsCutOff lets the worker lose the server, as when its machine is unplugged:
// nothing more comes from it or gets to it. What it was doing it may still do,
// as a worker may whose network is gone.
func (w *Worker) IsCutOff() {
	if !w.line.cut.Swap(true) {
		close(w.line.ends)
	}
	go w.Stops()
}
