package httpapi

import (
	"context"
	"net/http"
	"strings"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/activities/tools/declared"
	"github.com/holdpoint/holdpoint/activities/tools/template"
)

// absent is the precondition of a thing that is not there.
const absent = "absent"

// state reads what the plan is made for, and the text of what is there now.
func (s *sender) state(ctx context.Context, v template.Vars) (precondition, before string, err error) {
	m := s.IfMatch
	a, err := s.read(ctx, m.Read, v)
	if err != nil {
		return "", "", err
	}
	if m.Absent.orSays(v, a, a.status == http.StatusNotFound) {
		if s.CreateOnly == nil {
			return "", "", a.fault(meaning{faults.Permanent, "nothing_to_change", "has nothing there to change"})
		}
		return absent, "", nil
	}
	value := a.header.Get("ETag")
	if m.Value.given() {
		if value, err = m.Value.line(v, a); err != nil {
			return "", "", a.unjudged(faults.Permanent, err)
		}
	}
	switch {
	case value == "" || value == absent:
		return "", "", a.fault(meaning{faults.Permanent, "no_precondition", "does not say in which state the thing is"})
	case m.sendsHeader() && strings.HasPrefix(value, "W/"):
		// If-Match compares strongly (RFC 9110, 13.1.1): a weak tag never fits.
		return "", "", a.fault(meaning{faults.Permanent, "no_precondition", "gives a weak ETag, which If-Match cannot use"})
	}
	if m.Before.given() {
		if before, err = m.Before.line(v, a); err != nil {
			return "", "", a.unjudged(faults.Permanent, err)
		}
	}
	return value, before, nil
}

// creates reports whether the write is to create what is not there.
func (s *sender) creates(precondition string) bool {
	return s.CreateOnly != nil && (s.IfMatch == nil || precondition == absent)
}

// guard is the header by which the target refuses a write whose precondition
// does not hold; "" when something else in the request does that.
func (s *sender) guard(precondition string) (name, value string) {
	switch {
	case s.creates(precondition) && s.CreateOnly.sendsHeader():
		return "If-None-Match", "*"
	case !s.creates(precondition) && s.IfMatch.sendsHeader():
		return "If-Match", precondition
	default:
		return "", ""
	}
}

// guarded reports whether the target refused the write because its
// precondition does not hold.
func (s *sender) guarded(v template.Vars, a *answer) bool {
	failed := a.status == http.StatusPreconditionFailed
	switch {
	case s.ReadBack == nil:
		return false
	case s.creates(v.Precondition):
		return s.CreateOnly.Exists.orSays(v, a, failed)
	default:
		return s.IfMatch.Refused.orSays(v, a, failed)
	}
}

// whose reads the target back after it refused: what is there is the effect of
// an earlier call of this action, or somebody else's.
func (s *sender) whose(ctx context.Context, r declared.Request) (declared.Effect, error) {
	ours, a, err := s.ours(ctx, r)
	switch {
	case err != nil:
		return declared.Effect{}, err
	case ours:
		return s.ReadBack.Receipt.effect(r.Vars, a)
	case r.Call.InDoubt && !s.ReadBack.Authoritative:
		return declared.Effect{}, needsPerson(r, a.url.Host+" refused the write, and an earlier call may lie under what others did since")
	case s.creates(r.Vars.Precondition):
		return declared.Effect{}, drift(a, "it exists already, and is not this action's")
	default:
		return declared.Effect{}, drift(a, "it is no longer as it was when the plan was made")
	}
}

func drift(a *answer, why string) error {
	return &faults.Fault{
		Class: faults.Permanent, Code: "target_changed", Reason: a.url.Host + ": " + why + "; nothing was written", Cause: tools.ErrDrift,
	}
}

// ours asks whether this action's effect is there.
func (s *sender) ours(ctx context.Context, r declared.Request) (bool, *answer, error) {
	a, err := s.read(ctx, s.ReadBack.Read, r.Vars)
	if err != nil {
		return false, nil, err
	}
	ours, err := s.ReadBack.Ours.test(r.Vars, a)
	if err != nil {
		return false, nil, a.unjudged(faults.Unknown, err)
	}
	return ours, a, nil
}

func (s *sender) countOurs(ctx context.Context, r declared.Request) (int, error) {
	ours, _, err := s.ours(ctx, r)
	switch {
	case err != nil:
		return 0, err
	case ours:
		return 1, nil
	case s.ReadBack.Authoritative:
		return 0, nil
	default:
		return -1, nil
	}
}
