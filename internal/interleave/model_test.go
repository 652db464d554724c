package interleave

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hiddeco/sshsig"

	"github.com/holdpoint/holdpoint/internal/scene"
)

// covered reports why nothing in a run's history allows a payment; nil when
// something does.
func (f facts) covered(e scene.Effect) error {
	action, err := f.inPlan(e)
	if err != nil {
		return err
	}
	payer, _, _ := strings.Cut(e.Policy, "@")
	today, ok := houseOf(payer)
	if !ok {
		return fmt.Errorf("nobody knows the policy %s of the worker that paid", e.Policy)
	}
	var why []error
	for _, r := range f.requests {
		if r.hash != e.PlanHash.String() || !r.made.Before(e.At) {
			continue
		}
		if err := f.grants(r, today, action, e); err != nil {
			why = append(why, fmt.Errorf("request %s: %w", r.id, err))
			continue
		}
		return nil
	}
	return errors.Join(append(why, fmt.Errorf("no request of plan %s covers it", e.PlanHash))...)
}

// inPlan finds the action that a payment is for in the plan that it names.
func (f facts) inPlan(e scene.Effect) (actionFact, error) {
	i := slices.IndexFunc(f.plans, func(p planFact) bool { return p.hash == e.PlanHash.String() })
	if i < 0 {
		return actionFact{}, fmt.Errorf("plan %s was never made", e.PlanHash)
	}
	a, ok := f.plans[i].actions[e.ActionID]
	switch {
	case !ok:
		return a, fmt.Errorf("plan %s has no action %s", e.PlanHash, e.ActionID)
	case a.Key != e.Key || a.Parameters.Account != e.Account || a.Parameters.Amount != e.Amount:
		return a, fmt.Errorf("paid %d into %s under %s; the plan says %d into %s under %s",
			e.Amount, e.Account, e.Key, a.Parameters.Amount, a.Parameters.Account, a.Key)
	case a.Done != nil:
		return a, errors.New("the plan says that it was paid already")
	}
	return a, nil
}

// grants reports why one request does not allow a payment at its time, by the
// terms of the request and by those of the worker that paid.
func (f facts) grants(r *requestFact, today house, action actionFact, e scene.Effect) error {
	asked, ok := houseOf(r.house)
	if !ok {
		return fmt.Errorf("nobody knows its policy %s", r.house)
	}
	before := f.before(e.At)
	for _, a := range before {
		if a.Request == r.id && a.Decision != "approve" && a.Action == "" {
			return fmt.Errorf("%s said %s at %s", a.Approver, a.Decision, a.At)
		}
	}
	granted := r.taken
	var err error
	switch {
	case !f.everythingIsFree(r, asked):
		granted, err = f.approvedUnder(r, asked, today, before)
	case !f.everythingIsFree(r, today):
		err = fmt.Errorf("the policy %s that paid wants approvals, and nobody was asked", today.name)
	}
	if err != nil {
		return err
	}
	until := granted.Truncate(time.Second).Add(time.Duration(asked.life) * time.Second)
	if e.At.After(until.Add(e.Behind)) {
		return fmt.Errorf("it held until %s; paid at %s, by a clock that was behind by at most %s", until, e.At, e.Behind)
	}
	return f.confirmed(r, asked, today, action, until, before)
}

// approvedUnder is when the last approval came that both policies want.
func (f facts) approvedUnder(r *requestFact, asked, today house, before []acceptedFact) (time.Time, error) {
	approved, at, err := f.approvalsOf(r, before, "", r.decideBy)
	if err != nil {
		return at, err
	}
	if err := asked.lets(f.requester, approved); err != nil {
		return at, fmt.Errorf("by the policy %s that asked: %w", asked.name, err)
	}
	if !f.everythingIsFree(r, today) {
		if err := today.lets(f.requester, approved); err != nil {
			return at, fmt.Errorf("by the policy %s that paid: %w", today.name, err)
		}
	}
	return at, nil
}

// before are the decisions that were accepted by some time.
func (f facts) before(at time.Time) []acceptedFact {
	return slices.DeleteFunc(slices.Clone(f.accepted), func(a acceptedFact) bool { return a.recorded.After(at) })
}

// everythingIsFree reports whether a policy asks nobody about what is left of
// the plan.
func (f facts) everythingIsFree(r *requestFact, h house) bool {
	for _, a := range f.plans[f.planOf(r)].actions {
		if a.Done == nil && a.Parameters.Amount >= h.free {
			return false
		}
	}
	return true
}

// planOf is the place of the plan that a request is about.
func (f facts) planOf(r *requestFact) int {
	return slices.IndexFunc(f.plans, func(p planFact) bool { return p.hash == r.hash })
}

// approval is what one person has said and proved.
type approval struct {
	name   string
	signed bool // with her key
}

