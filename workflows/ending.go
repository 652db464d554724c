package workflows

import (
	"errors"
	"time"

	"go.temporal.io/sdk/workflow"
)

// lastAnswer is how long a run that is ending still waits for what the ledger
// answers: one that is there does so at once, and one that is away must not keep
// the run.
const lastAnswer = 10 * time.Second

// errEnding says that the run ended before there was an answer. What it was about
// stays as it is.
var errEnding = errors.New("the run is ending")

// endWaits is a change to the sequence of commands, see doc.go: a run that is
// ending waits no longer than lastAnswer for what is asked about its doubts. Before
// it, for as long as that takes.
const endWaits = "end-waits-with-the-run"

func endsWaits(ctx workflow.Context) bool {
	return workflow.GetVersion(ctx, endWaits, workflow.DefaultVersion, 1) == 1
}

// await waits for an answer, or until it is not wanted any more. In a run that is
// ending it gives up, and returns errEnding.
func (x *execution) await(ctx workflow.Context, answer workflow.Future, unwanted func() bool) error {
	over := func() bool { return answer.IsReady() || unwanted() }
	err := workflow.Await(ctx, func() bool { return over() || x.ending() })
	switch {
	case err != nil || over():
		return err
	case !endsWaits(ctx):
		return workflow.Await(ctx, over)
	}
	answered, err := workflow.AwaitWithTimeout(ctx, lastAnswer, over)
	if err == nil && !answered {
		err = errEnding
	}
	return err
}

// sleep waits for as long as the ledger has asked for, as await does.
func (x *execution) sleep(ctx workflow.Context, d time.Duration) error {
	timing, cancel := workflow.WithCancel(ctx)
	defer cancel()
	return x.await(ctx, workflow.NewTimer(timing, d), func() bool { return false })
}
