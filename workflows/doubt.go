package workflows

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// waiting lists the places of the actions about which nothing was said yet.
func (s *State) waiting() []int {
	var places []int
	for i, a := range s.Actions {
		if a.Status == StepInDoubt && a.Doubt != nil && a.Resolution == nil {
			places = append(places, i)
		}
	}
	return places
}

// inDoubt reports whether what became of an action waits for a person, or for
// the record of what she said.
func (s *State) inDoubt() bool { return slices.ContainsFunc(s.Actions, Action.unsettled) }

// resolved reports whether an accepted resolution has not been acted upon.
func (s *State) resolved() bool {
	return slices.ContainsFunc(s.Actions, func(a Action) bool { return a.Resolution != nil && !a.Resolution.Applied })
}

// WhatWaits says why a run waits for a resolution; "" when it does not.
func (s *State) WhatWaits() string {
	if places := s.waiting(); len(places) > 0 {
		row := s.Actions[places[0]]
		text := "nobody knows what became of action " + row.ID
		if more := len(places) - 1; more > 0 {
			text += fmt.Sprintf(" and of %d more", more)
		}
		return plan.Clip(text+": "+row.Doubt.Detail, maxErrorText)
	}
	if i := slices.IndexFunc(s.Actions, Action.unsettled); i >= 0 {
		return plan.Clip("action "+s.Actions[i].ID+" "+s.Actions[i].Next(), maxErrorText)
	}
	return ""
}

// Next says what follows from a word about the action that is not recorded yet;
// "" when there is none.
func (a Action) Next() string {
	switch {
	case a.Resolution == nil || !a.unsettled():
		return ""
	case a.Resolution.Outcome == approvals.Happened:
		return "happened, says " + a.Resolution.Operator + "; that is being recorded"
	case a.Resolution.aborts():
		return "is given up, says " + a.Resolution.Operator + "; that is being compared with the policy of the day"
	case a.Doubt.QuietUntil != nil:
		return "is sent again after " + a.Doubt.QuietUntil.Format(time.RFC3339) + " unless somebody says that it happened, or aborts"
	default:
		return "is sent again now unless somebody says that it happened, or aborts"
	}
}

// Doubts is what resolutions are judged against now.
func (s *State) Doubts() approvals.Doubts {
	d := approvals.Doubts{RunID: s.Gate.RunID, Requester: s.Gate.Requester, Ended: s.Status.Ended()}
	if s.Plan == nil || s.Request == nil {
		return d
	}
	d.PlanHash, d.Terms = s.Plan.PlanHash, s.Request.Terms.With(s.Resolving)
	for _, a := range s.Actions {
		said := approvals.InDoubt{ActionID: a.ID}
		if a.Resolution != nil {
			said.Claim, said.Said = a.Resolution.Claim, a.Resolution.Outcome
		}
		switch {
		case a.Resolvable():
			said.Claim, said.Request, said.Anew = a.Doubt.claim(), a.Doubt.Request, s.anew(a.Doubt)
			d.Waiting = append(d.Waiting, said)
		case a.Resolution != nil:
			d.Resolved = append(d.Resolved, said)
		}
	}
	return d
}

// Resolve lets an accepted resolution change the run. The verdict was given by
// the judge; plan and action are compared once more, and v becomes TooLate when
// they do not fit any more.
func (s *State) Resolve(v *approvals.Verdict) {
	if v.Code == approvals.AskedAnew {
		s.askDoubtAnew(v)
		return
	}
	if v.Code != approvals.Accepted {
		return
	}
	for i := range s.Actions {
		row := &s.Actions[i]
		if row.ID == v.ActionID && row.takes(v.Outcome) && s.Plan.PlanHash.String() == v.PlanHash {
			row.Resolution = &Resolved{
				Outcome: v.Outcome, Operator: v.Approver, Evidence: v.Evidence, At: v.At, Via: v.Via, Claim: v.Claim,
				Execution: cmp.Or(row.Doubt.Execution, s.Gate.Execution),
			}
			if v.Outcome == approvals.NotHappened {
				row.Resolution.Request = row.Doubt.Request
			}
			if v.Signature != "" {
				row.Resolution.Signature, row.Resolution.Text = v.Signature, plan.Sum([]byte(v.Evidence))
			}
			return
		}
	}
	v.Code, v.Reason = approvals.TooLate, "the action was resolved while this resolution was judged"
}

// Settling marks a person's word as acted upon.
func (s *State) Settling(i int) {
	if word := s.Actions[i].Resolution; word != nil {
		word.Applied = true
	}
}

// rowAfter is what becomes of an action, by what the ledger says of it and what
// a person has said, if one has. Only what she says did not happen is begun
// again. After an abort the ledger is not asked.
var rowAfter = map[Standing]map[approvals.Outcome]StepStatus{
	StandingDone: {
		nothingSaid: StepCompleted, approvals.Happened: StepCompleted, approvals.NotHappened: StepCompleted,
	},
	StandingAbsent: {
		nothingSaid: StepFailed, approvals.Happened: StepCompleted, approvals.NotHappened: StepPending,
	},
	// A word was about an earlier claim, and says nothing about this one.
	StandingInDoubt: {
		nothingSaid: StepInDoubt, approvals.Happened: StepInDoubt, approvals.NotHappened: StepInDoubt,
	},
}

const nothingSaid approvals.Outcome = ""