// approvalsOf are the approvals of a request, or the words about one action of
// its plan, each of which somebody has really sent in time; and when the last of
// them was judged. until is what their statements must say.
func (f facts) approvalsOf(
	r *requestFact, accepted []acceptedFact, actionID string, until time.Time,
) (all []approval, last time.Time, err error) {
	for _, a := range accepted {
		if a.Request != r.id || a.Decision != "approve" || a.Action != actionID {
			continue
		}
		if actionID != "" && !a.At.Before(until) {
			return nil, last, fmt.Errorf("a word about %s was accepted at %s, and the approval held until %s", actionID, a.At, until)
		}
		signed, err := f.saidBy(a, r, until)
		if err != nil {
			return nil, last, err
		}
		all = append(all, approval{name: a.Approver, signed: signed})
		if a.At.After(last) {
			last = a.At
		}
	}
	return all, last, nil
}

// saidBy finds what was sent for an accepted approval, and whether it is
// signed, for as long as it should be. A false signature is not passed over, also where a claim would do.
func (f facts) saidBy(a acceptedFact, r *requestFact, until time.Time) (signed bool, err error) {
	err = fmt.Errorf("nobody sent the approval of %s that was accepted at %s", a.Approver, a.At)
	for _, s := range f.said {
		late := r.over != 0 && s.event > r.over && a.Action == ""
		if s.event < f.plans[f.planOf(r)].event || s.event > a.event || late ||
			s.raw.Decision != "approve" || s.raw.Hash != r.hash || s.raw.Action != a.Action || !strings.EqualFold(s.raw.Approver, a.Approver) {
			continue
		}
		switch {
		case f.verifies(s, r, a, until):
			return true, nil
		case s.raw.Signature == "":
			err = nil
		case err != nil:
			err = fmt.Errorf("the signature of %s that was accepted at %s is false", a.Approver, a.At)
		}
	}
	return false, err
}

// verifies checks a signature over the statement, which is written out here.
func (f facts) verifies(s saidFact, r *requestFact, a acceptedFact, until time.Time) bool {
	var statement strings.Builder
	fmt.Fprintf(&statement, "holdpoint decision v1\nrun: %s\nrequest: %s\nplan: %s\ndecision: approve\n", f.run, r.id, r.hash)
	if a.Action != "" {
		fmt.Fprintf(&statement, "action: %s\n", a.Action)
	}
	fmt.Fprintf(&statement, "approver: %s\nexpires: %s\ntext-sha256: %x\n", a.Approver, until.UTC().Truncate(time.Second).Format(time.RFC3339),
		sha256.Sum256([]byte(s.raw.Comment)))
	made, err := sshsig.Unarmor([]byte(s.raw.Signature))
	if err != nil {
		return false
	}
	key, err := scene.KeyOf(a.Approver)
	if err != nil {
		return false
	}
	return sshsig.Verify(bytes.NewReader([]byte(statement.String())), made, key.PublicKey(), sshsig.HashSHA512, "holdpoint") == nil
}

// lets reports why these approvals are not enough for a policy.
func (h house) lets(requester string, approved []approval) error {
	names := h.counting(requester, approved)
	if !h.seated(h.seats(), names) {
		return fmt.Errorf("%v do not fill %v", names, h.seats())
	}
	return nil
}

// counting are the people whose word counts for a policy.
func (h house) counting(requester string, words []approval) []string {
	var names []string
	for _, a := range words {
		if a.name != requester && (!h.signed || a.signed && a.name != h.noKey) {
			names = append(names, a.name)
		}
	}
	return names
}

// seated tries every way to fill the seats with different people, or with the
// same where a policy lets one count for several groups.
func (h house) seated(seats [][]string, names []string) bool {
	if len(seats) == 0 {
		return true
	}
	for i, name := range names {
		if !slices.Contains(seats[0], name) {
			continue
		}
		left := names
		if !h.shared {
			left = slices.Delete(slices.Clone(names), i, i+1)
		}
		if h.seated(seats[1:], left) {
			return true
		}
	}
	return false
}

// confirmed reports why an action lacks the word of its own that it needs.
func (f facts) confirmed(r *requestFact, asked, today house, action actionFact, until time.Time, before []acceptedFact) error {
	for _, h := range []house{asked, today} {
		if h.confirm == 0 || action.Parameters.Amount <= h.confirm || f.everythingIsFree(r, h) {
			continue
		}
		words, _, err := f.approvalsOf(r, before, action.ID, until)
		if err != nil {
			return err
		}
		anyone := slices.Concat(h.seats()...)
		if !slices.ContainsFunc(h.counting(f.requester, words), func(name string) bool { return slices.Contains(anyone, name) }) {
			return fmt.Errorf("%d needs a word of its own by the policy %s", action.Parameters.Amount, h.name)
		}
	}
	return nil
}
