package workflows

import (
	"errors"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

// execution carries out the actions of an approved plan: in dependency order,
// independent ones side by side up to the plan's bound, started in plan order.
type execution struct {
	*agentRun
	begun    []bool // by the action's place: begun in this round
	settling []bool // by the action's place: a person's word about it is being recorded
	inFlight int
	landed   int // how many have come back, whatever their outcome
	canceled bool
	aborted  bool // a person gave up an action in doubt
	hearing  bool // the policy of the day is being asked for
	// telling are the doubts, by occasion, of which this execution tells people.
	telling map[string]bool
	// expiry is the end of the approval's life. It is watched only while an
	// action waits for a word of its own.
	expiry workflow.Future
}

// execute runs the actions and says where the run goes next.
func (r *agentRun) execute(ctx workflow.Context) (turn, error) {
	r.state.Begin(ExecuteAction, r.task, now(ctx))
	if r.state.Status != WaitingResolution && len(r.state.unconfirmed()) == 0 {
		r.setStatus(ctx, Running, "")
	}
	x := newExecution(r)
	defer func() { x.inbox.deadline = nil }()
	// In-flight actions outlive a cancellation: their outcome must be known.
	work := disconnected(ctx)
	for {
		x.canceled = ctx.Err() != nil
		// Here, and not where actions are begun: those in flight may leave no
		// room to begin one.
		x.state.Halt.Expired = x.state.Halt.Expired || x.expired()
		x.act(work)
		x.hear(work)
		x.launch(work)
		x.show(ctx)
		if x.inFlight == 0 && !x.waits() {
			return x.finish(ctx)
		}
		if err := x.awaitChange(ctx, work); err != nil {
			return stop, err
		}
		if x.mayContinueAtRest(ctx) {
			return stop, workflow.NewContinueAsNewError(ctx, WorkflowType, x.task, x.state.Carried())
		}
	}
}

// newExecution begins where the execution that continued as this one waited.
func newExecution(r *agentRun) *execution {
	x := &execution{
		agentRun: r, begun: make([]bool, len(r.state.Actions)), settling: make([]bool, len(r.state.Actions)), telling: map[string]bool{},
	}
	for i := range r.state.Actions {
		if row := &r.state.Actions[i]; row.unsettled() {
			x.begun[i] = true
			if row.Resolution != nil {
				row.Resolution.Applied = false // it waited there for its time
			}
		}
	}
	return x
}

// awaitChange waits until there is something to be done: an action came back,
// a person spoke, the approval's life or the run is to end.
func (x *execution) awaitChange(ctx, work workflow.Context) error {
	landed, unconfirmed := x.landed, len(x.state.unconfirmed())
	x.watchExpiry(work)
	return workflow.Await(work, func() bool {
		return x.landed > landed || ctx.Err() != nil && !x.canceled || x.state.resolved() || x.mustHear() ||
			len(x.state.unconfirmed()) != unconfirmed || x.expired() || x.mayContinueAtRest(ctx)
	})
}

// ending reports whether nobody can keep the run from its end.
func (x *execution) ending() bool { return x.canceled || x.aborted }

func (x *execution) stopping() bool {
	halt := x.state.Halt
	return x.canceled || x.aborted || halt.Expired || halt.Rejected != "" || halt.Replan != "" || halt.Failed != "" && x.task.OnFailure == Stop
}

// launch begins every action that may begin now.
func (x *execution) launch(ctx workflow.Context) {
	for i := range x.state.Actions {
		if x.inFlight >= x.state.Plan.Parallel {
			return
		}
		if !x.left(i) || !x.state.ready(i) || x.crowded(i) {
			continue
		}
		if !x.stopping() && !workflow.Now(ctx).Before(x.state.Grant.ExpiresAt) {
			x.state.Halt.Expired = true
		}
		if x.stopping() {
			return
		}
		if !x.confirmed(ctx, i) {
			continue
		}
		x.begun[i] = true
		x.state.ActionBegun(i)
		x.inFlight++
		workflow.GoNamed(ctx, x.state.Actions[i].ID, func(ctx workflow.Context) {
			x.one(ctx, i)
			x.inFlight--
			x.landed++
		})
	}
}

// crowded reports whether the tool of an action has as many in flight as it
// takes from one run.
func (x *execution) crowded(i int) bool {
	tool := x.state.Plan.Actions[i].Tool
	limit := x.state.Plan.limits(tool).Concurrency
	if limit == 0 {
		return false
	}
	for j, a := range x.state.Actions {
		if a.Status == StepRunning && x.state.Plan.Actions[j].Tool == tool {
			limit--
		}
	}
	return limit <= 0
}

// left reports whether an action is to be begun: it has not been done, or is
// in doubt since before this round, and has not been begun in it.
func (x *execution) left(i int) bool {
	status := x.state.Actions[i].Status
	return !x.begun[i] && (status == StepPending || status == StepInDoubt)
}

// ready reports whether everything that an action depends on is done.
func (s *State) ready(i int) bool {
	for _, j := range s.Plan.Actions[i].After {
		if s.Actions[j].Status != StepCompleted {
			return false
		}
	}
	return true
}

// one carries out one action and records what became of it.
func (x *execution) one(ctx workflow.Context, i int) {
	planned := x.state.Plan.Actions[i]
	var out ExecuteActionResult
	err := workflow.ExecuteActivity(x.actionContext(ctx, planned), string(ExecuteAction), ExecuteActionInput{
		RunID: x.runID, Tenant: x.task.Tenant, Requester: x.task.Requester,
		PlanHash: x.state.Plan.PlanHash, Blob: x.state.Plan.Blob,
		ActionID: planned.ID, Key: planned.Key, Grant: x.state.Grant.For(planned.ID),
		Ledger: x.state.Plan.Ledger, MaxAttempts: x.state.Plan.limits(planned.Tool).MaxAttempts, Expected: planned.InDoubt,
	}).Get(ctx, &out)
	if err != nil {
		x.state.ActionFailed(i, err)
	} else {
		x.state.ActionEnded(i, out)
	}
	if x.asksPerson(i, err) && resolvesDoubts(ctx) && errors.Is(x.look(ctx, i), errEnding) {
		return // it is in doubt, and no reason for another end
	}
	x.note(i)
	switch out.Outcome { //nolint:exhaustive // done is no reason to stop
	case OutcomeExpired:
		x.state.Halt.Expired = true
	case OutcomeDrifted, OutcomePolicyChanged:
		x.state.Halt.Replan = x.state.Actions[i].ID + ": " + out.Detail
	}
}

// asksPerson reports an action in doubt of which no further attempt of this
// run will find out: its attempts are used up, or nothing was begun now and its
// class has no way of finding out.
func (x *execution) asksPerson(i int, err error) bool {
	row := x.state.Actions[i]
	return row.Status == StepInDoubt && (err != nil || !row.Recoverable)
}

// note makes a failed action the run's failure. One in doubt that waits for a
// person is none.
func (x *execution) note(i int) {
	if row := x.state.Actions[i]; row.Failed() {
		x.state.Halt.fail(row.ID + ": " + row.Error)
	}
}

// finish says how the execution ends, the gravest first.
func (x *execution) finish(ctx workflow.Context) (turn, error) {
	counts, halt := countActions(x.state.Actions), x.state.Halt
	x.state.Halt = Halt{}
	x.state.giveUpConfirmations()
	switch {
	case halt.Failed != "":
		x.state.SkipRest()
		return stop, x.stepFailed(ctx, ExecuteAction, errors.New(halt.Failed))
	case x.canceled:
		x.state.SkipRest()
		x.state.Fail(ExecuteAction, "canceled", 0, now(ctx))
		return stop, temporal.NewCanceledError()
	case halt.Rejected != "":
		x.state.Fail(ExecuteAction, halt.Rejected, 0, now(ctx))
		x.state.Status, x.state.Reason = Rejected, halt.Rejected
		return stop, nil
	case halt.Expired:
		x.state.Fail(ExecuteAction, "the approval expired", 0, now(ctx))
		x.state.Status = Expired
		x.state.Reason = "the approval expired at " + x.state.Grant.ExpiresAt.Format(time.RFC3339) + " before every action was done"
		x.tellOfExpiry(ctx)
		return stop, nil
	case halt.Replan != "":
		x.state.Reason = halt.Replan
		return replan, nil
	case counts.Done < counts.Total:
		return stop, x.stepFailed(ctx, ExecuteAction, errors.New("actions are left that nothing can begin"))
	default:
		x.complete(ctx, ExecuteAction, x.state.Step(ExecuteAction).Attempts)
		return summarize, nil
	}
}
