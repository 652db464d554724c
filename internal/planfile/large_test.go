package planfile_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/holdpoint/holdpoint/internal/peak"
	"github.com/holdpoint/holdpoint/internal/planfile"
)

// The page is of everything that could begin a value of YAML.
func TestLargePlansAreRead(t *testing.T) {
	line := "- one, two: [three](four) {five}, \"six\" | it's done? – see #7, and the words that follow\n"
	for name, of := range map[string]struct{ actions, bytes int }{"of long pages": {120, 120_000}, "of many actions": {1000, 3_000}} {
		page := strings.Repeat(line, of.bytes/len(line))
		type action struct {
			ID         string            `json:"id" yaml:"id"`
			Tool       string            `json:"tool" yaml:"tool"`
			Parameters map[string]string `json:"parameters" yaml:"parameters"`
			Documents  []string          `json:"documents" yaml:"documents,flow"`
		}
		var actions []action
		for i := range of.actions {
			actions = append(actions, action{fmt.Sprint("a", i), "gitpages", map[string]string{"page": "a.md", "title": "It's \"A\", [b]", "content": page}, []string{"a/b.md", "a/c.md"}})
		}
		document := map[string]any{"format": "holdpoint.actions/1", "actions": actions}
		inJSON, err := json.Marshal(document)
		require.NoError(t, err)
		inYAML, err := yaml.Marshal(document) // content is a block scalar
		require.NoError(t, err)
		quoted := strings.Builder{}
		quoted.WriteString("format: holdpoint.actions/1\nactions:\n")
		for _, a := range actions {
			fmt.Fprintf(&quoted, "  - id: %s\n    tool: %s\n    documents: [a/b.md, a/c.md]\n    parameters:\n      page: a.md\n      title: 'It''s \"A\", [b]'\n      content: %q\n", a.ID, a.Tool, page)
		}
		var first string
		for form, data := range map[string]string{"JSON": string(inJSON), "block scalars": string(inYAML), "quotes": quoted.String()} {
			format := planfile.YAML
			if form == "JSON" {
				format = planfile.JSON
			}
			f, err := planfile.Read("f", format, []byte(data))
			require.NoError(t, err, "%s %s", name, form)
			if first == "" {
				first = string(f.JSON)
			}
			require.Zero(t, strings.Compare(first, string(f.JSON)), "%s: %s means another thing", name, form) // too long to be printed
		}
	}
}

// hostilePlans are plans of more values than any may have, and of as many.
func hostilePlans() map[string]struct {
	format  planfile.Format
	data    string
	refused string
} {
	const many = 2 << 20
	return map[string]struct {
		format  planfile.Format
		data    string
		refused string
	}{
		"YAML":          {planfile.YAML, "a: [" + strings.Repeat("1,", many) + "1]\n", "f: more than 250000 values, or marks that can begin one"},
		"YAML, members": {planfile.YAML, strings.Repeat("- a: {}\n", many/4), "f: more than 250000 values, or marks that can begin one"},
		"JSON":          {planfile.JSON, `{"a":[` + strings.Repeat("1,", many) + "1]}", "f: the file is malformed: more than 250000 values, at /a/249998"},
		"JSON, objects": {planfile.JSON, `{"a":[` + strings.Repeat("{},", many) + "1]}", "f: the file is malformed: more than 250000 values, at /a/249998"},
		"within YAML":   {planfile.YAML, strings.Repeat("- a: {}\n", 49_000), ""},
		"within JSON":   {planfile.JSON, "[" + strings.Repeat(`{"a":1},`, 124_000) + "1]", ""},
	}
}

func TestManyValuesAreRefusedBeforeTheyTakeMemory(t *testing.T) {
	const most = 150 << 20
	for name, p := range hostilePlans() {
		require.Less(t, peak.Of(t, name, func() func() {
			data := []byte(p.data)
			return func() {
				_, err := planfile.Read("f", p.format, data)
				if p.refused == "" {
					require.NoError(t, err)
				} else {
					require.ErrorContains(t, err, p.refused)
				}
			}
		}), most, name)
	}
}
