package template_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/holdpoint/holdpoint/activities/tools/template"
)

func value(t *testing.T, text string) template.Value {
	t.Helper()
	var v template.Value
	require.NoError(t, yaml.Unmarshal([]byte(text), &v))
	return v
}

func TestValueIsFilledIn(t *testing.T) {
	v := value(t, `
title: "{{params.owner.name}}: {{params.count}}"
count: "{{params.count}}"
big: "{{params.big}}"
labels: "{{params.labels}}"
more: [fixed, "{{params.none}}", 1.50, true, ~]
nested: {key: "{{key}}"}
due: 2026-12-01
quoted: "007"
`)
	got, err := v.Render(vars(t))
	require.NoError(t, err)
	raw, err := json.Marshal(got)
	require.NoError(t, err)
	require.JSONEq(t, `{
		"title": "Mei: 3", "count": 3, "big": 9007199254740993, "labels": ["x", "y"],
		"more": ["fixed", null, 1.5, true, null], "nested": {"key": "k"}, "due": "2026-12-01", "quoted": "007"
	}`, string(raw))
	require.Contains(t, string(raw), `"big":9007199254740993`, "not rounded")
	require.False(t, v.IsZero())
	require.True(t, template.Value{}.IsZero())
}

// A parameter's text stays a text: it cannot add members, and no expression in
// it is evaluated.
func TestValueTakesNoStructureFromATextParameter(t *testing.T) {
	v := value(t, `{a: "{{params.x}}", b: "<{{params.x}}>"}`)
	got, err := v.Render(template.Vars{Params: map[string]any{"x": `", "admin": true, "c": "{{key}}`}})
	require.NoError(t, err)
	require.Equal(t, map[string]any{"a": `", "admin": true, "c": "{{key}}`, "b": `<", "admin": true, "c": "{{key}}>`}, got)
}

func TestValueThatCannotBeUsed(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"a member twice":       {"v:\n  a: 1\n  a: 2\n", "line 3: a stands in line 2 already"},
		"a member twice below": {"v:\n  x:\n    a: 1\n    a: 2\n", "line 4: a stands in line 3 already"},
		"a merge key":          {"d: &d {a: 1}\nv:\n  <<: *d\n", "line 3: a member's name must be a text"},
		"a list as name":       {"v:\n  ? [a]\n  : b\n", "line 2: a member's name must be a text"},
		"a bad expression":     {"v:\n  - '{{nothing}}'\n", "line 2: "},
		"infinity":             {"v:\n  - .inf\n", "line 2: JSON has no number .inf"},
		"a part of itself":     {"v: &v [*v]\n", "more than 100 levels of nesting"},
	} {
		t.Run(name, func(t *testing.T) {
			var got struct {
				D any            `yaml:"d"`
				V template.Value `yaml:"v"`
			}
			require.ErrorContains(t, yaml.Unmarshal([]byte(tt.text), &got), tt.want)
		})
	}
}

func TestValueWithoutAValue(t *testing.T) {
	for _, text := range []string{"a: '{{params.missing}}'", "a: ['x', '<{{params.labels}}>']"} {
		_, err := value(t, text).Render(vars(t))
		require.ErrorContains(t, err, "the expression", text)
	}
}
