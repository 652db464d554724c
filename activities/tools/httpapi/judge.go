package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools/declared"
	"github.com/holdpoint/holdpoint/activities/tools/template"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// judge says what the whole answer to a write means.
func (s *sender) judge(ctx context.Context, r declared.Request, a *answer) (declared.Effect, error) {
	v := r.Vars
	if a.status < http.StatusInternalServerError {
		if err := s.keyAnswer(r, a); err != nil {
			return declared.Effect{}, err
		}
		if s.guarded(v, a) {
			return s.whose(ctx, r)
		}
		if s.Throttled.says(v, a) {
			return declared.Effect{}, a.fault(meaning{faults.Throttled, "throttled", "asks to wait"})
		}
	}
	if !slices.Contains(s.Success, a.status) {
		return declared.Effect{}, a.refusal()
	}
	if s.Failed.given() {
		failed, err := s.Failed.test(v, a)
		switch {
		case err != nil:
			return declared.Effect{}, a.unjudged(faults.Unknown, err)
		case failed:
			return declared.Effect{}, a.fault(meaning{faults.Permanent, "failed_by_target", "says in its answer that it failed: " + s.Failed.String()})
		}
	}
	return s.Receipt.effect(v, a)
}

// keyAnswer is what an answer says of our key; nil when nothing.
func (s *sender) keyAnswer(r declared.Request, a *answer) error {
	if s.spec.Class != plan.Keyed {
		return nil
	}
	busy := a.status == http.StatusTooEarly || a.status == http.StatusConflict && a.saysInProgress()
	if s.InProgress.orSays(r.Vars, a, busy) {
		return a.fault(meaning{faults.InProgress, "key_in_progress", "is still working on a request with this action's key"})
	}
	var reused bool
	switch a.status {
	case http.StatusBadRequest, http.StatusConflict, http.StatusUnprocessableEntity:
		reused = a.saysKeyReused()
	}
	if s.KeyReused.orSays(r.Vars, a, reused) {
		return needsPerson(r, a.named()+" says that the key was used with another payload")
	}
	return nil
}

// needsPerson is the fault for an outcome that only a person can find out.
func needsPerson(r declared.Request, why string) error {
	return &faults.Fault{
		Class: faults.Unknown, Code: faults.CodeOutcomeUnknown,
		Reason: fmt.Sprintf("%s; a person must look at %s for action %s, key %s", why, r.Vars.Target, r.Call.Action.ID, r.Vars.Key),
	}
}

// unjudged is an answer on which an expression has no value.
func (a *answer) unjudged(class faults.Class, err error) error {
	return a.fault(meaning{class, "answer_not_judged", "answers in a form that cannot be judged: " + err.Error()})
}

// maxRef bounds the target's own id of an effect, in bytes, and maxDetail the
// line about it: both go to the history.
const (
	maxRef    = 1 << 10
	maxDetail = 500
)

// effect reads a receipt. Half a receipt is none: the outcome is then unknown.
func (r receipt) effect(v template.Vars, a *answer) (declared.Effect, error) {
	e := declared.Effect{At: a.arrived}
	var err error
	if e.Ref, err = r.Ref.line(v, a); err != nil {
		return declared.Effect{}, a.noReceipt(err.Error())
	}
	if e.Ref == "" || len(e.Ref) > maxRef || strings.ContainsFunc(e.Ref, unicode.IsControl) {
		return declared.Effect{}, a.noReceipt("its ref is empty, too long, or no single line")
	}
	if r.Detail.given() {
		detail, err := r.Detail.line(v, a)
		if err != nil {
			return declared.Effect{}, a.noReceipt(err.Error())
		}
		e.Detail = plan.Clip(strings.Join(strings.Fields(detail), " "), maxDetail)
	}
	if r.At.given() {
		text, err := r.At.line(v, a)
		if err != nil {
			return declared.Effect{}, a.noReceipt(err.Error())
		}
		if e.At, err = time.Parse(time.RFC3339, text); err != nil {
			return declared.Effect{}, a.noReceipt("its time is not in the form of RFC 3339")
		}
	}
	return e, nil
}

func (a *answer) noReceipt(why string) error {
	return a.fault(meaning{faults.Unknown, "no_receipt", "answers without a whole receipt: " + why + "; the effect may be there"})
}
