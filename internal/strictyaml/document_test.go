package strictyaml_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/internal/strictyaml"
)

func TestDocumentNamesTheLineOfAMistake(t *testing.T) {
	const tab = "a tab at the beginning of the line"
	for name, tt := range map[string]struct{ text, want string }{
		"two documents":           {"a: 1\n---\nb: 2\n", "f.yaml:2: more follows after the end of the document"},
		"a second that is broken": {"a: 1\n---\nb: [\n", "f.yaml:3: "},
		"no end of a list":        {"a: [\n", "f.yaml:1: did not find expected node content"},
		"a reserved letter":       {"a: 1\nb: @x\nc: 2\n", "f.yaml:2: found character that cannot start any token"},
		// Tabs, wherever the YAML reader says that they are.
		"in the first line":   {"\ta: 1\n", "f.yaml:1: " + tab},
		"in the second":       {"a:\n\tb: 1\n", "f.yaml:2: " + tab},
		"after a sibling":     {"a: 1\nb: 2\n\tc: 3\n", "f.yaml:3: " + tab},
		"after a child":       {"a:\n  b: 1\n\tc: 2\n", "f.yaml:3: " + tab},
		"after blanks":        {"a:\n  b:\n    c: 1\n  \td: 2\n", "f.yaml:4: " + tab},
		"in a list":           {"rules:\n  - name: a\n\tmatch: b\n", "f.yaml:3: " + tab},
		"before a block":      {"a: |\n      x\n\ty\n", "f.yaml:3: " + tab},
		"one that is allowed": {"a: |\n  x\n  \ty\nb: @x\n", "f.yaml:4: found character that cannot start any token"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := strictyaml.Document("f.yaml", []byte(tt.text))
			require.ErrorContains(t, err, tt.want)
		})
	}
	for _, text := range []string{"", "# nothing\n", "---\n"} {
		node, err := strictyaml.Document("f.yaml", []byte(text))
		require.NoError(t, err)
		require.True(t, strictyaml.Absent(node), "%q", text)
	}
}

// A type that is written as JSON is read by the same names.
func TestDecodeGoesByTheNamesOfJSONWhereThereAreNoOthers(t *testing.T) {
	var got struct {
		Goal  string `json:"goal,omitempty"`
		Both  string `json:"both" yaml:"of_yaml"`
		Never string `json:"-"`
	}
	require.NoError(t, strictyaml.Decode("f.yaml", parse(t, "goal: x\nof_yaml: y\n"), &got))
	require.Equal(t, []string{"x", "y"}, []string{got.Goal, got.Both})
	require.EqualError(t, strictyaml.Decode("f.yaml", parse(t, "both: x\n"), &got), `f.yaml:1: unknown field "both"; known are goal, of_yaml`)
}
