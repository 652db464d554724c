package celorder_test

import (
	"testing"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/ext"
	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/approvals/celorder"
)

// Eight keys have 40,320 orders; each expression is evaluated often enough that
// Go's random order would show.
func TestMapsAreRangedOverByTheirKeys(t *testing.T) {
	env := newEnv(t)
	params := map[string]any{
		"labels": map[string]any{"g": 1, "c": 2, "h": 3, "a": 4, "e": 5, "b": 6, "f": 7, "d": 8},
		"list":   []any{map[string]any{"b": "1", "a": "2", "d": "3", "c": "4"}},
	}
	for source, want := range map[string]string{
		`params.labels.map(k, k).join("")`:                                                  "abcdefgh",
		`params.labels.filter(k, params.labels[k] > 4).join("")`:                            "bdef",
		`params.list[0].map(k, k).join("")`:                                                 "abcd",
		`params.list.map(m, m.map(k, k).join("")).join("")`:                                 "abcd",
		`params.labels.transformList(k, v, k + string(v)).join("")`:                         "a4b6c2d8e5f7g1h3",
		`"%s".format([params.list[0]])`:                                                     `{a: 2, b: 1, c: 4, d: 3}`,
		`string(params.labels == {"g":1,"c":2,"h":3,"a":4,"e":5,"b":6,"f":7,"d":8})`:        "true",
		`string("a" in params.labels && !("x" in params.labels) && size(params.labels)==8)`: "true",
	} {
		checked, issues := env.Compile(source)
		require.NoError(t, issues.Err(), source)
		for _, options := range []cel.EvalOption{0, cel.OptOptimize} {
			program, err := env.Program(checked, cel.EvalOptions(options))
			require.NoError(t, err, source)
			for range 30 {
				out, _, err := program.Eval(map[string]any{"params": params})
				require.NoError(t, err, source)
				require.Equal(t, want, out.Value(), source)
			}
		}
	}
}

// CEL makes these maps without asking for an order.
func TestMapsThatStandInAnExpressionAreNotRangedOver(t *testing.T) {
	env := newEnv(t)
	for _, source := range []string{
		`{"b": 1, "a": 2}.map(k, k)`,
		`[{"b": 1, "a": 2}][0].all(k, k != "")`,
		`(params.x ? params.labels : {"b": 1, "a": 2}).map(k, k)`,
		`params.list.map(i, {"b": i, "a": i}).map(m, m.map(k, k))`,
	} {
		_, issues := env.Compile(source)
		require.ErrorContains(t, issues.Err(), "a map that stands in the expression has no order to range over; write a list", source)
	}
	for _, source := range []string{`{"b": 1, "a": params.x}`, `params.list.map(i, {"b": i, "a": i})`, `"a" in {"b": 1, "a": 2}`} {
		_, issues := env.Compile(source)
		require.NoError(t, issues.Err(), source)
	}
}

func newEnv(t *testing.T) *cel.Env {
	t.Helper()
	env, err := cel.NewEnv(append(celorder.Options(), ext.Strings(), ext.TwoVarComprehensions(),
		cel.Variable("params", cel.MapType(cel.StringType, cel.DynType)))...)
	require.NoError(t, err)
	return env
}
