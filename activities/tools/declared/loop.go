package declared

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// findLoop returns a schema that must be applied to a value before itself can
// be, such as one that refers to itself; nil when there is none. The validator
// gives up on every value that comes there. A schema that meets itself in a part
// of the value, such as a tree's, is none.
func findLoop(s *jsonschema.Schema) *jsonschema.Schema {
	return (&loops{state: map[*jsonschema.Schema]int{}, seen: map[*jsonschema.Schema]bool{}}).inAll(s)
}

// loops looks for one.
type loops struct {
	state map[*jsonschema.Schema]int // onTheWay, or through
	seen  map[*jsonschema.Schema]bool
}

const (
	onTheWay = iota + 1
	through
)

// inAll looks from every schema that s has anywhere in it.
func (l *loops) inAll(s *jsonschema.Schema) *jsonschema.Schema {
	if s == nil || l.seen[s] {
		return nil
	}
	l.seen[s] = true
	if loop := l.from(s); loop != nil {
		return loop
	}
	for _, inside := range append(sameValue(s), partsOfValue(s)...) {
		if loop := l.inAll(inside); loop != nil {
			return loop
		}
	}
	return nil
}

// from follows the schemas that are applied to the same value.
func (l *loops) from(s *jsonschema.Schema) *jsonschema.Schema {
	switch {
	case s == nil, l.state[s] == through:
		return nil
	case l.state[s] == onTheWay:
		return s
	}
	l.state[s] = onTheWay
	for _, next := range sameValue(s) {
		if loop := l.from(next); loop != nil {
			return loop
		}
	}
	l.state[s] = through
	return nil
}

// sameValue are the schemas that s applies to the value it is applied to.
func sameValue(s *jsonschema.Schema) []*jsonschema.Schema {
	all := []*jsonschema.Schema{s.Ref, s.RecursiveRef, s.Not, s.If, s.Then, s.Else}
	if s.DynamicRef != nil {
		all = append(all, s.DynamicRef.Ref)
	}
	for _, list := range [][]*jsonschema.Schema{s.AllOf, s.AnyOf, s.OneOf} {
		all = append(all, list...)
	}
	for _, name := range slices.Sorted(maps.Keys(s.DependentSchemas)) {
		all = append(all, s.DependentSchemas[name])
	}
	return all
}

// partsOfValue are the schemas that s applies to members and items.
func partsOfValue(s *jsonschema.Schema) []*jsonschema.Schema {
	all := append([]*jsonschema.Schema{
		s.PropertyNames, s.UnevaluatedProperties, s.Contains, s.Items2020, s.UnevaluatedItems, s.ContentSchema,
	}, s.PrefixItems...)
	if additional, ok := s.AdditionalProperties.(*jsonschema.Schema); ok {
		all = append(all, additional)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		all = append(all, s.Properties[name])
	}
	for _, property := range s.PatternProperties {
		all = append(all, property)
	}
	return all
}

// pointer is a compiled schema's place in its document, step by step (RFC 6901).
func pointer(s *jsonschema.Schema) []string {
	_, fragment, _ := strings.Cut(s.Location, "#")
	if unescaped, err := url.PathUnescape(fragment); err == nil {
		fragment = unescaped
	}
	var steps []string
	for step := range strings.SplitSeq(strings.TrimPrefix(fragment, "/"), "/") {
		if step != "" {
			steps = append(steps, strings.NewReplacer("~1", "/", "~0", "~").Replace(step))
		}
	}
	return steps
}

// located says where in a schema something is wrong.
func located(steps []string, what string) string {
	if len(steps) == 0 {
		return what
	}
	return strings.Join(steps, ".") + ": " + what
}
