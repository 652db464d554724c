package template_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/tools/template"
)

func TestExpressionHasGosValues(t *testing.T) {
	for source, want := range map[string]any{
		"params.none":                       nil,
		"params.open":                       true,
		"params.count":                      int64(3),
		"params.id":                         uint64(18446744073709551615),
		"params.ratio":                      0.5,
		"params.repo":                       "a/b c",
		"params.labels":                     []any{"x", "y"},
		"params.owner":                      map[string]any{"name": "Mei", "age": int64(41)},
		"[params.count, [true]]":            []any{int64(3), []any{true}},
		"{'a': {'b': params.none}}":         map[string]any{"a": map[string]any{"b": nil}},
		"answer.items[0].id":                int64(7),
		"answer.items.exists(i, i.id == 7)": true,
		"answer.items.filter(i, i.id > 7)":  []any{},
	} {
		e, err := template.Compile(source, "answer")
		require.NoError(t, err, source)
		answer, err := template.Answer([]byte(`{"items":[{"id":7}]}`))
		require.NoError(t, err)
		got, err := e.Eval(vars(t), map[string]any{"answer": answer})
		require.NoError(t, err, source)
		require.Equal(t, want, got, source)
	}
}

// What an approver was shown is what is sent: one expression has one value.
func TestAMapIsRangedOverInOneOrder(t *testing.T) {
	e, err := template.Compile(`params.m.map(k, k + "=" + params.m[k])`)
	require.NoError(t, err)
	params, err := template.Parameters([]byte(`{"m":{"team":"a","env":"b","zone":"c","app":"d"}}`))
	require.NoError(t, err)
	for range 50 {
		got, err := e.Eval(template.Vars{Params: params}, nil)
		require.NoError(t, err)
		require.Equal(t, []any{"app=d", "env=b", "team=a", "zone=c"}, got)
	}
	_, err = template.Compile(`{"b": 1, "a": 2}.map(k, k)`)
	require.ErrorContains(t, err, "a map that stands in the expression has no order to range over")
}

func TestExpressionWithoutAValueThatCanBeSent(t *testing.T) {
	for source, want := range map[string]string{
		"{params.count: 'a'}":                  "an object's member is named by a int",
		"bytes(params.repo)":                   "a value of type bytes cannot be sent",
		"duration(params.repo)":                "type conversion error",
		"duration(string(params.count) + 's')": "a value of type google.protobuf.Duration cannot be sent",
		"params.missing":                       "no such key: missing",
		"[bytes(params.repo)]":                 "a value of type bytes cannot be sent",
		"params.count / 0":                     "division by zero",
		"true ? params.missing : ''":           "no such key: missing",
	} {
		e, err := template.Compile(source)
		require.NoError(t, err, source)
		_, err = e.Eval(vars(t), nil)
		require.ErrorContains(t, err, want, source)
	}
	// What has no value on any action is refused at once.
	for source, want := range map[string]string{
		"1/0":               `the expression "1/0" has no value: division by zero`,
		"'a' + string(1/0)": "division by zero",
		"[1, 2][2]":         "index out of bounds: 2",
		"{1: 'a'}":          "an object's member is named by a int",
		"b'abc'":            "a value of type bytes cannot be sent",
		"duration('1s')":    "a value of type google.protobuf.Duration cannot be sent",
	} {
		_, err := template.Compile(source)
		require.ErrorContains(t, err, want, source)
	}
	for _, source := range []string{"1", "'{{'", "true ? 'a' : string(1/0)", "[1, 2].map(x, x * 2)", "null"} {
		_, err := template.Compile(source)
		require.NoError(t, err, source)
	}
	_, err := template.Compile("answer.id")
	require.ErrorContains(t, err, "undeclared reference to 'answer'", "only the named extras are variables")
}

func TestOnlyTrueAndFalseAreATest(t *testing.T) {
	for source, want := range map[string]bool{"params.count == 3": true, "size(params.labels) > 2": false} {
		e, err := template.Compile(source)
		require.NoError(t, err)
		got, err := e.Test(vars(t), nil)
		require.NoError(t, err)
		require.Equal(t, want, got, source)
	}
	for _, source := range []string{"params.count", "params.repo", "params.none", "'true'"} {
		e, err := template.Compile(source)
		require.NoError(t, err)
		got, err := e.Test(vars(t), nil)
		require.ErrorContains(t, err, "says neither true nor false", source)
		require.False(t, got)
	}
}

func TestNamesOfParameters(t *testing.T) {
	for source, want := range map[string][]string{
		"":                                      nil,
		"key":                                   nil,
		"params.repo":                           {"repo"},
		"{{params.a}}/x/{{params.b.c}}/{{key}}": {"a", "b"},
		"params.owner.name + params.repo":       {"owner", "repo"},
		`{{params["title"]}}`:                   {"title"},
		`params["tit" + "le"]`:                  nil, // known only when it runs
		"has(params.note) ? params.note : ''":   {"note"},
		"params.labels.map(l, l + params.end)":  {"labels", "end"},
		"{'a': [params.x]}":                     {"x"},
		"body.items.exists(i, i.id == params.id && status == 200)": {"id"}, // whatever else it reads
		"answer.params.y":               nil,
		"params.repo + params.repo":     {"repo"},
		"size(params)":                  nil,
		"params.repo is the repository": nil, // no expression
		"{{params.}} {{params.z}}":      {"z"},
		"{{params.a":                    {"a"},
	} {
		require.ElementsMatch(t, want, template.Names(source), source)
	}
}

func TestAnswerIsOneJSONValue(t *testing.T) {
	for raw, want := range map[string]any{
		`{"id":12345678901234567890123}`: map[string]any{"id": "12345678901234567890123"}, // an id is not rounded
		`{"id":18446744073709551615}`:    map[string]any{"id": uint64(18446744073709551615)},
		`[1, -2, 1.5, 1e2]`:              []any{int64(1), int64(-2), 1.5, 100.0},
		`1e999`:                          "1e999",
		" \"text\"\n":                    "text",
	} {
		got, err := template.Answer([]byte(raw))
		require.NoError(t, err, raw)
		require.Equal(t, want, got, raw)
	}
	for _, raw := range []string{"", "{", `{"id":1`, `{"id":1} x`, `{}{}`, "<html>", `{"token":"SECRET",}`} {
		_, err := template.Answer([]byte(raw))
		require.Error(t, err, raw)
		require.NotContains(t, err.Error(), "SECRET")
	}
	for _, raw := range []string{"null", "[]", `"x"`, "1"} {
		_, err := template.Parameters([]byte(raw))
		require.ErrorContains(t, err, "no JSON object", raw)
	}
}
