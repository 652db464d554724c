package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/cli"
	"github.com/holdpoint/holdpoint/internal/runs"
	"github.com/holdpoint/holdpoint/workflows"
)

// word is what one person says to one run: the text that stands for it, which
// she signs, and the payload that carries it.
type word struct {
	name    string // of the signal and of the update
	speaker string // normalized
	terms   approvals.Terms
	// statement names all that the word is bound to, so that two words are the
	// same exactly when their statements are.
	statement []byte
	// text is what the statement has only the digest of.
	text string
	// refused says why the policy does not let this person say this, if so.
	refused string
	payload func(signature string) ([]byte, error)
}

// words are what a person wants to say, whatever run it turns out to be about.
type words interface {
	about(run *runs.Run) (word, error)
	idle(run *runs.Run) string
}

// about is the decision on what the run asks for now. What is signed is the
// payload as the judge will read it.
func (d decision) about(run *runs.Run) (word, error) {
	if d.action != "" && !slices.ContainsFunc(run.State.Actions, func(a workflows.Action) bool { return a.ID == d.action }) {
		return word{}, fmt.Errorf("the plan of %s has no action %q", run.ID, d.action)
	}
	if d.choice == approvals.Revise && run.State.Revision >= workflows.MaxReturns {
		return word{}, fmt.Errorf("%s has gone back to planning %d times, and once more would fail it: approve or reject this plan, "+
			"or start another run whose goal says what you want", run.ID, workflows.MaxReturns)
	}
	said := approvals.Decision{
		Decision: d.choice, PlanHash: run.Status.PlanHash, ActionID: d.action, Approver: d.as, Comment: d.comment, Feedback: d.feedback,
	}
	raw, err := json.Marshal(said)
	if err != nil {
		return word{}, err
	}
	read, err := approvals.ParseDecision(raw)
	switch {
	case run.State.Plan == nil || run.State.Gate.Phase == approvals.PhaseNoPlan:
		return word{}, noPlan(run, "decide on")
	case err != nil:
		return word{}, cli.Usagef("%s", err)
	case read != said:
		return word{}, cli.Usagef("what you wrote is not valid UTF-8")
	}
	gate := run.State.GateNow()
	statement, err := gate.StatementOf(read)
	if err != nil {
		return word{}, cli.Usagef("--as: %s", err)
	}
	w := word{
		name: workflows.ApprovalName, speaker: statement.Approver, terms: gate.Terms,
		statement: statement.Bytes(), text: d.comment + d.feedback,
		payload: func(signature string) ([]byte, error) {
			signed := read
			signed.Signature = signature
			return json.Marshal(signed)
		},
	}
	if code, reason := gate.Terms.AllowsWord(gate.Requester, read.Approver, read.Decision, read.ActionID); code != approvals.Accepted {
		w.refused = reason
	}
	return w, nil
}

// noPlan says that there is no plan yet with which to do what is wanted, and how
// to wait for one.
func noPlan(run *runs.Run, wanted string) error {
	if run.Closed {
		return fmt.Errorf("run %s is %s and has no plan to %s", run.ID, run.Status.Status, wanted)
	}
	return fmt.Errorf("run %s is %s and has no plan to %s yet; wait for one: %s", run.ID, run.Status.Status, wanted,
		workflows.Command("starter", "watch", run.ID, "--until", string(workflows.WaitingApproval)))
}

// finding is what the flags of resolve say.
type finding struct {
	action, outcome, as, evidence string
}

// about is the finding on the claim that is in doubt now, so that a copy which
// arrives late resolves nothing else.
func (f finding) about(run *runs.Run) (word, error) {
	if run.State.Plan == nil {
		return word{}, fmt.Errorf("run %s is %s and has no plan, and so no action in doubt", run.ID, run.Status.Status)
	}
	i := slices.IndexFunc(run.State.Actions, func(a workflows.Action) bool { return a.ID == f.action })
	if i < 0 {
		return word{}, fmt.Errorf("the plan of %s has no action %q", run.ID, f.action)
	}
	said := approvals.Resolution{
		ActionID: f.action, PlanHash: run.Status.PlanHash, Outcome: approvals.Outcome(f.outcome), Operator: f.as, Evidence: f.evidence,
	}
	if doubt := run.State.Actions[i].Doubt; doubt != nil {
		said.Claim = strconv.FormatInt(doubt.Token, 10)
	}
	raw, err := json.Marshal(said)
	if err != nil {
		return word{}, err
	}
	read, err := approvals.ParseResolution(raw)
	switch {
	case err != nil:
		return word{}, cli.Usagef("%s", err)
	case read != said:
		return word{}, cli.Usagef("what you wrote is not valid UTF-8")
	}
	doubts := run.State.Doubts()
	statement, err := doubts.StatementOf(read)
	if err != nil {
		return word{}, cli.Usagef("--as: %s", err)
	}
	w := word{
		name: workflows.ResolutionName, speaker: statement.Operator, terms: doubts.Terms,
		statement: statement.Bytes(), text: f.evidence,
		payload: func(signature string) ([]byte, error) {
			signed := read
			signed.Signature = signature
			return json.Marshal(signed)
		},
	}
	if code, reason := doubts.Terms.MayResolve(doubts.Requester, read.Operator, read.ActionID); code != approvals.Accepted {
		w.refused = reason
	}
	return w, nil
}

// mustSign reports whether the word is worth nothing without a signature. What
// the policy refuses anyway needs none: it is sent, refused and on record.
func (w word) mustSign() bool { return w.terms.Proof == approvals.BySignature && w.refused == "" }

// mayBeOutdated reports a word that is judged by the policy of the day as soon as
// the run has heard of it: it may know an earlier one. A decision is judged by the
// policy of its request.
func (w word) mayBeOutdated() bool { return w.name == workflows.ResolutionName }

// cannotSign says that the policy has no key of the speaker, and what to do. Of
// a requester in no group, who may reject her own run, it would keep none.
func (w word) cannotSign() error {
	if w.name == workflows.ApprovalName && !slices.Contains(w.terms.Approvers(), w.speaker) {
		return fmt.Errorf("the policy %s wants a signature and takes no key of %s, who is in no group that it asks about this plan; "+
			"whoever requested a run can stop it without one: 'starter cancel RUN'", w.terms.Label, w.speaker)
	}
	return fmt.Errorf("the policy %s wants a signature of %s and has no key of theirs: have one added to its allowed signers%s",
		w.terms.Label, w.speaker, w.owner().ifOutdated())
}

// bound is what a word was made for, in words for its speaker when it has
// changed.
func bound(run *runs.Run) string {
	if run.State.Request == nil {
		return fmt.Sprintf("plan %s, not asked about yet", run.Status.PlanHash)
	}
	return fmt.Sprintf("plan %s, request %s", run.Status.PlanHash, plan.Escape(run.State.Request.RequestID))
}
