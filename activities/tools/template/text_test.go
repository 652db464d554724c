package template_test

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/holdpoint/holdpoint/activities/tools/template"
)

// vars are those of an action with parameters of every kind.
func vars(t *testing.T) template.Vars {
	t.Helper()
	params, err := template.Parameters([]byte(`{
		"repo": "a/b c", "count": 3, "big": 9007199254740993, "ratio": 0.5, "open": true, "none": null,
		"labels": ["x", "y"], "owner": {"name": "Mei", "age": 41}, "empty": "", "id": 18446744073709551615
	}`))
	require.NoError(t, err)
	return template.Vars{
		Params: params, Key: "k", Target: "t/x", Item: "i", RunID: "acme/r", ActionID: "a1", PlanHash: "sha256:0", Approver: "mei",
	}
}

func TestTextIsFilledIn(t *testing.T) {
	for source, want := range map[string]string{
		"":                                    "",
		"no expression":                       "no expression",
		"{{params.repo}}":                     "a/b c",
		"<{{ params.count }}>":                "<3>",
		"{{params.big}}":                      "9007199254740993", // over 2^53, and not rounded
		"{{params.id}}":                       "18446744073709551615",
		"{{params.ratio}} {{params.open}}":    "0.5 true",
		"{{params.owner.name}}":               "Mei",
		`{{params["repo"]}}`:                  "a/b c",
		"{{params.count + 1}}":                "4",
		`{{params.labels.join(", ")}}`:        "x, y",
		"{{params.empty}}":                    "",
		`{{has(params.missing) ? "y" : "n"}}`: "n",
		"{{key}} {{target}} {{item}} {{run_id}} {{action_id}} {{plan_hash}} {{approver}}": "k t/x i acme/r a1 sha256:0 mei",
		`{{"{{"}}x}}`:                  "{{x}}",
		`{{ {"a": {"b": "c"} }.a.b }}`: "c",
		"周报 {{params.owner.name}}":     "周报 Mei",
	} {
		text, err := template.Parse(source)
		require.NoError(t, err, source)
		got, err := text.Render(vars(t), nil)
		require.NoError(t, err, source)
		require.Equal(t, want, got, source)
		require.Equal(t, source, text.String())
	}
}

// What a parameter holds stays a value where it stands, and is never read as
// an expression.
func TestValuesAreEscapedAndNeverEvaluated(t *testing.T) {
	text, err := template.Parse("https://h/{{params.repo}}?q={{params.more}}")
	require.NoError(t, err)
	v := template.Vars{Params: map[string]any{"repo": "../x?y", "more": "{{key}}"}, Key: "k"}
	got, err := text.Render(v, url.PathEscape)
	require.NoError(t, err)
	require.Equal(t, "https://h/..%2Fx%3Fy?q=%7B%7Bkey%7D%7D", got, "the literal parts are not escaped")
	got, err = text.Render(v, nil)
	require.NoError(t, err)
	require.Equal(t, "https://h/../x?y?q={{key}}", got)
}

func TestTextThatCannotBeUsed(t *testing.T) {
	for source, want := range map[string]string{
		"{{params.repo":       "does not end with }}",
		"{{}}":                "cannot be used",
		"{{params.}}":         "cannot be used",
		"{{nothing}}":         "undeclared reference to 'nothing'",
		"{{key + 1}}":         "no matching overload",
		"{{params.a}}{{b}}":   "undeclared reference to 'b'",
		"{{ {'a':{'b':1}} }}": "cannot be used", // }} inside an expression needs a blank
	} {
		_, err := template.Parse(source)
		require.ErrorContains(t, err, want, source)
		require.NotContains(t, err.Error(), "\n", source)
	}
}

// The error of a text names the expression and never a value.
func TestTextWithoutAValue(t *testing.T) {
	for source, want := range map[string]string{
		"{{params.missing}}":         `the expression "params.missing" has no value: no such key: missing`,
		"{{params.labels}}":          `the expression "params.labels" is no text, number, true or false`,
		"{{params.owner}}":           `is no text, number, true or false`,
		"{{params.none}}":            `is no text, number, true or false`,
		"{{params.repo + 1}}":        `has no value: no such overload`,
		"{{1 / (params.count - 3)}}": `has no value: division by zero`,
		"{{params.labels.map(a, params.labels.map(b, params.labels.map(c, " +
			"[1,2,3,4,5,6,7,8,9,10].map(d, [1,2,3,4,5,6,7,8,9,10].map(e, [1,2,3,4,5,6,7,8,9,10].map(f, " +
			"[1,2,3,4,5,6,7,8,9,10].map(g, [1,2,3,4,5,6,7,8,9,10].map(h, a + b + c)))))))).size()}}": `cost limit exceeded`,
	} {
		text, err := template.Parse(source)
		require.NoError(t, err, source)
		_, err = text.Render(vars(t), nil)
		require.ErrorContains(t, err, want, source)
		require.NotContains(t, err.Error(), "a/b c")
	}
}

func TestTextKnowsHowItBegins(t *testing.T) {
	var got struct{ A, B, C template.Text }
	require.NoError(t, yaml.Unmarshal([]byte("a: tracker/{{params.repo}}\n\nb: fixed\n"), &got))
	for _, tt := range []struct {
		text    template.Text
		literal string
		all     bool
	}{{got.A, "tracker/", false}, {got.B, "fixed", true}, {got.C, "", true}} {
		literal, all := tt.text.Prefix()
		require.Equal(t, tt.literal, literal)
		require.Equal(t, tt.all, all)
	}
	require.True(t, got.C.IsZero())
	require.False(t, got.A.IsZero())
	require.ErrorContains(t, yaml.Unmarshal([]byte("a: x\nb: '{{nothing}}'\n"), &got), "line 2: ")
	require.Error(t, yaml.Unmarshal([]byte("a: [x]\n"), &got))
}
