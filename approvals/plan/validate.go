package plan

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// maxIDBytes bounds an action's id: it is typed by hand and part of names.
const maxIDBytes = 64

// Validate reports whether the plan holds together: this Format; 1 to
// MaxActions actions; ids that are unique and short; dependencies that exist
// and end; for each action the idempotency key of its own identity, and no key
// twice; a known delivery class and risk; nothing left out that the plan's
// meaning rests upon. The error wraps ErrMalformed and names the action.
//
// Whether the plan can be written without loss is Canonical's question.
func (p Plan) Validate() error {
	for _, check := range []func() error{p.checkHead, p.checkCarried, p.checkActions, p.checkKeys, p.checkOrder} {
		if err := check(); err != nil {
			return fmt.Errorf("%w: %w", ErrMalformed, err)
		}
	}
	return nil
}

func (p Plan) checkHead() error {
	switch {
	case p.Format != Format:
		return fmt.Errorf("format is %q; this version reads %q", clip(p.Format, 40), Format)
	case p.Revision < 0:
		return fmt.Errorf("revision is %d; the first is 0", p.Revision)
	case len(p.Actions) == 0:
		return errors.New("a plan without actions; there is nothing to approve")
	case len(p.Actions) > MaxActions:
		return fmt.Errorf("%d actions; at most %d can be approved at once", len(p.Actions), MaxActions)
	}
	return checkPresent(
		field{"run_id", p.RunID},
		field{"tenant", p.Tenant},
		field{"business_id", p.BusinessID},
	)
}

func (p Plan) checkActions() error {
	for i, a := range p.Actions {
		if err := checkID(a.ID); err != nil {
			return fmt.Errorf("action %d: %w", i+1, err)
		}
		if err := a.check(); err != nil {
			return fmt.Errorf("action %s: %w", a.ID, err)
		}
	}
	return nil
}

func (a Action) check() error {
	if !slices.Contains(DeliveryClasses(), a.DeliveryClass) {
		return fmt.Errorf("delivery_class %q is not known", clip(string(a.DeliveryClass), 40))
	}
	if !slices.Contains(Risks(), a.Risk) {
		return fmt.Errorf("risk %q is not known", clip(string(a.Risk), 40))
	}
	if len(a.Parameters) == 0 {
		return errors.New("there are no parameters; an action that needs none has {}")
	}
	if a.Done != nil {
		if a.Done.IdempotencyKey != a.IdempotencyKey {
			return errors.New("the receipt in done is of another idempotency key")
		}
		if a.Done.At.IsZero() {
			return errors.New("the receipt in done has no time")
		}
	}
	if a.Within != "" && !strings.HasPrefix(a.Target, a.Within+"/") {
		return fmt.Errorf("target %+q does not lie within %+q", clip(a.Target, 100), clip(a.Within, 100))
	}
	return checkPresent(
		field{"tool", a.Tool},
		field{"target", a.Target},
		field{"semantic_version", a.SemanticVersion},
	)
}

func checkID(id string) error {
	if id == "" || len(id) > maxIDBytes {
		return fmt.Errorf("id has %d bytes; 1 to %d are allowed", len(id), maxIDBytes)
	}
	for _, r := range id {
		if !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-", r) {
			return fmt.Errorf("id %+q has %+q; letters a to z, digits and . _ - are allowed", clip(id, maxIDBytes), r)
		}
	}
	return nil
}

// checkKeys verifies that each key is derived, not chosen, and that no two
// actions are one effect: the second could never take place.
func (p Plan) checkKeys() error {
	owner := map[string]string{}
	for _, a := range p.Actions {
		if a.IdempotencyKey != p.identity(a).Key() {
			return fmt.Errorf("action %s: idempotency_key is not that of its tenant, business_id, tool, target, item and semantic_version", a.ID)
		}
		if first, ok := owner[a.IdempotencyKey]; ok {
			return fmt.Errorf("actions %s and %s have one idempotency key: the same tool, target, item and semantic_version", first, a.ID)
		}
		owner[a.IdempotencyKey] = a.ID
	}
	return nil
}

func (p Plan) identity(a Action) Identity {
	return Identity{
		Tenant: p.Tenant, BusinessID: p.BusinessID, Tool: a.Tool,
		Target: a.Target, Item: a.Item, SemanticVersion: a.SemanticVersion,
	}
}

// checkOrder verifies that ids are unique, that dependencies exist, and that
// they can be followed to an end.
func (p Plan) checkOrder() error {
	needs := make(map[string][]string, len(p.Actions))
	for _, a := range p.Actions {
		if _, ok := needs[a.ID]; ok {
			return fmt.Errorf("two actions have the id %s", a.ID)
		}
		needs[a.ID] = a.DependsOn
	}
	for _, a := range p.Actions {
		for i, id := range a.DependsOn {
			if _, ok := needs[id]; !ok {
				return fmt.Errorf("action %s depends on %+q, which the plan does not have", a.ID, clip(id, maxIDBytes))
			}
			if slices.Contains(a.DependsOn[:i], id) {
				return fmt.Errorf("action %s names %s twice in depends_on", a.ID, id)
			}
		}
	}
	ends := map[string]bool{} // known to lead into no cycle
	for _, a := range p.Actions {
		if cycle := findCycle(a.ID, needs, ends, nil); cycle != nil {
			return fmt.Errorf("the actions %s wait for each other", strings.Join(cycle, " → "))
		}
	}
	return nil
}

// findCycle follows the dependencies of id and returns the first cycle met,
// with its first action repeated at the end. trail is the way to id.
func findCycle(id string, needs map[string][]string, ends map[string]bool, trail []string) []string {
	if ends[id] {
		return nil
	}
	if i := slices.Index(trail, id); i >= 0 {
		return append(slices.Clone(trail[i:]), id)
	}
	trail = append(trail, id)
	for _, next := range needs[id] {
		if cycle := findCycle(next, needs, ends, trail); cycle != nil {
			return cycle
		}
	}
	ends[id] = true
	return nil
}

// field is a member's name and text.
type field struct{ name, text string }

func checkPresent(fields ...field) error {
	for _, f := range fields {
		if f.text == "" {
			return fmt.Errorf("%s is empty", f.name)
		}
	}
	return nil
}
