package httpapi

import (
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
// proves an absence.
func (s *sender) find(ctx context.Context, r declared.Request) (tools.Presence, declared.Effect, string, error) {
	a, err := s.read(ctx, s.Lookup.Read, r.Vars)
	if err != nil {
		return tools.NotProven, declared.Effect{}, "", err
	}
	found, foundErr := s.Lookup.Found.test(r.Vars, a)
	missing, missingErr := s.Lookup.Absent.test(r.Vars, a)
	switch {
	case foundErr != nil && missingErr != nil: // such as a page for maintenance
		return tools.NotProven, declared.Effect{}, "", a.unjudged(faults.Transient, foundErr)
	case found && missing:
		return tools.NotProven, declared.Effect{}, a.named() + " shows the effect and its absence at once", nil
	case found:
		e, err := s.Lookup.Receipt.effect(r.Vars, a)
		if err != nil {
			return tools.NotProven, declared.Effect{}, "", err
		}
		return tools.Found, e, a.named() + " shows the effect", nil
	case missing && s.Lookup.Authoritative:
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
