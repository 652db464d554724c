package interleave

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/runs"
	"github.com/holdpoint/holdpoint/internal/scene"
	"github.com/holdpoint/holdpoint/workflows"
)

// life is one run, and what its people do.
type life struct {
	stage     *scene.Stage
	run       *scene.Run
	name      string // of its accounts
	requester string
	rand      *rand.Rand

	err    error         // it could not be started
	seen   *runs.Run     // as it was last looked at
	hashes []plan.Digest // of every plan that it has had

	mu   sync.Mutex
	done []string // what was done, for whoever reads a failure
}

// steps are a run's plans: the one that it begins with, and one after each
// revision. Amounts differ, so that policies treat them differently; what an
// account gets is the same in all of them, so that no account is paid twice.
func (l *life) steps() [][]scene.Step {
	pay := func(i int) scene.Step {
		return scene.Pay(l.account(i), []int{10, 30, 70, 15}[i])
	}
	chain := []scene.Step{pay(0), pay(1).After(l.account(0)), pay(2).After(l.account(1))}
	small := []scene.Step{pay(0), pay(3).After(l.account(0))}
	all := [][][]scene.Step{{chain, small}, {chain[:2], chain}, {small, chain}, {{pay(2)}, chain}}
	return all[l.rand.IntN(len(all))]
}

func (l *life) account(i int) string { return fmt.Sprintf("%s-%d", l.name, i) }

func (l *life) note(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.done = append(l.done, time.Now().Format("15:04:05.000 ")+fmt.Sprintf(format, args...))
}

func (l *life) notes() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.done)
}

