// Package drill ends or stops a worker at a named point, so that anyone can
// rehearse what a crash does: before a step, after its side effect and before
// the completion is reported, or once the completion is durable.
package drill

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	"google.golang.org/grpc"

	"github.com/holdpoint/holdpoint/workflows"
)

// ExitCode is the worker's exit code after a drill (EX_TEMPFAIL of
// sysexits.h: the work can be taken up again).
const ExitCode = 75

// Point names a place in a worker's life: a step's name and a moment,
// "make_plan.before".
type Point string

// The moments of a step. The others are one step's own. Of execute_action they
// are between the claim and the call, between the effect and its receipt, and
// between the receipt and the report to the server; of make_plan between the
// storing of a model's reply and everything that is done with it.
const (
	Before           = "before"
	BeforeCheckpoint = "before_checkpoint"
	After            = "after"

	begun    = "begun"
	Effect   = "effect"
	recorded = "recorded"

	ReplyStored = "reply_stored"
)

// Moments lists the moments of a step.
func Moments(step workflows.StepName) []string {
	moments := []string{Before, BeforeCheckpoint, After}
	switch step {
	case workflows.ExecuteAction:
		return append(moments, begun, Effect, recorded)
	case workflows.MakePlan:
		return append(moments, ReplyStored)
	default:
		return moments
	}
}

// At names a moment of a step.
func At(step, moment string) Point { return Point(step + "." + moment) }

// Drill acts the first time that its point is reached. The zero Drill never
// acts.
type Drill struct {
	Point Point
	// Act does what the drill is for; Exit and Stop are the two that exist.
	Act func(Point)

	once sync.Once
	// tokens are the attempts of the step whose completion is awaited.
	tokens sync.Map
}

// Exit ends the process with ExitCode, as suddenly as a crash.
func Exit(out io.Writer) func(Point) {
	return func(p Point) {
		fmt.Fprintf(out, "drill: %s reached, exit %d\n", p, ExitCode)
		os.Exit(ExitCode)
	}
}

// Reached is called wherever a point may lie.
func (d *Drill) Reached(p Point) {
	if d.Point == "" || d.Point != p {
		return
	}
	d.once.Do(func() { d.Act(p) })
}

// Interceptor watches the attempts. It must be the outermost one, so that
// everything that an attempt does lies inside.
func (d *Drill) Interceptor() interceptor.WorkerInterceptor { return &workerInterceptor{drill: d} }

type workerInterceptor struct {
	interceptor.WorkerInterceptorBase
	drill *Drill
}

func (w *workerInterceptor) InterceptActivity(
	_ context.Context, next interceptor.ActivityInboundInterceptor,
) interceptor.ActivityInboundInterceptor {
	i := &activityInterceptor{drill: w.drill}
	i.Next = next
	return i
}

type activityInterceptor struct {
	interceptor.ActivityInboundInterceptorBase
	drill *Drill
}

func (i *activityInterceptor) ExecuteActivity(ctx context.Context, in *interceptor.ExecuteActivityInput) (any, error) {
	info := activity.GetInfo(ctx)
	step := info.ActivityType.Name
	i.drill.Reached(At(step, Before))
	out, err := i.Next.ExecuteActivity(ctx, in)
	if err == nil {
		i.drill.Reached(At(step, BeforeCheckpoint))
		if i.drill.Point == At(step, After) {
			i.drill.tokens.Store(string(info.TaskToken), true)
		}
	}
	return out, err
}

// Watch lets a client watch the answers to completions: a completion is durable
// in the history once the server has acknowledged it.
func (d *Drill) Watch(options *client.Options) {
	connection := &options.ConnectionOptions
	connection.DialOptions = append(connection.DialOptions, grpc.WithChainUnaryInterceptor(func(
		ctx context.Context, method string, req, reply any, cc *grpc.ClientConn,
		invoke grpc.UnaryInvoker, opts ...grpc.CallOption,
	) error {
		err := invoke(ctx, method, req, reply, cc, opts...)
		if done, ok := req.(*workflowservice.RespondActivityTaskCompletedRequest); ok && err == nil {
			if _, awaited := d.tokens.Load(string(done.GetTaskToken())); awaited {
				d.Reached(d.Point)
			}
		}
		return err
	}))
}
