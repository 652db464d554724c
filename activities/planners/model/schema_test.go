package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/planners"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

func compiled(t *testing.T, schema []byte) *jsonschema.Schema {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	require.NoError(t, err)
	compiler := jsonschema.NewCompiler()
	require.NoError(t, compiler.AddResource("urn:reply", document))
	s, err := compiler.Compile("urn:reply")
	require.NoError(t, err)
	return s
}

// tree is a tool's schema that refers to itself in every way, and has names and
// values that only look like references.
const tree = `{"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"urn:tool","type":"object","additionalProperties":false,
  "required":["node"],
  "properties":{"node":{"$ref":"#/$defs/node"},"$ref":{"type":"string"},"default":{"$ref":"#/$defs/name"},"all":{"$ref":"#"},
    "fixed":{"const":{"$ref":"#/data"}}},
  "$defs":{"node":{"type":"object","properties":{"name":{"$ref":"#/$defs/name"},"next":{"$ref":"#/$defs/node"}},"additionalProperties":false},
    "name":{"type":"string","maxLength":3}}}`

func TestSchemaOfAReplyHasEachToolsParameters(t *testing.T) {
	pages, err := os.ReadFile(filepath.Join("..", "..", "tools", "gitpages", "parameters.schema.json"))
	require.NoError(t, err)
	raw, err := replySchema(toolUses([]planners.Target{
		{Tool: "tree", Name: "a", Schema: json.RawMessage(tree)}, {Tool: "gitpages", Name: "kb", Schema: pages},
		{Tool: "tree", Name: "b", Schema: json.RawMessage(tree)}, {Tool: "bare", Name: "c"},
	}), 3)
	require.NoError(t, err)
	canonical, err := plan.Canonicalize(raw)
	require.NoError(t, err)
	require.Equal(t, string(canonical), string(raw))
	schema := compiled(t, raw)

	for action, fits := range map[string]bool{
		`"tool":"tree","into":"b","parameters":{"node":{"name":"abc","next":{"next":{"name":"a"}}}}`: true,
		`"tool":"tree","parameters":{"node":{"next":{"next":{"name":"abcd"}}}}`:                      false,
		`"tool":"tree","parameters":{"node":{},"$ref":"text","default":"abc"}`:                       true,
		`"tool":"tree","parameters":{"node":{},"default":"abcd"}`:                                    false,
		`"tool":"tree","parameters":{"node":{},"all":{"node":{}}}`:                                   true,
		`"tool":"tree","parameters":{"node":{},"all":{"id":"x"}}`:                                    false,
		`"tool":"tree","parameters":{"node":{},"fixed":{"$ref":"#/data"}}`:                           true,
		`"tool":"tree","parameters":{"page":"a.md","content":"b"}`:                                   false,
		`"tool":"gitpages","parameters":{"page":"a.md","content":"b"}`:                               true,
		`"tool":"gitpages","parameters":{"page":"../a","content":"b"}`:                               false,
		`"tool":"gitpages","into":"a","parameters":{"page":"a.md","content":"b"}`:                    false,
		`"tool":"bare","parameters":{"anything":1},"depends_on":["x"],"documents":["s/a.md"]`:        true,
		`"tool":"bare","parameters":[]`:                                                              false,
		`"tool":"bare","parameters":{},"risk":"low"`:                                                 false,
		`"tool":"shell","parameters":{}`:                                                             false,
		`"tool":"bare"`:                                                                              false,
	} {
		reply := fmt.Sprintf(`{"format":"holdpoint.actions/1","actions":[{"id":"x",%s}]}`, action)
		instance, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(reply)))
		require.NoError(t, err)
		err = schema.Validate(instance)
		require.Equal(t, fits, err == nil, "%s: %v", action, err)
	}
	for reply, fits := range map[string]bool{
		`{"format":"holdpoint.actions/1","actions":[]}`:                                                        false,
		`{"format":"holdpoint.actions/1","actions":[{"id":"a","tool":"bare","parameters":{}}],"approvers":[]}`: false,
		`{"actions":[{"id":"a","tool":"bare","parameters":{}}]}`:                                               false,
		`{"format":"holdpoint.actions/1","notes":["n"],"actions":[{"id":"a","tool":"bare","parameters":{}}]}`:  true,
	} {
		instance, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(reply)))
		require.NoError(t, err)
		require.Equal(t, fits, schema.Validate(instance) == nil, reply)
	}
}

func TestAToolWithoutASchemaThatIsJSONIsRefused(t *testing.T) {
	_, err := replySchema(toolUses([]planners.Target{{Tool: "broken", Name: "a", Schema: json.RawMessage(`{`)}}), 3)
	require.ErrorContains(t, err, `bad_tool_schema: the parameter schema of tool "broken" is no JSON`)
}
