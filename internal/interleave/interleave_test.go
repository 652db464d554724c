package interleave

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	historypb "go.temporal.io/api/history/v1"

	"github.com/holdpoint/holdpoint/internal/replay"
	"github.com/holdpoint/holdpoint/internal/scene"
	"github.com/holdpoint/holdpoint/workflows"
)

// What is played when nobody says otherwise.
const (
	fixedSeed = 20251006
	fixedRuns = 20
	moves     = 15              // of the people of one run, before they only help it to end
	startsIn  = 5 * time.Second // the runs start one by one in this time
	// A plan's payments take so long together that policies change between them.
	paymentTakes = 250 * time.Millisecond
	storyLimit   = 3 * time.Minute // bounds a hang
)

func TestNoEffectWithoutAGrantThatCoversIt(t *testing.T) {
	seed, given := number(t, "HOLDPOINT_INTERLEAVE_SEED", fixedSeed)
	runs, _ := number(t, "HOLDPOINT_INTERLEAVE_RUNS", fixedRuns)
	stories, many := number(t, "HOLDPOINT_INTERLEAVE_STORIES", 1)
	if many && !given {
		seed = time.Now().UnixNano() % 1_000_000
	}
	for i := range stories {
		story := seed + i
		t.Run(fmt.Sprintf("seed %d", story), func(t *testing.T) { play(t, uint64(story), int(runs)) })
	}
}

func number(t *testing.T, name string, otherwise int64) (n int64, given bool) {
	t.Helper()
	text, given := os.LookupEnv(name)
	if !given {
		return otherwise, false
	}
	n, err := strconv.ParseInt(text, 10, 64)
	require.NoError(t, err, name)
	return n, true
}

// play plays one story, and looks at what is left of it.
func play(t *testing.T, seed uint64, runs int) {
	ctx, cancel := context.WithTimeout(t.Context(), storyLimit)
	defer cancel()
	chance := rand.New(rand.NewPCG(seed, 0))
	first := houses[chance.IntN(len(houses))]
	stage := scene.Open(t, shared.Server(t), first.yaml())
	stage.Bank.Takes(paymentTakes)
	lives := make([]*life, runs)
	var living sync.WaitGroup
	for i := range lives {
		l := &life{stage: stage, name: fmt.Sprintf("r%d", i), rand: rand.New(rand.NewPCG(seed, uint64(i)+1))}
		lives[i] = l
		living.Go(func() { l.live(ctx, moves) })
	}
	o := newOperator(stage, chance)
	o.operate(ctx)
	living.Wait()

	ends, effects := map[workflows.RunStatus]int{}, 0
	for _, l := range lives {
		if !l.holds(t) {
			t.Logf("seed %d, run %s:\n%s\nthe operator:\n%s", seed, l.name, strings.Join(l.notes(), "\n"), strings.Join(o.done, "\n"))
		}
		ends[l.seen.Status.Status]++
		effects += len(stage.Bank.EffectsOf(l.run.ID))
	}
	stage.Effects(effects) // each under a key of its own, and of a run of ours
	t.Logf("seed %d: %d payments in %d runs, which ended %v", seed, effects, runs, ends)
}

// holds checks all that must hold of a run that has been lived.
func (l *life) holds(t *testing.T) bool {
	t.Helper()
	return t.Run(l.name, func(t *testing.T) {
		require.NoError(t, l.err)
		require.NotNil(t, l.seen, "the run was never seen")
		history, err := l.run.History()
		require.NoError(t, err)
		require.True(t, l.seen.Closed, "the run hangs: it is %s: %s%s\n%+v", l.seen.Status.Status, l.seen.Status.Reason, failedTasks(history),
			l.seen.Status.Decisions)
		f, err := read(l.run.ID, history)
		require.NoError(t, err)
		paid := map[string]bool{}
		for _, e := range l.stage.Bank.EffectsOf(l.run.ID) {
			require.NoError(t, f.covered(e), "%s was paid at %s", e.Account, e.At)
			require.False(t, paid[e.Account], "%s was paid twice", e.Account)
			paid[e.Account] = true
		}
		l.endIsTrue(t, f, paid)
		require.NoError(t, replay.Run(history))
	})
}

// failedTasks says why workflow tasks failed, for whoever reads a failure.
func failedTasks(history *historypb.History) string {
	var b strings.Builder
	for _, e := range history.GetEvents() {
		if failed := e.GetWorkflowTaskFailedEventAttributes(); failed != nil {
			fmt.Fprintf(&b, "\nevent %d, %s: %s: %s", e.GetEventId(), e.GetEventTime().AsTime(), failed.GetCause(), failed.GetFailure().GetMessage())
		}
	}
	return b.String()
}

// endIsTrue wants an end to say what the bank says.
func (l *life) endIsTrue(t *testing.T, f facts, paid map[string]bool) {
	t.Helper()
	status := l.seen.Status
	for _, a := range status.Actions {
		switch a.Status { //nolint:exhaustive // an action in doubt may be either
		case workflows.StepCompleted:
			require.True(t, l.stage.Bank.Has(a.Key), "%s is done, and was not paid", a.ID)
		case workflows.StepPending, workflows.StepSkipped, workflows.StepFailed:
			require.False(t, l.stage.Bank.Has(a.Key), "%s is not done, and was paid", a.ID)
		}
	}
	switch status.Status {
	case workflows.Completed:
		for _, a := range f.plans[len(f.plans)-1].actions {
			require.True(t, paid[a.Parameters.Account], "completed without %s", a.Parameters.Account)
		}
	case workflows.Rejected, workflows.Expired:
	default:
		require.Equal(t, workflows.Failed, status.Status)
		require.Contains(t, status.Reason, "went back to planning", "the only failure that a story has a reason for")
	}
}
