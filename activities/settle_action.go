package activities

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"go.temporal.io/sdk/activity"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/workflows"
)

// SettleAction says what the ledger knows of an action of unknown outcome, and
// records what a person found out about it:
//
//	the key's row                  a look    happened           not_happened
//	-----------------------------  --------  -----------------  -----------------------
//	none, or RELEASED              absent    recorded: done     absent
//	STARTED, the claim spoken of   in doubt  recorded: done     when no call can be under
//	                                                            way, recorded: absent
//	STARTED, another claim         in doubt  in doubt           in doubt
//	COMPLETED, by this action      done      done, as it is     done, as it is
//	COMPLETED, by another          absent    done               absent
//
// That she gives it up is taken or refused by the policy of the day, and recorded
// nowhere: the ledger is not asked, and may be away.
//
// It waits until no attempt is at work. For the end of a call that may be under
// way it does not: it answers with the time, and the workflow waits. Only in
// histories from before it did so, this does.
func (a *Activities) SettleAction(
	ctx context.Context, in workflows.SettleActionInput,
) (workflows.SettleActionResult, error) {
	if in.Hears {
		return workflows.SettleActionResult{Attempt: attempt(ctx), Today: a.resolvingToday(ctx, in, false)}, nil
	}
	execution := activity.GetInfo(ctx).WorkflowExecution.RunID
	refused, err := a.refusesWord(ctx, in, execution)
	if err != nil {
		return workflows.SettleActionResult{}, err
	}
	today := a.resolvingToday(ctx, in, refused != "")
	if aborts(in) {
		return workflows.SettleActionResult{
			Attempt: attempt(ctx), Standing: workflows.StandingInDoubt, Doubt: in.Doubt, Refused: refused, Today: today,
		}, nil
	}
	if refused != "" {
		in.Resolution = nil // a look, which changes nothing
	}
	s, err := a.settlement(ctx, in)
	if err != nil {
		return workflows.SettleActionResult{}, err
	}
	for begun := time.Now(); ; {
		settled, err := a.Effects.Ledger.Settle(ctx, s)
		if err != nil {
			return workflows.SettleActionResult{}, err
		}
		wait := max(settled.Held, settled.Quiet)
		patient := !in.Waits || settled.Quiet == 0 && time.Since(begun) < longestStay
		if wait <= 0 || !patient {
			out := standing(in, s, settled.Row)
			out.Attempt, out.Wait, out.Refused, out.Today = attempt(ctx), max(wait, 0), refused, today
			if out.Doubt != nil {
				out.Doubt.Execution = execution
			}
			return out, nil
		}
		if err := pause(ctx, min(wait, longestPause)); err != nil {
			return workflows.SettleActionResult{}, err
		}
	}
}

const (
	// longestPause is after how long the ledger is asked again, however long the
	// wait: another process may have settled the action.
	longestPause = 2 * time.Second
	// longestStay bounds the wait for an attempt at work. It is well within the
	// server's limit for this activity.
	longestStay = 5 * time.Minute
)

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// refusesWord says why a person's word is not taken: it is about another claim, or
// was said before the run was reset, or the policy of today does not take it; ""
// when it is. As for a grant, nothing is taken on the workflow's: whoever could make
// a workflow say that she had spoken could have an effect made twice.
func (a *Activities) refusesWord(ctx context.Context, in workflows.SettleActionInput, execution string) (string, error) {
	word := in.Resolution
	if word == nil {
		return "", nil
	}
	switch about := strconv.FormatInt(in.Token, 10); {
	case aborts(in): // it is told to no claim
	case word.Claim != "" && word.Claim != about:
		return fmt.Sprintf("the word of %s was not recorded: it is about the claim %s, and the claim %s is in doubt", word.Operator, word.Claim, about), nil
	case word.Outcome == approvals.NotHappened && word.Execution != "" && word.Execution != execution:
		return fmt.Sprintf("the word of %s was not recorded: the run was reset since, and what took it back may be missing", word.Operator), nil
	}
	p, err := a.planOfWord(ctx, in)
	if err != nil {
		return "", err
	}
	terms, err := a.terms(in.PlanHash, p, in.Requester)
	if err != nil {
		return fmt.Sprintf("the word of %s was not recorded: the policy cannot be applied to this plan any more: %v", word.Operator, err), nil
	}
	evidence := word.Text
	if evidence.IsZero() {
		evidence = plan.Sum([]byte(word.Evidence))
	}
	err = terms.StillResolves(approvals.ResolutionStatement{
		Run: in.RunID, Plan: in.PlanHash, Action: in.ActionID, Claim: word.Claim, Outcome: word.Outcome,
		Operator: word.Operator, Evidence: evidence, Request: word.Request,
	}, word.Signature, in.Requester, word.At)
	if err != nil {
		return fmt.Sprintf("the word of %s was not recorded: %v", word.Operator, err), nil
	}
	return "", nil
}

// aborts reports a word that ends the run, and changes nothing in the ledger.
func aborts(in workflows.SettleActionInput) bool {
	return in.Resolution != nil && in.Resolution.Outcome == approvals.Abort
}

