package workflows

import (
	"errors"
	"time"

	"go.temporal.io/sdk/workflow"
)

// resolveDoubts is a change to the sequence of commands, see doc.go: an action
// of unknown outcome waits for a person. Before it, the run failed.
const resolveDoubts = "resolve-doubts"

func resolvesDoubts(ctx workflow.Context) bool {
	return workflow.GetVersion(ctx, resolveDoubts, workflow.DefaultVersion, 1) == 1
}

// look asks the ledger what became of an action that no person has spoken of. It
// returns errEnding when the run ends before the ledger has said so.
func (x *execution) look(ctx workflow.Context, i int) error {
	for {
		out, err := x.record(ctx, i, nil)
		switch {
		case errors.Is(err, errEnding):
			return err
		case err != nil:
			x.state.ActionUnsettled(i, err)
			return err
		}
		if x.state.ActionSettled(i, nil, out); out.Wait <= 0 {
			// It is begun anew when its effect is not there and no attempt failed.
			x.begun[i] = x.state.Actions[i].Status != StepPending
			return nil
		}
		if err := x.sleep(ctx, out.Wait); err != nil {
			return err
		}
	}
}

// ask begins to ask the ledger, and to tell it what a person found out, if one
// has.
func (x *execution) ask(ctx workflow.Context, i int, word *Resolved) workflow.Future {
	in, row := x.settlement(i), x.state.Actions[i]
	if word != nil {
		in.Waits = word.bound()
		said := *word
		in.Resolution, in.Token = &said, word.token(row.Doubt)
	}
	if word.aborts() {
		in.Token, in.Doubt = 0, row.Doubt
	}
	return workflow.ExecuteActivity(x.settleContext(ctx, x.state.Plan.Actions[i]), SettleAction, in)
}

// settlement is what is asked about an action of which nobody has spoken.
func (x *execution) settlement(i int) SettleActionInput {
	planned := x.state.Plan.Actions[i]
	return SettleActionInput{
		RunID: x.runID, Tenant: x.task.Tenant, Requester: x.task.Requester, PlanHash: x.state.Plan.PlanHash, Ledger: x.state.Plan.Ledger,
		ActionID: planned.ID, Key: planned.Key, Waits: true, Policy: x.state.Doubts().Terms.Version,
	}
}

// act begins what the accepted resolutions ask for.
func (x *execution) act(ctx workflow.Context) {
	for i := range x.state.Actions {
		row := &x.state.Actions[i]
		if row.Resolution == nil || row.Resolution.Applied {
			continue
		}
		row.Resolution.Applied = true
		switch {
		case row.Resolution.aborts() && !checksAborts(ctx):
			x.giveUp(i)
		case !x.settling[i]: // else the word took the place of one that is being settled
			x.settling[i] = true
			x.inFlight++
			workflow.GoNamed(ctx, "settle "+row.ID, func(ctx workflow.Context) {
				x.settle(ctx, i)
				x.settling[i] = false
				x.inFlight--
				x.landed++
			})
		}
	}
}

// settle has the ledger record a person's word: at once when the effect
// happened, and when no call can be under way any more when it did not. Until
// that is recorded, another word can take its place. An abort is recorded nowhere:
// it is taken or refused by the policy of the day.
func (x *execution) settle(ctx workflow.Context, i int) {
	row := &x.state.Actions[i]
	for {
		word := row.Resolution
		out, err := x.record(ctx, i, word)
		switch {
		case row.Resolution != word:
			if row.Resolution.aborts() && !checksAborts(ctx) {
				return
			}
			continue
		case errors.Is(err, errEnding):
			x.state.Unrecorded(i)
			return
		case err != nil:
			x.state.ActionUnsettled(i, err)
		default:
			x.state.ActionSettled(i, word, out)
		}
		waits := err == nil && out.Wait > 0
		if waits && word != nil && row.Resolution == nil && !dropsWords(ctx) {
			row.Resolution = word
		}
		if word = row.Resolution; waits {
			x.landed++ // the status names another time
			x.pause(ctx, out.Wait, "until no call can be under way", func() bool { return row.Resolution != word })
			if x.ending() {
				return // the run is ending, and names the doubt
			}
			continue
		}
		x.settled(i, err)
		return
	}
}

