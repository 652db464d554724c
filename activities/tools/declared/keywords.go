package declared

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// shape says where a keyword's value holds further schemas.
type shape int

const (
	plain   shape = iota // in no place
	one                  // it is one
	list                 // it is a list of them
	members              // its members are
)

// keywords are those of JSON Schema 2020-12. The standard lets a validator pass
// over any other; a misspelled one would then check nothing, and nobody would
// be told.
var keywords = map[string]shape{
	// Core, https://json-schema.org/draft/2020-12/meta/core
	"$schema": plain, "$id": plain, "$ref": plain, "$anchor": plain, "$dynamicRef": plain,
	"$dynamicAnchor": plain, "$comment": plain, "$defs": members,
	// Applicators and unevaluated locations
	"prefixItems": list, "items": one, "contains": one, "additionalProperties": one, "properties": members,
	"patternProperties": members, "dependentSchemas": members, "propertyNames": one, "if": one, "then": one,
	"else": one, "allOf": list, "anyOf": list, "oneOf": list, "not": one,
	"unevaluatedItems": one, "unevaluatedProperties": one,
	// Validation
	"type": plain, "enum": plain, "const": plain, "multipleOf": plain, "maximum": plain, "exclusiveMaximum": plain,
	"minimum": plain, "exclusiveMinimum": plain, "maxLength": plain, "minLength": plain, "pattern": plain,
	"maxItems": plain, "minItems": plain, "uniqueItems": plain, "maxContains": plain, "minContains": plain,
	"maxProperties": plain, "minProperties": plain, "required": plain, "dependentRequired": plain,
	// Annotations
	"title": plain, "description": plain, "default": plain, "deprecated": plain, "readOnly": plain,
	"writeOnly": plain, "examples": plain, "format": plain,
	"contentEncoding": plain, "contentMediaType": plain, "contentSchema": one,
}

// formats are those that are checked. Another would be passed over.
var formats = []string{
	"date", "date-time", "duration", "email", "hostname", "ipv4", "ipv6", "iri", "iri-reference", "json-pointer",
	"regex", "relative-json-pointer", "time", "uri", "uri-reference", "uri-template", "uuid",
}

// maxSchemaDepth also ends an alias that is a part of itself.
const maxSchemaDepth = 100

// checkKeywords walks a schema, and refuses keywords that check nothing and
// references that lead out of it.
func (s source) checkKeywords(node *yaml.Node, depth int) error {
	if node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	if depth > maxSchemaDepth {
		return s.schemaFail(node, "more than %d levels", maxSchemaDepth)
	}
	if node.Kind != yaml.MappingNode {
		return nil // true, false, or what the compiler refuses
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		if err := s.checkKeyword(node.Content[i], node.Content[i+1], depth); err != nil {
			return err
		}
	}
	return nil
}

func (s source) checkKeyword(name, value *yaml.Node, depth int) error {
	holds, known := keywords[name.Value]
	switch {
	case strings.HasPrefix(name.Value, "x-"):
		return nil
	case !known:
		return s.schemaFail(name, "%q is no keyword of JSON Schema 2020-12; a note of your own begins with x-", name.Value)
	case name.Value == "$schema" && strings.TrimSuffix(value.Value, "#") != draft:
		return s.schemaFail(value, "only draft 2020-12 is known, %s", draft)
	case (name.Value == "$ref" || name.Value == "$dynamicRef") && !strings.HasPrefix(value.Value, "#"):
		return s.schemaFail(value, "it refers to %q; only what begins with # is inside the schema", value.Value)
	case name.Value == "format" && !slices.Contains(formats, value.Value):
		return s.schemaFail(value, "the format %q cannot be checked; there are %s", value.Value, strings.Join(formats, ", "))
	}
	return s.checkInside(value, holds, depth)
}

// checkInside checks the schemas that a keyword's value holds.
func (s source) checkInside(value *yaml.Node, holds shape, depth int) error {
	if value.Kind == yaml.AliasNode {
		value = value.Alias
	}
	var inside []*yaml.Node
	switch {
	case holds == one:
		inside = []*yaml.Node{value}
	case holds == list && value.Kind == yaml.SequenceNode:
		inside = value.Content
	case holds == members && value.Kind == yaml.MappingNode:
		for i := 1; i < len(value.Content); i += 2 {
			inside = append(inside, value.Content[i])
		}
	}
	for _, schema := range inside {
		if err := s.checkKeywords(schema, depth+1); err != nil {
			return err
		}
	}
	return nil
}
