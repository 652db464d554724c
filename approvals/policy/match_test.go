package policy

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/approvals/plan"
)

// matching compiles an expression and evaluates it for an action with these parameters.
func matching(t *testing.T, source, parameters string) (bool, error) {
	t.Helper()
	env, err := newMatchEnv()
	require.NoError(t, err)
	m, _, err := env.compile(source)
	require.NoError(t, err)
	a := action("a", "pay", "bank/x", parameters)
	a.Item, a.Risk, a.DeliveryClass, a.ToolVersion, a.Within = "invoice-7", plan.HighRisk, plan.Once, "3", "bank"
	vars, err := variables(planOf(a), a, ann)
	require.NoError(t, err)
	yes, cost, err := m.matches(vars)
	require.Positive(t, cost)
	return yes, err
}

func TestWhatAMatchMaySpeakOf(t *testing.T) {
	for source, want := range map[string]bool{
		`tool == "pay" && tool_version == "3" && target == "bank/x" && item == "invoice-7"`:                        true,
		`class == "once" && risk == "high" && semantic_version == "v1" && !replaces`:                               true,
		`tenant == "acme" && business_id == "w48" && planner == "outline/1" && requester.endsWith("@example.com")`: true,
		`within == "bank" && within != target`:                                                                     true,
		`risk in ["high", "medium"]`:                                                                               true,
		`target.startsWith("bank/") && target.matches("^[a-z]+/x$")`:                                               true,
		`target.split("/")[1] == "x"`:                                                                              true,
		`parameters.to.exists(name, name == "umbra")`:                                                              true,
		`parameters.deep.er[0] == "x"`:                                                                             true,
		`has(parameters.missing) && parameters.missing > 1`:                                                        false,
		`"missing" in parameters`:                                                                                  false,
		`parameters.none == null`:                                                                                  true,
		`tool == "wiki" && parameters.missing > 1`:                                                                 false, // what is not a wiki need not have it
	} {
		got, err := matching(t, source, `{"to":["vela","umbra"],"deep":{"er":["x"]},"none":null}`)
		require.NoError(t, err, source)
		require.Equal(t, want, got, source)
	}
}

// All numbers of a plan are doubles, as RFC 8785 has them, and can be compared
// with whole numbers and fractions alike.
func TestNumbersAreComparedByTheirValue(t *testing.T) {
	const parameters = `{"whole":1000,"point":1000.0,"half":1000.5,"exponent":1e3,"most":9007199254740991,"huge":1e30,"minus":-5}`
	for source, want := range map[string]bool{
		"parameters.whole > 1000":                          false,
		"parameters.whole >= 1000":                         true,
		"parameters.whole >= 1000.0":                       true,
		"parameters.whole == parameters.point":             true, // one number, however it is written
		"parameters.whole == parameters.exponent":          true,
		"parameters.point == 1000":                         true,
		"parameters.half > 1000":                           true,
		"parameters.half > 1000 && 1001 > parameters.half": true,
		"parameters.whole in [1, 1000]":                    true,
		"parameters.whole * 1.5 > 1499.0":                  true,
		"parameters.whole + parameters.half == 2000.5":     true,
		"parameters.most == 9007199254740991":              true,
		"parameters.most < 9007199254740992":               true,
		"parameters.most > 9007199254740990":               true,
		"parameters.huge > 9223372036854775807":            true,
		"double(parameters.whole) >= 1000":                 true,
		"1.5 < size(parameters)":                           true,
		"parameters.minus < 0":                             true,
		"int(parameters.whole) % 7 == 6":                   true,
	} {
		got, err := matching(t, source, parameters)
		require.NoError(t, err, source)
		require.Equal(t, want, got, source)
	}
	// A number that no double carries is refused before any rule sees another one.
	for _, number := range []string{"9007199254740993", "9007199254740992", "1e400", "0.1234567890123456789"} {
		a := action("a", "pay", "x", `{"amount":`+number+`}`)
		_, err := variables(planOf(a), a, ann)
		require.ErrorContains(t, err, "number", number)
	}
}

func TestWhatCannotBeEvaluatedIsAnErrorAndNotANo(t *testing.T) {
	const file = `label: p
groups: {g: {members: [b1]}}
default: {quorums: [1 of g], decide_within: 1h, grant_life: 1h}
rules:
  - {name: big, match: 'MATCH', quorums: [1 of g]}
`
	long := "[" + strings.Repeat(`"x",`, 1000) + `"x"]`
	for name, tc := range map[string]struct{ match, parameters, says string }{
		"an absent parameter":    {"parameters.amount > 1000", `{}`, "the rule big cannot be evaluated for action a1 (pay): no such key: amount; where a parameter may be absent, the rule must ask first, as in has(parameters.amount)"},
		"a text for a number":    {"parameters.amount > 1000", `{"amount":"5000"}`, "the rule big cannot be evaluated for action a1 (pay): no such overload"},
		"null for a number":      {"parameters.amount > 1000", `{"amount":null}`, "no such overload"},
		"not true and not false": {"parameters.amount && true", `{"amount":1}`, "no such overload"},
		"beyond a list":          {`parameters.to[3] == "x"`, `{"to":[]}`, "index out of bounds: 3"},
		"no object":              {"true", `[]`, "action a1: the parameters are no JSON object"},
		"null":                   {"true", `null`, "action a1: the parameters are no JSON object"},
		"twice":                  {"true", `{"a":1,"a":2}`, "action a1: parameters: malformed: a second member"},
		"too dear":               {"parameters.to.all(a, parameters.to.all(b, a == b))", `{"to":` + long + `}`, "cost limit exceeded"},
		"a value with a line":    {`parameters[parameters.key] > 1`, `{"key":"a\nb\u202e"}`, `no such key: a\u{000A}b\u{202E}`},
	} {
		t.Run(name, func(t *testing.T) {
			p := read(t, strings.Replace(file, "MATCH", tc.match, 1))
			_, err := p.Evaluate(planOf(action("a1", "pay", "x", tc.parameters)), ann)
			require.ErrorContains(t, err, tc.says)
			require.NotContains(t, err.Error(), "\n")
		})
	}
}

// What a plan costs is bounded for all its actions together.
func TestAPlanThatCostsTooMuch(t *testing.T) {
	p := read(t, `label: p
groups: {g: {members: [b1]}}
default: {quorums: [1 of g], decide_within: 1h, grant_life: 1h}
rules:
  - {name: dear, match: 'parameters.to.all(a, parameters.to.all(b, a == b))', quorums: [1 of g]}
`)
	pl := planOf()
	for _, id := range []string{"a1", "a2", "a3"} {
		pl.Actions = append(pl.Actions, action(id, "t", "x", `{"to":["x"`+strings.Repeat(`,"x"`, 50)+`]}`))
	}
	one := newEvaluation(p, planOf(pl.Actions[0]), ann, maxPlanCost)
	require.NoError(t, one.ask())
	cost := maxPlanCost - one.budget
	require.Greater(t, cost, uint64(50*50))

	three := newEvaluation(p, pl, ann, 3*cost)
	require.NoError(t, three.ask())
	require.Zero(t, three.budget)
	three = newEvaluation(p, pl, ann, 3*cost-1)
	require.ErrorContains(t, three.ask(), "the rules of the policy p cost too much to evaluate for this plan, at rule dear and action a3")
}