// settled goes on with an action about which a word was settled, or could not be.
func (x *execution) settled(i int, err error) {
	row := x.state.Actions[i]
	x.begun[i] = row.Status != StepPending
	if err == nil && row.Resolution.aborts() {
		x.giveUp(i)
	}
	x.note(i)
}

// giveUp ends the run with what a person has given up.
func (x *execution) giveUp(i int) {
	x.aborted = true
	x.state.Halt.fail(x.state.Actions[i].Aborted())
}

// checkAborts is a change to the sequence of commands, see doc.go: an abort is
// compared with the policy of the day before the run ends by it.
const checkAborts = "check-aborts-by-the-policy-of-the-day"

func checksAborts(ctx workflow.Context) bool {
	return workflow.GetVersion(ctx, checkAborts, workflow.DefaultVersion, 1) == 1
}

// dropWords is a change to the sequence of commands, see doc.go: a word about an
// earlier claim is given up as soon as the ledger names another, and people are
// told of that one. It is asked about only then.
const dropWords = "drop-words-of-earlier-claims"

func dropsWords(ctx workflow.Context) bool {
	return workflow.GetVersion(ctx, dropWords, workflow.DefaultVersion, 1) == 1
}

// record asks the ledger once. It comes back without an answer when another
// word takes the place of this one, or with errEnding when the run ends before there
// is one; and an answer to a word that can be taken back waits for what has arrived
// meanwhile, so that of words that race each other the cautious one wins.
func (x *execution) record(ctx workflow.Context, i int, word *Resolved) (out SettleActionResult, err error) {
	row := &x.state.Actions[i]
	asking, cancel := workflow.WithCancel(ctx)
	defer cancel()
	answer := x.ask(asking, i, word)
	replaced := func() bool { return word.revocable() && row.Resolution != word }
	if err = x.await(ctx, answer, replaced); err != nil || replaced() {
		return out, err
	}
	if err = answer.Get(ctx, &out); err != nil || out.Wait > 0 || !word.revocable() {
		return out, err
	}
	arrived := x.inbox.arrived
	return out, workflow.Await(ctx, func() bool { return x.inbox.judged >= arrived || row.Resolution != word })
}

// waits reports whether the run needs a person's word before it can go on, or
// time until one can be recorded.
func (x *execution) waits() bool {
	return !x.canceled && !x.aborted && x.state.inDoubt() || !x.stopping() && len(x.state.unconfirmed()) > 0
}

// show keeps the status at WAITING_RESOLUTION until what became of every action
// is recorded, and else at WAITING_APPROVAL for as long as one waits for its
// own word, whatever else goes on meanwhile.
func (x *execution) show(ctx workflow.Context) {
	switch {
	case x.state.inDoubt() && !x.canceled && !x.aborted:
		x.setStatus(ctx, WaitingResolution, x.state.WhatWaits())
		x.tellOfDoubts(ctx)
	case !x.stopping() && len(x.state.unconfirmed()) > 0:
		x.setStatus(ctx, WaitingApproval, x.state.WhatIsUnconfirmed())
	case x.state.Status == WaitingResolution, x.state.Status == WaitingApproval:
		x.setStatus(ctx, Running, "")
	}
}

// mayContinueAtRest reports whether the run may continue as new where it waits
// for a person and no activity is in flight.
func (x *execution) mayContinueAtRest(ctx workflow.Context) bool {
	waits := x.state.Status == WaitingResolution || x.state.Status == WaitingApproval
	return x.inFlight == 0 && waits && x.mayContinueAsNew(ctx)
}

// pause ends early when there is a reason to. Nothing is in flight meanwhile.
func (x *execution) pause(ctx workflow.Context, d time.Duration, summary string, over func() bool) {
	x.inFlight--
	defer func() { x.inFlight++ }()
	timing, cancel := workflow.WithCancel(ctx)
	defer cancel()
	timer := workflow.NewTimerWithOptions(timing, d, workflow.TimerOptions{Summary: summary})
	_ = workflow.Await(ctx, func() bool { return timer.IsReady() || over() }) // ctx outlives the execution
}