// live starts the run some time, and makes moves until it has ended, after a
// number of them only those that help it to end.
func (l *life) live(ctx context.Context, moves int) {
	time.Sleep(time.Duration(l.rand.Int64N(int64(startsIn))))
	l.requester = requesters[l.rand.IntN(len(requesters))]
	if l.run, l.err = l.stage.Person(l.requester).TryStart(l.steps()...); l.err != nil {
		return
	}
	for i := 0; ctx.Err() == nil; i++ {
		seen, err := l.run.Look()
		if err == nil {
			if l.seen = seen; seen.Closed {
				l.note("ended %s: %s", seen.Status.Status, seen.Status.Reason)
				return
			}
			if hash := seen.Status.PlanHash; !hash.IsZero() && !slices.Contains(l.hashes, hash) {
				l.hashes = append(l.hashes, hash)
			}
			l.move(ctx, i >= moves)
		}
		pause := time.Duration(20+l.rand.IntN(180)) * time.Millisecond
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// move is one thing that somebody does.
func (l *life) move(ctx context.Context, helpful bool) {
	if l.resolve(ctx) || len(l.hashes) == 0 {
		return
	}
	if helpful {
		l.approve(ctx, l.anybody())
		l.confirm(ctx, l.anybody(), approvals.Approve)
		return
	}
	switch n := l.rand.IntN(100); {
	case n < 45:
		l.approve(ctx, l.anybody())
	case n < 55:
		l.confirm(ctx, l.anybody(), approvals.Approve)
	case n < 67:
		l.steal(ctx)
	case n < 73:
		l.approveOld(ctx)
	case n < 76:
		l.say(ctx, l.decision(l.anybody(), approvals.Reject), false)
	case n < 78:
		l.confirm(ctx, l.anybody(), approvals.Reject)
	case n < 84:
		d := l.decision(l.anybody(), approvals.Revise)
		d.Feedback = "another one"
		l.say(ctx, d, l.rand.IntN(2) == 0)
	case n < 93:
		account := l.account(l.rand.IntN(4))
		l.note("somebody changes %s", account)
		l.stage.Bank.Changes(account)
	default:
		l.send(ctx, []any{"approve", 42, map[string]string{"decision": "approve"}, []string{"approve"}, nil}[l.rand.IntN(5)])
	}
}

// anybody is one of the people, now and then one who may not decide.
func (l *life) anybody() string {
	people := slices.Concat(editors, guards, editors, guards, []string{l.requester, stranger, "Bo.Lin", "bo.lin "})
	return people[l.rand.IntN(len(people))]
}

func (l *life) decision(name string, choice approvals.Choice) approvals.Decision {
	return approvals.Decision{Decision: choice, PlanHash: l.seen.Status.PlanHash, Approver: name}
}

// approve approves the plan that was seen last, signed or not.
func (l *life) approve(ctx context.Context, name string) {
	l.say(ctx, l.decision(name, approvals.Approve), l.rand.IntN(3) > 0)
}

// approveOld approves some plan that the run has had.
func (l *life) approveOld(ctx context.Context) {
	d := l.decision(l.anybody(), approvals.Approve)
	d.PlanHash = l.hashes[l.rand.IntN(len(l.hashes))]
	l.say(ctx, d, l.rand.IntN(2) == 0)
}

// steal sends a signature that somebody made over something else.
func (l *life) steal(ctx context.Context) {
	d := l.decision(l.anybody(), approvals.Approve)
	other := d
	switch l.rand.IntN(3) {
	case 0:
		other.Decision = approvals.Reject
	case 1:
		other.Comment = "only if Dee agrees"
	default:
		other.ActionID = l.account(2)
	}
	if signed, err := scene.Sign(l.seen.Status, d.Approver, other); err == nil {
		d.Signature = signed
	}
	l.note("steal %s of %s", d.Decision, d.Approver)
	l.send(ctx, d)
}

// confirm says a word about an action that waits for one.
func (l *life) confirm(ctx context.Context, name string, choice approvals.Choice) {
	for _, a := range l.seen.Status.Actions {
		if a.Unconfirmed {
			d := l.decision(name, choice)
			d.ActionID = a.ID
			l.say(ctx, d, l.rand.IntN(3) > 0)
			return
		}
	}
}

// say sends a decision, signed with its approver's key if she has one.
func (l *life) say(ctx context.Context, d approvals.Decision, sign bool) {
	if sign {
		if signed, err := scene.Sign(l.seen.Status, d.Approver, d); err == nil {
			d.Signature = signed
		}
	}
	l.note("%s of %q on %.14s%s, signed %t", d.Decision, d.Approver, d.PlanHash, d.ActionID, d.Signature != "")
	l.send(ctx, d)
}

// send sends by signal or by update. What becomes of it stands in the history.
func (l *life) send(ctx context.Context, said any) {
	if l.rand.IntN(2) == 0 {
		if err := l.run.TrySignal(ctx, workflows.ApprovalName, said); err != nil {
			l.note("the signal was not taken: %s", err)
		}
		return
	}
	// Nobody may be there to answer.
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	v, err := l.run.TryUpdate(ctx, workflows.ApprovalName, said)
	if err != nil {
		l.note("no answer: %s", err)
		return
	}
	l.note("answered %s: %s", v.Code, v.Reason)
}

// resolve says what became of an action that nobody else knows of, as somebody
// who has looked at the bank.
func (l *life) resolve(ctx context.Context) bool {
	if l.seen.Status.Status != workflows.WaitingResolution {
		return false
	}
	for _, a := range l.seen.Status.Actions {
		if !a.Resolvable() {
			continue
		}
		outcome := approvals.NotHappened
		if l.stage.Bank.Has(a.Key) {
			outcome = approvals.Happened
		}
		l.note("resolve %s: %s", a.ID, outcome)
		word := approvals.Resolution{
			ActionID: a.ID, PlanHash: l.seen.Status.PlanHash, Outcome: outcome, Operator: "eve.li", Evidence: "looked at the bank",
			Claim: strconv.FormatInt(a.Doubt.Token, 10),
		}
		var err error
		if word.Signature, err = scene.SignResolution(l.run.ID, word.Operator, word); err == nil {
			err = l.run.TrySignal(ctx, workflows.ResolutionName, word)
		}
		if err != nil {
			l.note("the word was not taken: %s", err) // the next look finds the action still in doubt
		}
		return true
	}
	return true
}
