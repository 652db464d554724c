package template_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/tools/template"
)

func TestExpressionThatCanOnlyFail(t *testing.T) {
	types, err := template.NewTypes(map[string]template.Type{
		"text": template.TextType, "open": template.TruthType, "list": template.ListType, "object": template.ObjectType,
		"any": template.AnyType, "a-b": template.TextType,
	})
	require.NoError(t, err)
	for source, want := range map[string]string{
		"{{params.text.map(x, x)}}":                "cannot be range of a comprehension",
		"body == params.text.map(x, x)":            "cannot be range of a comprehension", // whatever else it reads
		"{{params.open.size()}}":                   "no matching overload for 'size'",
		"{{params.text + 1}}":                      "no matching overload for '_+_'",
		"{{params.text.owner}}":                    "does not support field selection",
		"{{params.list + 'x'}}":                    "no matching overload for '_+_'",
		"{{has(params.text) ? -params.text : ''}}": "no matching overload for '-_'",
		"a/{{[key]}}":                              "cannot stand in a text",
		"a {{params.list}}":                        "cannot stand in a text",
		"{{key}}{{ params.object }}":               "cannot stand in a text",
		"{{key}}{{params.list.map(x, x)}}":         "cannot stand in a text",
	} {
		require.ErrorContains(t, types.Check(source), want, source)
	}
	for _, source := range []string{
		"", "key", "params", "{{params.text}}", "a {{params.text}}", "{{params.list}}", "{{ params.object.name }}", "{{params.list.map(x, x + 1)}}",
		"{{ params.list }}", "{{params.any}} {{params.none + 1}}", "{{params['text'] + 1}}", "{{params['a-b']}}",
		// What the checker alone would refuse, and what works.
		"{{has(params.text) ? params.text : null}}", "{{params.text == null ? 1 : params.text}}", "{{params.text in ['a', 1]}}",
		"{{'text' in params ? params.text : ''}}", "{{params.open || params.any > 1}}", "{{params.any > 1.5}}",
		"params.text is no expression", "{{params.text", "{{body.text + params.any}}",
	} {
		require.NoError(t, types.Check(source), source)
	}
	require.ErrorContains(t, types.CheckText("{{params.list}}"), "cannot stand in a text")
	require.NoError(t, types.CheckText("{{params.text}}"))
	require.NoError(t, types.CheckText("{{params.any}}"))
}
