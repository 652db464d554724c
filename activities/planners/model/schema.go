package model

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/holdpoint/holdpoint/activities/planners"
	"github.com/holdpoint/holdpoint/activities/planners/actions"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// toolUse is a tool that the task allows, with all its targets.
type toolUse struct {
	Tool       string          `json:"tool"`
	Into       []string        `json:"into"`
	Parameters json.RawMessage `json:"parameters"` // JSON Schema
}

// toolUses gathers the targets by tool, in the task's order.
func toolUses(targets []planners.Target) []toolUse {
	var uses []toolUse
	for _, t := range targets {
		i := slices.IndexFunc(uses, func(u toolUse) bool { return u.Tool == t.Tool })
		if i < 0 {
			i = len(uses)
			uses = append(uses, toolUse{Tool: t.Tool, Parameters: t.Schema})
		}
		if len(uses[i].Parameters) == 0 {
			uses[i].Parameters = json.RawMessage(`{"type":"object"}`)
		}
		if !slices.Contains(uses[i].Into, t.Name) {
			uses[i].Into = append(uses[i].Into, t.Name)
		}
	}
	return uses
}

// schemaNode is a JSON Schema in the making.
type schemaNode = map[string]any

// replySchema is the JSON Schema of a reply: that of package actions, with an
// alternative for each tool that the task allows, which names its targets and has
// its parameters. It is canonical JSON.
//
// Each tool's schema stands in $defs under a name of its own, and what it refers
// to within itself is looked up there, because servers know no other scope than
// the whole document.
func replySchema(uses []toolUse, maxActions int) (json.RawMessage, error) {
	defs, alternatives := schemaNode{}, []any{}
	for i, use := range uses {
		var parameters any
		if err := json.Unmarshal(use.Parameters, &parameters); err != nil {
			return nil, permanent("bad_tool_schema", "the parameter schema of tool %.64q is no JSON", use.Tool)
		}
		if object, ok := parameters.(schemaNode); ok {
			delete(object, "$schema")
			delete(object, "$id")
		}
		name := fmt.Sprintf("parameters_%d", i+1)
		defs[name] = moved(parameters, "#/$defs/"+name)
		alternatives = append(alternatives, actionSchema(use, schemaNode{"$ref": "#/$defs/" + name}))
	}
	raw, err := json.Marshal(schemaNode{
		"type": "object", "additionalProperties": false, "required": []string{"format", "actions"},
		"properties": schemaNode{
			"format": schemaNode{"const": actions.Format},
			"notes": schemaNode{"type": "array", "description": "What an approver should know, in the language of the goal.",
				"maxItems": 100, "items": schemaNode{"type": "string", "minLength": 1, "maxLength": 2000}},
			"actions": schemaNode{"type": "array", "minItems": 1, "maxItems": maxActions, "items": schemaNode{"anyOf": alternatives}},
		},
		"$defs": defs,
	})
	if err != nil {
		return nil, permanent("bad_tool_schema", "the schema of the reply cannot be written")
	}
	canonical, err := plan.Canonicalize(raw)
	if err != nil {
		return nil, permanent("bad_tool_schema", "the schema of the reply is %s", plan.Clip(err.Error(), 500))
	}
	return canonical, nil
}

// actionSchema is the schema of an action by one tool.
func actionSchema(use toolUse, parameters schemaNode) schemaNode {
	id := schemaNode{"type": "string", "pattern": "^[A-Za-z0-9._-]{1,64}$"}
	return schemaNode{
		"type": "object", "additionalProperties": false, "required": []string{"id", "tool", "parameters"},
		"properties": schemaNode{
			"id":         id,
			"tool":       schemaNode{"const": use.Tool},
			"into":       schemaNode{"enum": use.Into},
			"parameters": parameters,
			"depends_on": schemaNode{"type": "array", "uniqueItems": true, "items": id,
				"description": "Ids of the actions that must be done before this one."},
			"documents": schemaNode{"type": "array", "maxItems": 100, "uniqueItems": true,
				"items":       schemaNode{"type": "string", "minLength": 1},
				"description": "Names of the documents that this action was derived from."},
		},
	}
}

// moved lets a schema's references into itself begin at another place. Values
// that are data, and not schema, stay as they are.
func moved(node any, to string) any {
	switch n := node.(type) {
	case schemaNode:
		for name, value := range n {
			n[name] = movedMember(name, value, to)
		}
	case []any:
		for i, value := range n {
			n[i] = moved(value, to)
		}
	}
	return node
}

func movedMember(name string, value any, to string) any {
	switch name {
	case "const", "enum", "default", "examples":
		return value
	case "properties", "patternProperties", "dependentSchemas", "$defs", "definitions":
		// The members' names are the author's own, and no keywords.
		if members, ok := value.(schemaNode); ok {
			for member, schema := range members {
				members[member] = moved(schema, to)
			}
			return members
		}
	case "$ref", "$dynamicRef":
		if text, ok := value.(string); ok && (text == "#" || strings.HasPrefix(text, "#/")) {
			return to + strings.TrimPrefix(text, "#")
		}
	}
	return moved(value, to)
}