// ActionSettled records what the ledger says of an action in doubt, after a
// person's word or, without one, after a look.
func (s *State) ActionSettled(i int, word *Resolved, out SettleActionResult) {
	row := &s.Actions[i]
	s.Hear(out)
	switch {
	case word.givesUp(out):
		return // it stays in doubt, whatever becomes of the run
	case out.Wait > 0:
		s.unsettledYet(i, word, out)
		return
	case out.Refused != "" && out.Standing != StandingDone:
		s.refuseWord(i, out)
		return
	}
	next := rowAfter[out.Standing][s.said(i, word)]
	switch {
	case next == StepCompleted && out.Receipt != nil:
		row.Status, row.Ref, row.Error, row.Doubt = next, out.Receipt.Ref, "", nil
	case next == StepCompleted && out.Standing == StandingAbsent: // by a worker that does not record it
		row.Status, row.Ref, row.Error, row.Doubt = next, "by the word of "+word.Operator, "", nil
	case next == StepPending:
		row.Status, row.Error, row.Doubt = next, "", nil
	case next == StepFailed && row.Error == "":
		// Nothing failed: the approval, or the target, was in the way.
		row.Status, row.Doubt = StepPending, nil
	case next == StepFailed:
		row.Status, row.Doubt, row.Error = next, nil, strings.Replace(row.Error, EarlierUnknown, "", 1)
	case next == StepInDoubt && out.Doubt != nil:
		row.Status, row.Resolution = next, nil
		row.shows(out.Doubt)
	default:
		s.ActionUnsettled(i, errors.New("the activity named no standing"))
	}
}

// unsettledYet keeps what the ledger says of an action of which a call may be
// under way. A word about another claim says nothing about this one: people are
// asked anew.
func (s *State) unsettledYet(i int, word *Resolved, out SettleActionResult) {
	row := &s.Actions[i]
	if word == nil && row.Doubt == nil || out.Doubt == nil {
		return
	}
	if row.shows(out.Doubt); word.bound() && word.Claim != out.Doubt.claim() {
		row.Resolution = nil
	}
}

// shows takes what the ledger says of an action in doubt. The name under which the
// same claim was asked anew stays.
func (a *Action) shows(d *Doubt) {
	shown := *d
	if a.Doubt != nil && a.Doubt.Token == d.Token {
		shown.Request = a.Doubt.Request
	}
	a.Doubt = &shown
}

// claim is that of the doubt, as people and words name it.
func (d *Doubt) claim() string { return strconv.FormatInt(d.Token, 10) }

// token is that of the claim which a word is about; of words from before they named
// it, that of the claim in doubt.
func (r *Resolved) token(now *Doubt) int64 {
	if token, err := strconv.ParseInt(r.Claim, 10, 64); err == nil {
		return token
	}
	return now.Token
}

// refuseWord is for a word that the policy of the day does not take: it is as if
// nobody had spoken, and people are told why.
func (s *State) refuseWord(i int, out SettleActionResult) {
	row := &s.Actions[i]
	if out.Doubt != nil {
		row.shows(out.Doubt)
	}
	row.Status, row.Resolution = StepInDoubt, nil
	if row.Doubt != nil {
		doubt := *row.Doubt
		doubt.Detail = plan.Clip(out.Refused+"; before that: "+doubt.Detail, maxErrorText)
		row.Doubt = &doubt
	}
}

// said is a word for rowAfter. Histories from before verdicts named the claim
// took every word, also an earlier one, for one that begins the action again.
func (s *State) said(i int, word *Resolved) approvals.Outcome {
	if before := s.Actions[i].Resolution; before != nil && !before.bound() {
		return approvals.NotHappened
	}
	if word == nil {
		return nothingSaid
	}
	return word.Outcome
}

// Unrecorded says of an action that the run ends before a person's word about it
// was recorded.
func (s *State) Unrecorded(i int) {
	row := &s.Actions[i]
	if row.Doubt == nil || row.Resolution == nil {
		return
	}
	doubt := *row.Doubt
	doubt.Detail = plan.Clip("the run ended before the word of "+row.Resolution.Operator+" was recorded; before that: "+doubt.Detail, maxErrorText)
	row.Doubt = &doubt
}

// ActionUnsettled records that the ledger could not be asked: the action stays
// in doubt, and no word about it can be taken.
func (s *State) ActionUnsettled(i int, err error) {
	row := &s.Actions[i]
	row.Status, row.Doubt = StepInDoubt, nil
	row.Error = plan.Clip(SettleAction+": "+FaultText(err), maxErrorText)
}

// maxShownDetail bounds a doubt's detail in a status, in bytes.
const maxShownDetail = 300

// MaxShownEvidence is what a status shows, and a run that continues as new
// keeps, of how a person knew what became of an action, in bytes. The verdict on
// her word has it whole.
const MaxShownEvidence = 200

func (d *Doubt) short() *Doubt {
	if d == nil {
		return nil
	}
	short := *d
	short.Detail = plan.Clip(short.Detail, maxShownDetail)
	return &short
}

func (r *Resolved) short() *Resolved {
	if r == nil {
		return nil
	}
	short := *r
	short.Evidence = plan.Clip(short.Evidence, MaxShownEvidence)
	return &short
}

// unsigned is the word without what only its record needs.
func (r *Resolved) unsigned() *Resolved {
	if r == nil {
		return nil
	}
	shown := *r
	shown.Signature, shown.Text, shown.Execution, shown.Request = "", plan.Digest{}, "", ""
	return &shown
}
