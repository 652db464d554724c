package effects

import (
	"context"
	"errors"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// look recovers by asking the target, where the delivery class allows it: the
// effect that is there is taken, and one that surely is not is made. No call
// of an earlier attempt is under way any more.
func (a *attempt) look(ctx context.Context) (plan.Receipt, error) {
	finder, ok := a.finder()
	if !ok {
		return plan.Receipt{}, a.needsPerson(withEnding(nobodyHere, a.begun.Row.Reason))
	}
	found, err := a.find(ctx, finder)
	switch {
	case err != nil:
		return plan.Receipt{}, err
	case found.Presence == tools.Found:
		return found.Receipt, nil
	case found.Presence == tools.Absent:
		if err := a.claimAnew(ctx, found.Detail); err != nil {
			return plan.Receipt{}, err
		}
		return a.apply(ctx)
	default:
		return plan.Receipt{}, a.needsPerson("an earlier attempt may have had its effect, and a look at the target does not settle it: " + found.Detail)
	}
}

// Why only a person can say what became of an earlier attempt.
const (
	nobodyHere              = "an earlier attempt may have had its effect, and nothing here can tell"
	underAnotherDeclaration = "an earlier attempt may have had its effect, and its call was made under another declaration of the tool, " +
		"of which the present one can tell nothing"
)

// withEnding is text about an earlier attempt, and how that one ended; what it
// said in the same words is not said twice.
func withEnding(text, before string) string {
	if _, since, said := strings.Cut(before, text); said {
		return text + since
	}
	if before != "" {
		return text + "; it ended so: " + before
	}
	return text
}

// finder is the tool, when its class goes by what the target shows.
func (a *attempt) finder() (tools.Finder, bool) {
	switch a.tool.Spec().Class {
	case plan.Lookup, plan.Keyed:
		finder, ok := a.tool.(tools.Finder)
		return finder, ok
	default:
		return nil, false
	}
}

// find asks the target for the effect of an earlier attempt.
func (a *attempt) find(ctx context.Context, finder tools.Finder) (found tools.Finding, err error) {
	call := a.call
	call.InDoubt, call.FirstSent, call.MayBegin = true, a.begun.Row.SentAt, a.mayBegin
	err = a.guarded(ctx, time.Now().Add(a.callTimeout()), func(limited context.Context) error {
		found, err = finder.Find(limited, call)
		return err
	})
	if err == nil && found.Presence == tools.Found && !a.proves(found.Receipt) {
		err = a.noReceipt()
	}
	return found, err
}

// claimAnew exchanges the claim for a fresh one, when the effect is surely
// absent. The look took its time: a call that is made now ends later than the
// ledger knows from the claim of before, and whoever recovers from this
// attempt must wait for it.
func (a *attempt) claimAnew(ctx context.Context, detail string) error {
	a.log.Info("the target surely has no effect of an earlier attempt", zap.String("found", detail))
	if err := a.Ledger.Release(ctx, a.claim.Key, a.begun.Token, "the target has no effect of an earlier attempt"); err != nil {
		if errors.Is(err, ErrNotHeld) {
			return superseded()
		}
		return err
	}
	a.begun = Begun{}
	begun, err := a.begin(ctx)
	switch {
	case err != nil:
		return err
	case begun.Token == 0, begun.Recover: // somebody had it in between
		return superseded()
	default:
		a.unsettled = false
		return nil
	}
}
