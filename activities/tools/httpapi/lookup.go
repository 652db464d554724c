package httpapi

import (
	"cmp"
	"context"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/activities/tools/declared"
)

// findingSender is a sender whose settings have a lookup. It is a type of its
// own because callers ask for the interface.
type findingSender struct{ *sender }

var _ declared.Finder = findingSender{}

// Find implements declared.Finder.
func (s findingSender) Find(ctx context.Context, r declared.Request) (tools.Presence, declared.Effect, string, error) {
	return s.find(ctx, r)
}

// find asks for the effect of a key. Only an endpoint that is the authority
// proves an absence, and only an answer on which both expressions have a value:
// a page for maintenance has neither effect nor error in it.
//
//	found and absent             what is concluded
//	---------------------------  -----------------------------------------
//	true, and true               not proven: one of the two is wrong
//	true, and anything else      the effect is there
//	false, and true              it is not; not proven, without authority
//	false, and false             not proven; so without an absent
//	false, and no value          nothing: the target is asked again
//	no value, and anything       nothing: the target is asked again
func (s *sender) find(ctx context.Context, r declared.Request) (tools.Presence, declared.Effect, string, error) {
	l := s.Lookup
	a, err := s.read(ctx, l.Read, r.Vars)
	if err != nil {
		return tools.NotProven, declared.Effect{}, "", err
	}
	found, foundErr := l.Found.test(r.Vars, a)
	missing, missingErr := false, error(nil)
	if l.Absent.given() {
		missing, missingErr = l.Absent.test(r.Vars, a)
	}
	switch {
	case foundErr != nil, !found && missingErr != nil:
		return tools.NotProven, declared.Effect{}, "", a.unjudged(faults.Transient, cmp.Or(foundErr, missingErr))
	case found && missing:
		return tools.NotProven, declared.Effect{}, a.named() + " shows the effect and its absence at once", nil
	case found:
		e, err := l.Receipt.effect(r.Vars, a)
		if err != nil {
			return tools.NotProven, declared.Effect{}, "", err
		}
		return tools.Found, e, a.named() + " shows the effect", nil
	case missing && l.Authoritative:
		return tools.Absent, declared.Effect{}, a.named() + " has no such effect", nil
	case missing:
		return tools.NotProven, declared.Effect{}, a.named() + " does not show the effect, and cannot rule it out", nil
	default:
		return tools.NotProven, declared.Effect{}, a.named() + " shows neither the effect nor its absence", nil
	}
}

func (s *sender) countFound(ctx context.Context, r declared.Request) (int, error) {
	presence, _, _, err := s.find(ctx, r)
	switch {
	case err != nil:
		return 0, err
	case presence == tools.Found:
		return 1, nil
	case presence == tools.Absent:
		return 0, nil
	default:
		return -1, nil
	}
}