// resolvingToday is by what the policy of today judges words, for a workflow that
// judges them by another: people leave and change their keys while a run waits,
// and whoever can still speak then must be let speak. nil is where nothing has
// changed, or nothing can be said; a workflow of before it was asked for is told
// only when a word was refused. The policy's bytes are kept, as those of a request's
// are: nothing is said by a policy that cannot be looked up later.
func (a *Activities) resolvingToday(ctx context.Context, in workflows.SettleActionInput, refused bool) *approvals.Resolving {
	if in.Policy == a.Policy.Version() || in.Policy == "" && !refused {
		return nil
	}
	p, err := a.planOfWord(ctx, in)
	if err != nil {
		return nil
	}
	terms, err := a.terms(in.PlanHash, p, in.Requester)
	if err != nil || fitsHistory(terms) != nil {
		return nil
	}
	if _, err := a.put(ctx, in.Tenant, a.Policy.Canonical()); err != nil {
		return nil
	}
	today := terms.Resolving(in.Requester)
	return &today
}

// settlement puts a person's word into the ledger's terms. Of an effect that
// happened, her word is the receipt.
func (a *Activities) settlement(ctx context.Context, in workflows.SettleActionInput) (effects.Settlement, error) {
	s := effects.Settlement{Key: in.Key, Ledger: in.Ledger}
	word := in.Resolution
	if word == nil {
		return s, nil
	}
	s.Token = in.Token
	s.Reason = fmt.Sprintf("%s, says %s: %s", word.Outcome, word.Operator, word.Evidence)
	if word.Outcome != approvals.Happened {
		return s, nil
	}
	action, fingerprint, err := a.spokenOf(ctx, in)
	if err != nil {
		return s, err
	}
	s.Effect = effects.Effect{
		Fingerprint: fingerprint, Tenant: in.Tenant, RunID: in.RunID, ActionID: in.ActionID, Tool: action.Tool, Target: action.Target,
	}
	s.Receipt = &plan.Receipt{
		IdempotencyKey: in.Key, Tool: action.Tool, Target: action.Target,
		Ref: "by the word of " + word.Operator, Detail: word.Evidence, At: word.At.UTC().Truncate(time.Second),
	}
	return s, nil
}

// planOfWord is the plan of whose action a person has spoken. One that cannot be
// read now does not lose her word: the activity is tried again until it can.
func (a *Activities) planOfWord(ctx context.Context, in workflows.SettleActionInput) (plan.Plan, error) {
	p, err := a.loadPlan(ctx, in.Tenant, workflows.BlobRef{Digest: in.PlanHash}, in.PlanHash)
	if err == nil {
		return p, nil
	}
	f := *faults.Name(err)
	if f.Class == faults.Permanent {
		f.Class, f.Cause = faults.Transient, err
		f.Reason += "; what was said of action " + in.ActionID + " is recorded when it is back"
	}
	return plan.Plan{}, &f
}

// spokenOf is the action that she has spoken of, out of the plan's verified bytes.
func (a *Activities) spokenOf(ctx context.Context, in workflows.SettleActionInput) (plan.Action, plan.Digest, error) {
	p, err := a.planOfWord(ctx, in)
	if err != nil {
		return plan.Action{}, plan.Digest{}, err
	}
	action, ok := p.Find(in.ActionID)
	if !ok || action.IdempotencyKey != in.Key {
		return action, plan.Digest{}, bad("not_in_plan", "action %s is not the one that plan %s has under that name", in.ActionID, in.PlanHash)
	}
	fingerprint, err := plan.Fingerprint(action.Parameters)
	return action, fingerprint, err
}

// standing is what a row that nobody works on means for the action.
func standing(in workflows.SettleActionInput, s effects.Settlement, row effects.Row) workflows.SettleActionResult {
	mine := row.RunID == in.RunID && row.ActionID == in.ActionID
	switch {
	case row.State == effects.Completed && mine:
		return workflows.SettleActionResult{Standing: workflows.StandingDone, Receipt: row.Receipt}
	case row.State == effects.Started:
		return workflows.SettleActionResult{Standing: workflows.StandingInDoubt, Doubt: doubtOf(row)}
	case s.Receipt != nil:
		// The key is another one's, and so has no room for it; it happened all
		// the same, and is not sent again.
		return workflows.SettleActionResult{Standing: workflows.StandingDone, Receipt: s.Receipt}
	default:
		return workflows.SettleActionResult{Standing: workflows.StandingAbsent}
	}
}

func doubtOf(row effects.Row) *workflows.Doubt {
	d := &workflows.Doubt{
		Token: row.Token, Tool: row.Tool, Target: row.Target, SentAt: row.SentAt, Attempt: row.Attempt, Detail: row.Reason,
	}
	if !row.LeaseUntil.IsZero() {
		// Nobody has ended the claim, and the reason is that of the one before.
		d.Detail = "its worker was killed, or could not reach the ledger: nothing was heard of it since"
		if row.Reason != "" {
			d.Detail += "; before that: " + row.Reason
		}
	}
	if !row.QuietUntil.IsZero() {
		until := row.QuietUntil
		d.QuietUntil = &until
	}
	return d
}
